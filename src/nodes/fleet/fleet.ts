/**
 * The fleet: simulated nodes. It adopts every Node that carries the annotation, of any creator, and does for its pods
 * what a kubelet would, without containers: admission, start, readiness, restarts, graceful deletion, logs.
 *
 * Everything it decides is read from API objects (settings.ts, pod-lifecycle.ts), so it can be stopped and started at
 * any moment, and it runs against a real cluster as well as the embedded one.
 */
import { NODES, PODS } from '../../core/api/registry/resources.ts';
import type { Node } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { EventRecorder } from '../../machinery/events/event-recorder.ts';
import type { Informers } from '../../machinery/cache/informers.ts';
import { silentLogger, type Logger } from '../../machinery/logging/logger.ts';
import { createTokenBucket } from '../../machinery/controller/workqueue/rate-limiter.ts';
import { beat } from './heartbeat.ts';
import { createNodeKeeper } from './node-keeper.ts';
import type { PodEvent } from './pod-events.ts';
import { PodKeeper } from './pod-keeper.ts';
import { createReferences } from './references.ts';
import { isSimulated } from './settings.ts';

export interface FleetOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Give every node a Lease of its own, for a controller manager that knows no other; or do so while they are few. */
  readonly ownLeases?: boolean | number;
  /** Recorder of the kubelet's events; none are emitted when absent. */
  readonly events?: EventRecorder | undefined;
}

/** Limits on pod events, at once and a second: fifty thousand starts must not become 200,000 events. */
const EVENT_BURST = 500;
const EVENTS_PER_SECOND = 50;

export function createFleet(options: FleetOptions): Actor {
  const { client, informers, clock, events } = options;
  const logger = (options.logger ?? silentLogger).with({ controller: 'fleet' });
  const nodes = informers.for(NODES);
  const pods = informers.for(PODS);
  const budget = createTokenBucket(clock, EVENTS_PER_SECOND, EVENT_BURST);

  function emitEvents(read: () => readonly PodEvent[]): void {
    if (events === undefined || !budget.tryTake()) return;
    for (const { regarding, note } of read()) events.event(regarding, note);
  }

  const nodeKeeper = createNodeKeeper({ client, clock, logger, onUp: (name) => podKeeper.nodeUp(name) });
  const podKeeper = new PodKeeper({
    client,
    clock,
    logger,
    lister: pods.lister,
    nodeOf: nodeKeeper.get,
    onReadyDaemon: nodeKeeper.daemonReady,
    references: (wake) => createReferences({ client, informers, clock, logger, wake }),
    emitEvents,
  });

  function release({ metadata: { name } }: Stored<Node>, isDeleted: boolean): void {
    const node = nodeKeeper.get(name);
    nodeKeeper.release(name);
    podKeeper.nodeGone(name, node, isDeleted);
  }

  return {
    name: 'fleet',
    ready: () => nodes.hasSynced() && pods.hasSynced(),
    async start(signal) {
      const registrations = [
        nodes.addHandler({
          add: (node) => void (isSimulated(node) && nodeKeeper.adopt(node)),
          update(old, node) {
            // The node was deleted and created again under the same name, between two events of the cache.
            if (old.metadata.uid !== node.metadata.uid) release(old, true);
            if (isSimulated(node)) nodeKeeper.adopt(node);
            else if (nodeKeeper.get(node.metadata.name) !== undefined) release(node, false);
          },
          delete: (node) => release(node, true),
        }),
        pods.addHandler({ batch: (changes) => podKeeper.changed(changes), synced: () => podKeeper.synced() }),
      ];
      const most = options.ownLeases === true ? Number.POSITIVE_INFINITY : Number(options.ownLeases ?? 0);
      const ownLeases = (): Iterable<Stored<Node>> => (nodes.lister.size <= most ? nodeKeeper.nodes() : []);
      const isShared = (): boolean => most === 0 || nodes.lister.size > most;
      await beat({ client, clock, logger, ownLeases, isShared }, signal);
      for (const registration of registrations) registration.remove();
      await Promise.all([nodeKeeper.stop(), podKeeper.stop()]);
    },
  };
}
