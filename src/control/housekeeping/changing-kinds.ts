/**
 * Follows the objects of kinds that come and go while the cluster runs. Each has an informer of its own, which ends
 * with the kind. Deleted objects are remembered by UID: their kind may be gone too before the owner lookup asks for
 * them.
 */
import type { KubeObject, Resource } from '../../core/kube/objects.ts';
import { aborted } from '../../machinery/time/abort.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { Client } from '../../machinery/client/client.ts';
import { createInformer, type InformerOptions } from '../../machinery/cache/informer.ts';
import type { Change } from '../../machinery/cache/object-store.ts';

export interface ChangingKinds {
  /** The kinds there are now. */
  current(): readonly Resource[];
  /** Returns the way to stop listening. */
  onChange(listener: () => void): () => void;
}

export interface KindFollower extends Actor {
  find(group: string, kind: string): Resource | undefined;
  wasDeleted(uid: string): boolean;
  /** A kind that was followed once. */
  findGone(group: string, kind: string): Resource | undefined;
}

/** Deleted objects remembered; the oldest are forgotten first. */
const REMEMBERED = 10_000;

export function createKindFollower(
  client: Client,
  kinds: ChangingKinds,
  note: (resource: Resource, change: Change<KubeObject>) => void,
  onGone: (resource: Resource) => void,
  options: InformerOptions,
): KindFollower {
  const followed = new Map<string, { readonly resource: Resource; stop(): void }>();
  const deleted = new Set<string>();
  const gone = new Map<string, Resource>();
  const runs = new Set<Promise<void>>();

  function follow(resource: Resource, signal: AbortSignal): { readonly resource: Resource; stop(): void } {
    const ending = new AbortController();
    const informer = createInformer(client, resource, {}, options);
    const registration = informer.addHandler({
      batch(changes) {
        for (const change of changes) {
          if (change.type === 'delete') remember(change.object.metadata.uid);
          note(resource, change);
        }
      },
    });
    const run = informer.run(AbortSignal.any([signal, ending.signal])).catch(() => undefined);
    runs.add(run);
    void run.then(() => runs.delete(run));
    return {
      resource,
      stop() {
        ending.abort();
        registration.remove();
        // The existence of these objects is unknown from now on; their dependents are looked at again, and kept.
        for (const object of informer.lister.list()) note(resource, { type: 'delete', object, old: object });
      },
    };
  }

  function remember(uid: string): void {
    deleted.add(uid);
    if (deleted.size > REMEMBERED) deleted.delete(deleted.values().next().value ?? '');
  }

  function catchUp(signal: AbortSignal): void {
    if (signal.aborted) return;
    const wanted = new Map(kinds.current().map((resource) => [keyOf(resource), resource]));
    for (const [key, { resource, stop }] of followed) {
      if (wanted.has(key)) continue;
      followed.delete(key);
      gone.set(kindKey(resource.group, resource.kind), resource);
      stop();
      onGone(resource);
    }
    for (const [key, resource] of wanted) if (!followed.has(key)) followed.set(key, follow(resource, signal));
  }

  return {
    name: 'changing-kinds',
    find: (group, kind) =>
      followed.values().find(({ resource }) => resource.group === group && resource.kind === kind)?.resource,
    wasDeleted: (uid) => deleted.has(uid),
    findGone: (group, kind) => gone.get(kindKey(group, kind)),
    async start(signal) {
      const unlisten = kinds.onChange(() => catchUp(signal));
      catchUp(signal);
      await aborted(signal);
      unlisten();
      await Promise.all(runs);
    },
  };
}

const kindKey = (group: string, kind: string): string => `${group}/${kind}`;

const keyOf = ({ group, kind, resource, version }: Resource): string => `${group}/${version}/${resource}/${kind}`;
