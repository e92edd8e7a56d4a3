/**
 * Whether an owner is there. What the caches show is believed; what they do not show is asked of the server, since a
 * cache may lag and silence proves nothing. An absence once confirmed is final: UIDs do not come back.
 */
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../core/api/registry/resources.ts';
import type { OwnerReference } from '../../core/kube/meta-v1.ts';
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Client } from '../../machinery/client/client.ts';
import { awaitsDependents, groupOf, isOwnerMeant, type OwnerGraph } from './owner-graph.ts';

export type OwnerState =
  | 'present'
  | 'absent'
  /** Being deleted, and waiting for its dependents to go first. */
  | 'waiting'
  /** The owner's kind is not served here, or could not own this dependent: its existence is unknown. */
  | 'unknown';

export type OwnerLookup = (reference: OwnerReference, dependent: Stored, signal: AbortSignal) => Promise<OwnerState>;

/** Confirmed absences that are remembered; the pods of one owner mostly come together. */
const REMEMBERED = 1_000;

/** Kinds that may be served today and not tomorrow. */
export interface ChangingOwners {
  find(group: string, kind: string): Resource | undefined;
  /** The object was seen to go, whatever became of its kind. */
  wasDeleted(uid: string): boolean;
  /** A kind that was served and is no longer: its definition may tell whether its objects can still be there. */
  findGone(group: string, kind: string): Resource | undefined;
}

export function createOwnerLookup(
  client: Client,
  graph: OwnerGraph,
  served: readonly Resource[],
  changing?: ChangingOwners,
): OwnerLookup {
  const byKind = new Map(served.map((resource) => [`${resource.group}/${resource.kind}`, resource]));
  /** Answers that are final or under way, the oldest first. */
  const answers = new Map<string, Promise<OwnerState>>();

  async function ask(resource: Resource, reference: OwnerReference, namespace: string, signal: AbortSignal) {
    const key = { ...(resource.namespaced ? { namespace } : {}), name: reference.name };
    try {
      const owner = await client.get(resource, key, { signal });
      if (owner.metadata.uid !== reference.uid) return 'absent';
      return stateOf(owner);
    } catch (error) {
      if (isStatus(error, 'NotFound')) return 'absent';
      throw error;
    }
  }

  /** A definition takes its objects along; one that is only not served keeps them. */
  async function askDefinition({ group, resource }: Resource, signal: AbortSignal): Promise<OwnerState> {
    try {
      await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: `${resource}.${group}` }, { signal });
      return 'unknown';
    } catch (error) {
      if (isStatus(error, 'NotFound')) return 'absent';
      throw error;
    }
  }

  return (reference, dependent, signal) => {
    const owner = graph.get(reference.uid);
    if (owner !== undefined && isOwnerMeant(owner, reference, dependent)) return Promise.resolve(stateOf(owner.object));
    if (owner === undefined && changing?.wasDeleted(reference.uid) === true) return Promise.resolve('absent');
    const group = groupOf(reference.apiVersion);
    const resource = byKind.get(`${group}/${reference.kind}`) ?? changing?.find(group, reference.kind);
    const { namespace = '' } = dependent.metadata;
    const gone = resource === undefined ? changing?.findGone(group, reference.kind) : undefined;
    if (gone !== undefined) return askDefinition(gone, signal);
    // A cluster-scoped object cannot have an owner within a namespace.
    if (resource === undefined || (resource.namespaced && namespace === '')) return Promise.resolve('unknown');

    const scope = resource.namespaced ? namespace : '';
    const id = JSON.stringify([resource.group, resource.kind, scope, reference.name, reference.uid]);
    const known = answers.get(id);
    if (known !== undefined) return known;
    const asking: Promise<OwnerState> = ask(resource, reference, namespace, signal);
    answers.set(id, asking);
    const forget = (): void => void answers.delete(id);
    asking.then((state) => {
      if (state !== 'absent') forget();
    }, forget);
    for (const oldest of answers.keys()) {
      if (answers.size <= REMEMBERED) break;
      answers.delete(oldest);
    }
    return asking;
  };
}

const stateOf = (owner: KubeObject): OwnerState => (awaitsDependents(owner) ? 'waiting' : 'present');
