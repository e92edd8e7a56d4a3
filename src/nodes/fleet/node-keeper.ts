/** Keeps the simulated nodes themselves: up after their delay, Ready when nothing holds them back. */
import { NODES } from '../../core/api/registry/resources.ts';
import type { Node } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatTime, parseTime } from '../../core/kube/time.ts';
import { createNodeState, replaceNode, type NodeState } from '../../core/placement/node-state.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import { createSlicedWork } from '../../machinery/time/sliced-work.ts';
import { hostAddress, isReady, nextNodeStatus } from './node-status.ts';
import { nodeSettings, type NodeSettings } from './settings.ts';

export interface SimulatedNode {
  readonly state: NodeState;
  settings: NodeSettings;
  /** Addresses in the status of every pod on this node; one shared list. */
  hostIPs: readonly [{ readonly ip: string }];
  /** Creation time of the node, as exactly as is known (epoch ms). */
  readonly bornAt: number;
  /** The kubelet runs; before that no pod is synced. */
  up: boolean;
  /** The daemon that the node waits for was seen Ready here. */
  daemonSeen: boolean;
}

export interface NodeKeeper {
  get(name: string): SimulatedNode | undefined;
  nodes(): Iterable<Stored<Node>>;
  adopt(node: Stored<Node>): void;
  release(name: string): void;
  /** A pod of this DaemonSet (`namespace/name`) became Ready on the node. */
  daemonReady(nodeName: string, daemon: string): void;
  /** Waits for writes under way. */
  stop(): Promise<void>;
}

export interface NodeKeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onUp: (name: string) => void;
}

export function createNodeKeeper({ client, clock, logger, onUp }: NodeKeeperOptions): NodeKeeper {
  const nodes = new Map<string, SimulatedNode>();

  const work = createSlicedWork({
    clock,
    sync,
    onError(name, error) {
      if (isStatus(error, 'NotFound')) return false;
      if (!isStatus(error, 'Conflict')) logger.warn('Could not write a node status', { name, error });
      return true;
    },
  });

  function sync(name: string): Promise<unknown> | undefined {
    const simulated = nodes.get(name);
    if (simulated === undefined) return undefined;
    const { node } = simulated.state;
    const { startupDelayMs, readyWhenDaemon } = simulated.settings;
    const wait = startupDelayMs === 0 ? 0 : simulated.bornAt + startupDelayMs - clock.now();
    if (wait > 0 && !simulated.up) {
      work.addAfter(name, wait);
      return undefined;
    }
    const isReadyNow = isReady(node);
    // A Ready node stays Ready: after a restart of the fleet the daemon is not known yet, and the node must not blink
    // for that.
    const ready = readyWhenDaemon === undefined || simulated.daemonSeen || isReadyNow;
    const status = nextNodeStatus(node, ready, formatTime(clock.now()));
    if (!simulated.up && status === node.status) up(simulated);
    if (status === node.status) return undefined;
    return client.update(NODES, { ...node, status }, { subresource: 'status' });
  }

  /** Called only once the API shows the node's allocatable: a pod must not be rejected for want of numbers. */
  function up(simulated: SimulatedNode): void {
    simulated.up = true;
    onUp(simulated.state.name);
  }

  /** A creation time says the second; a node seen within that second was made just now. */
  function bornAt(node: Stored<Node>): number {
    const now = clock.now();
    const second = parseTime(node.metadata.creationTimestamp ?? '') ?? now;
    return now >= second && now < second + 1000 ? now : second;
  }

  return {
    get: (name) => nodes.get(name),
    *nodes() {
      for (const { state } of nodes.values()) yield state.node as Stored<Node>;
    },
    adopt(node) {
      const { name } = node.metadata;
      const simulated = nodes.get(name);
      if (simulated === undefined) {
        nodes.set(name, {
          state: createNodeState(node),
          settings: nodeSettings(node),
          hostIPs: [{ ip: hostAddress(node) }],
          bornAt: bornAt(node),
          up: false,
          daemonSeen: false,
        });
      } else {
        if (simulated.state.node.metadata.annotations !== node.metadata.annotations)
          simulated.settings = nodeSettings(node);
        replaceNode(simulated.state, node);
        const ip = hostAddress(node);
        if (simulated.hostIPs[0].ip !== ip) simulated.hostIPs = [{ ip }];
      }
      work.add(name);
    },
    release(name) {
      work.forget(name);
      nodes.delete(name);
    },
    daemonReady(nodeName, daemon) {
      const simulated = nodes.get(nodeName);
      if (simulated === undefined || simulated.daemonSeen || simulated.settings.readyWhenDaemon !== daemon) return;
      simulated.daemonSeen = true;
      work.add(nodeName);
    },
    stop: () => work.stop(),
  };
}
