/** Keeps the simulated nodes themselves: up after their delay, Ready when nothing holds them back. */
import { NODES } from '../../core/api/registry/resources.ts';
import type { Node } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { parseTime } from '../../core/kube/time.ts';
import { createNodeState, replaceNode, type NodeState } from '../../core/placement/node-state.ts';
import type { Client } from '../../machinery/client.ts';
import type { Clock, Timer } from '../../machinery/clock.ts';
import type { Logger } from '../../machinery/logger.ts';
import { hostAddress, isReady, nodeStatus } from './node-status.ts';
import { nodeSettings, type NodeSettings } from './settings.ts';

export interface SimulatedNode {
  readonly state: NodeState;
  settings: NodeSettings;
  /** Shared by the status of every pod here. */
  hostIPs: readonly [{ readonly ip: string }];
  /** The kubelet runs; before that no pod is looked at. */
  up: boolean;
  /** Pending look at the node, after its startup delay or a failed write. */
  timer: Timer | undefined;
  /** The daemon it waits for was seen Ready here. */
  daemonSeen: boolean;
  /** A status write is under way; the change it makes will bring the node back here. */
  writing: boolean;
}

export interface NodeKeeper {
  get(name: string): SimulatedNode | undefined;
  names(): Iterable<string>;
  adopt(node: Stored<Node>): void;
  release(name: string): void;
  /** A pod of this DaemonSet (`namespace/name`) became Ready on the node. */
  daemonReady(nodeName: string, daemon: string): void;
  stop(): void;
}

export interface NodeKeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly now: () => string;
  readonly onUp: (name: string) => void;
}

const RETRY_MS = 1000;

export function createNodeKeeper({ client, clock, logger, now, onUp }: NodeKeeperOptions): NodeKeeper {
  const nodes = new Map<string, SimulatedNode>();
  let stopped = false;

  function look(name: string): void {
    const simulated = nodes.get(name);
    if (simulated === undefined || stopped) return;
    const { node } = simulated.state;
    const upAt = (parseTime(node.metadata.creationTimestamp ?? '') ?? 0) + simulated.settings.startupDelayMs;
    const wait = simulated.settings.startupDelayMs === 0 ? 0 : upAt - clock.now();
    if (wait > 0) return lookAgain(simulated, name, wait);
    if (!simulated.up) {
      simulated.up = true;
      onUp(name);
    }
    const ready = simulated.settings.readyWhenDaemon === undefined || simulated.daemonSeen;
    const isComplete = node.status?.allocatable !== undefined && node.status.addresses !== undefined;
    if (simulated.writing || (isReady(node) === ready && isComplete)) return;
    void write(simulated, name, ready);
  }

  function lookAgain(simulated: SimulatedNode, name: string, delayMs: number): void {
    simulated.timer?.cancel();
    simulated.timer = clock.after(delayMs, () => {
      simulated.timer = undefined;
      look(name);
    });
  }

  async function write(simulated: SimulatedNode, name: string, ready: boolean): Promise<void> {
    const { node } = simulated.state;
    simulated.writing = true;
    try {
      await client.update(NODES, { ...node, status: nodeStatus(node, ready, now()) }, { subresource: 'status' });
      simulated.writing = false;
    } catch (error) {
      simulated.writing = false;
      if (isStatus(error, 'NotFound') || stopped) return;
      if (!isStatus(error, 'Conflict')) logger.warn('Could not write a node status', { name, error });
      lookAgain(simulated, name, isStatus(error, 'Conflict') ? 10 : RETRY_MS);
    }
  }

  return {
    get: (name) => nodes.get(name),
    names: () => nodes.keys(),
    adopt(node) {
      const { name } = node.metadata;
      const simulated = nodes.get(name);
      if (simulated === undefined) {
        nodes.set(name, {
          state: createNodeState(node),
          settings: nodeSettings(node),
          hostIPs: [{ ip: hostAddress(node) }],
          up: false,
          timer: undefined,
          daemonSeen: false,
          writing: false,
        });
      } else {
        replaceNode(simulated.state, node);
        simulated.settings = nodeSettings(node);
        const ip = hostAddress(node);
        if (simulated.hostIPs[0].ip !== ip) simulated.hostIPs = [{ ip }];
      }
      look(name);
    },
    release(name) {
      nodes.get(name)?.timer?.cancel();
      nodes.delete(name);
    },
    daemonReady(nodeName, daemon) {
      const simulated = nodes.get(nodeName);
      if (simulated === undefined || simulated.daemonSeen || simulated.settings.readyWhenDaemon !== daemon) return;
      simulated.daemonSeen = true;
      look(nodeName);
    },
    stop() {
      stopped = true;
      for (const simulated of nodes.values()) simulated.timer?.cancel();
    },
  };
}
