/** The history of a StatefulSet: a ControllerRevision for each template it has had. */
import { CONTROLLER_REVISIONS, STATEFUL_SETS } from '../../../../core/api/registry/resources.ts';
import type { ControllerRevision, StatefulSet } from '../../../../core/api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../../../core/api/types/core-v1.ts';
import { fnv1x32, safeEncode } from '../../../../core/kube/hash.ts';
import { encodeGoJson, parseJson, type JsonObject } from '../../../../core/kube/json.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { controllerReference } from '../../../../core/kube/owner-references.ts';
import { isStatus } from '../../../../core/kube/status-error.ts';
import type { Client } from '../../../../machinery/client/client.ts';
import { keyOf } from '../../../../machinery/cache/object-keys.ts';
import { claim } from '../../../../machinery/children/claims.ts';
import type { Children } from '../../../../machinery/children/child-index.ts';
import { unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import type { Overlay } from '../../../../machinery/children/overlay.ts';
import type { Owner } from '../../../../machinery/children/owners.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import { withType } from '../../../../machinery/children/with-type.ts';

export type Revision = Stored<ControllerRevision>;

export interface RevisionOwner extends Owner<StatefulSet> {
  readonly revisions: Overlay<ControllerRevision>;
  /** How often two templates had one hash. */
  collisions: number | undefined;
}

export interface Revisions {
  /** Oldest first. */
  readonly all: readonly Revision[];
  readonly current: Revision;
  readonly update: Revision;
}

const HASH_LABEL = 'controller.kubernetes.io/hash';
const DEFAULT_LIMIT = 10;
const LONGEST_PREFIX = 223;

const texts = new WeakMap<object, string>();

/** A patch that puts the template back, as Go writes it: revisions are told apart by these bytes. */
function patchText(template: PodTemplateSpec): string {
  let text = texts.get(template);
  if (text === undefined) {
    const patch = { spec: { template: { ...(template as JsonObject), $patch: 'replace' } } };
    texts.set(template, (text = encodeGoJson(patch, { sortKeys: true })));
  }
  return text;
}

function dataText({ data }: ControllerRevision): string {
  if (typeof data !== 'object' || data === null) return '';
  let text = texts.get(data);
  if (text === undefined) texts.set(data, (text = encodeGoJson(data, { sortKeys: true })));
  return text;
}

const restored = new WeakMap<object, PodTemplateSpec>();

/** The template a revision stands for. */
export function templateOf(revision: ControllerRevision, fallback: PodTemplateSpec): PodTemplateSpec {
  const { data } = revision as { readonly data?: { readonly spec?: { readonly template?: JsonObject } } };
  const stored = data?.spec?.template;
  if (stored === undefined) return fallback;
  let template = restored.get(stored);
  if (template === undefined) {
    const { $patch: _, ...rest } = stored;
    restored.set(stored, (template = rest as unknown as PodTemplateSpec));
  }
  return template;
}

export const revisionHash = (template: PodTemplateSpec, collisions: number): string =>
  safeEncode(String(fnv1x32(patchText(template) + String(collisions))));

const byRevision = (a: Revision, b: Revision): number =>
  a.revision - b.revision ||
  compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
  compare(a.metadata.name, b.metadata.name);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function createRevisions(client: Client, children: Children<ControllerRevision>) {
  async function list(owner: RevisionOwner): Promise<Revision[]> {
    const own = await claim({
      client,
      ownerResource: STATEFUL_SETS,
      owner: owner.object,
      resource: CONTROLLER_REVISIONS,
      children,
      overlay: owner.revisions,
      selects: selectsWith(owner.object.spec.selector),
      adopt: owner.adopts,
    });
    return own.sort(byRevision);
  }

  async function create(owner: RevisionOwner, revision: number): Promise<Revision> {
    const set = withType(STATEFUL_SETS, owner.object) as Stored<StatefulSet>;
    const { template } = set.spec;
    const { name, namespace, annotations } = set.metadata;
    for (;;) {
      const collisions = owner.collisions ?? set.status?.collisionCount ?? 0;
      const hash = revisionHash(template, collisions);
      const made: ControllerRevision = {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: {
          name: `${name.slice(0, LONGEST_PREFIX)}-${hash}`,
          ...(namespace === undefined ? {} : { namespace }),
          labels: { ...template.metadata?.labels, [HASH_LABEL]: hash },
          ...(annotations === undefined ? {} : { annotations }),
          ownerReferences: [controllerReference(set)],
        },
        data: parseJson(patchText(template)),
        revision,
      };
      try {
        const created = await client.create(CONTROLLER_REVISIONS, made);
        owner.revisions.wrote(created);
        return created;
      } catch (error) {
        if (!isStatus(error, 'AlreadyExists')) throw error;
        const present = await client.get(CONTROLLER_REVISIONS, keyOf(made));
        if (dataText(present) === patchText(template)) {
          owner.revisions.wrote(present);
          return present;
        }
        owner.collisions = collisions + 1;
      }
    }
  }

  return {
    /** The revision of the present template, made if need be, and the one that pods are rolled out from. */
    async construct(owner: RevisionOwner): Promise<Revisions> {
      const all = await list(owner);
      const { template } = owner.object.spec;
      const same = all.filter((revision) => dataText(revision) === patchText(template)).at(-1);
      const latest = all.at(-1);
      const next = (latest?.revision ?? 0) + 1;
      let update = same;
      if (same === undefined) update = await create(owner, next);
      else if (same !== latest) {
        // Back to a template of old: its revision becomes the newest.
        update = await client.update(CONTROLLER_REVISIONS, { ...same, revision: next });
        owner.revisions.wrote(update);
      }
      if (update === undefined) throw new Error('no revision'); // Unreachable; for the compiler.
      const current = all.find(({ metadata }) => metadata.name === owner.object.status?.currentRevision) ?? update;
      return { all, current, update };
    },

    /** Deletes the oldest revisions beyond the limit that nobody uses. */
    async cleanUp(owner: RevisionOwner, { all, current, update }: Revisions, used: ReadonlySet<string>): Promise<void> {
      const limit = owner.object.spec.revisionHistoryLimit ?? DEFAULT_LIMIT;
      const isLive = ({ metadata: { name } }: Revision): boolean =>
        name === current.metadata.name || name === update.metadata.name || used.has(name);
      const old = all.filter((revision) => !isLive(revision));
      if (limit < 0) return;
      for (const revision of old.slice(0, Math.max(0, old.length - limit))) {
        await unlessGone(client.delete(CONTROLLER_REVISIONS, keyOf(revision)));
        owner.revisions.gone(revision);
      }
    },
  };
}
