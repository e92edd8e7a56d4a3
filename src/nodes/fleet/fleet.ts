/**
 * The fleet: simulated nodes. It adopts every Node that carries the annotation, whoever made it, and does for its
 * pods what a kubelet would, without containers: admission, start, readiness, restarts, graceful deletion, logs.
 *
 * Everything it decides is read from API objects (settings.ts, pod-lifecycle.ts), so it can be stopped and started at
 * any moment, and it runs against a real cluster as well as the embedded one.
 */
import { NODES, PODS } from '../../core/api/registry/resources.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { formatTime } from '../../core/kube/time.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { Client } from '../../machinery/client.ts';
import type { Clock } from '../../machinery/clock.ts';
import type { Informers } from '../../machinery/informers.ts';
import { silentLogger, type Logger } from '../../machinery/logger.ts';
import { beat } from './heartbeat.ts';
import { createNodeKeeper } from './node-keeper.ts';
import { createPodKeeper } from './pod-keeper.ts';
import { isSimulated } from './settings.ts';

export interface FleetOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Give every node a Lease of its own, for a controller manager that knows no other. */
  readonly ownLeases?: boolean;
}

export function createFleet(options: FleetOptions): Actor {
  const { client, informers, clock } = options;
  const logger = options.logger ?? silentLogger;
  const nodes = informers.for(NODES);
  const pods = informers.for(PODS);
  const now = (): string => formatTime(clock.now());

  const nodeKeeper = createNodeKeeper({ client, clock, logger, now, onUp: (name) => podKeeper.nodeUp(name) });
  const podKeeper = createPodKeeper({
    client,
    clock,
    logger,
    now,
    lister: pods.lister,
    nodeOf: nodeKeeper.get,
    onReadyDaemon: nodeKeeper.daemonReady,
  });

  return {
    name: 'fleet',
    ready: () => nodes.hasSynced() && pods.hasSynced(),
    async start(signal) {
      const adopt = (node: Stored<Node>): void => (isSimulated(node) ? nodeKeeper.adopt(node) : release(node));
      const release = (node: Stored<Node>): void => {
        const { name } = node.metadata;
        podKeeper.nodeGone(name, nodeKeeper.get(name));
        nodeKeeper.release(name);
      };
      const registrations = [
        nodes.addHandler({ add: adopt, update: (_old, node) => adopt(node), delete: release }),
        pods.addHandler({
          batch(changes) {
            for (const change of changes) {
              if (change.type === 'delete') podKeeper.forget(change.object as Stored<Pod>);
              else podKeeper.look(change.object as Stored<Pod>);
            }
          },
        }),
      ];
      await beat(
        { client, clock, logger, ownLeases: () => (options.ownLeases === true ? nodeKeeper.names() : []) },
        signal,
      );
      for (const registration of registrations) registration.remove();
      nodeKeeper.stop();
      await podKeeper.stop();
    },
  };
}
