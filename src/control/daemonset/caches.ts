/** The caches that the controller and the rollout driver read, and how the registry hears of nodes and pods. */
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../../core/api/registry/resources.ts';
import type { ControllerRevision, DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import type { HandlerRegistration, Informer } from '../../machinery/cache/informer.ts';
import { nodeSourceFrom, type NodeSource } from '../../machinery/ports/node-source.ts';
import type { DaemonRegistry } from './daemon-registry.ts';

export interface DaemonCaches {
  readonly sets: Informer<DaemonSet>;
  readonly pods: Informer<Pod>;
  readonly revisions: Informer<ControllerRevision>;
  readonly nodes: NodeSource;
}

export interface CacheOptions extends Pick<Surroundings, 'client' | 'informers'> {
  /** The source of nodes; by default the API server itself. */
  readonly nodes?: NodeSource;
}

export const openCaches = ({ client, informers, nodes }: CacheOptions): DaemonCaches => ({
  sets: informers.for(DAEMON_SETS),
  pods: informers.for(PODS),
  revisions: informers.for(CONTROLLER_REVISIONS),
  nodes: nodes ?? nodeSourceFrom(informers.for(NODES), client),
});

/** Tells the registry of nodes and pods. */
export const feedRegistry = (
  registry: DaemonRegistry,
  { nodes, pods }: DaemonCaches,
): readonly HandlerRegistration[] => [
  nodes.addHandler({
    add: (node) => registry.seeNode(node),
    update: (_old, node) => registry.seeNode(node),
    delete: (node) => registry.nodeGone(node),
  }),
  pods.addHandler({ batch: (changes) => registry.seePods(changes) }),
];

/** Resolves when every node is known and every handler has been handed the objects that there were. */
export async function heardAll(
  { nodes }: DaemonCaches,
  registrations: readonly HandlerRegistration[],
  signal: AbortSignal,
): Promise<void> {
  await nodes.synced(signal);
  await Promise.all(registrations.map((registration) => registration.synced(signal)));
}
