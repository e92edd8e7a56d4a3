/** Nodes that wait for their NoExecute taint, zone by zone, each zone at its own pace. */
import type { Clock, Timer } from '../../../machinery/time/clock.ts';
import { createDrip, type Drip } from './zones.ts';

export interface TaintQueue {
  /** Does nothing when the node waits in this zone already. */
  add(zone: string, node: string): void;
  remove(node: string): void;
  has(node: string): boolean;
  setRate(zone: string, rate: number): void;
  stop(): void;
}

export interface TaintQueueOptions {
  readonly clock: Clock;
  readonly rate: number;
  /** Taints a node when its turn has come. False when the taint could not be written: the node is queued again. */
  readonly taint: (node: string) => Promise<boolean>;
}

interface ZoneQueue {
  /** The pace of the zone. */
  readonly drip: Drip;
  /** Nodes in the order in which they came; each is in one zone only, and then in `zoneOfNode`. */
  readonly waiting: Set<string>;
  /** Fires at the next turn; undefined while no node waits or the rate is 0. */
  timer: Timer | undefined;
}

/** A node whose taint could not be written is queued again after this time; its turn is spent. */
const AGAIN_MS = 50;

export function createTaintQueue({ clock, rate, taint }: TaintQueueOptions): TaintQueue {
  const zones = new Map<string, ZoneQueue>();
  const zoneOfNode = new Map<string, string>();
  let stopped = false;

  const zoneNamed = (name: string): ZoneQueue => {
    let zone = zones.get(name);
    if (zone === undefined) {
      zone = { drip: createDrip(rate, clock.monotonic()), waiting: new Set(), timer: undefined };
      zones.set(name, zone);
    }
    return zone;
  };

  function arm(name: string, zone: ZoneQueue): void {
    if (stopped || zone.timer !== undefined || zone.waiting.size === 0) return;
    const wait = zone.drip.wait(clock.monotonic());
    if (wait === undefined) return;
    zone.timer = clock.after(wait, () => {
      zone.timer = undefined;
      const [next] = zone.waiting;
      if (next !== undefined && zone.drip.take(clock.monotonic())) {
        forget(next);
        void taint(next).then((done) => {
          if (!done && !stopped) clock.after(AGAIN_MS, () => add(name, next));
          return done;
        });
      }
      arm(name, zone);
    });
  }

  function add(name: string, node: string): void {
    const before = zoneOfNode.get(node);
    if (before === name) return;
    if (before !== undefined) forget(node);
    zoneOfNode.set(node, name);
    const zone = zoneNamed(name);
    zone.waiting.add(node);
    arm(name, zone);
  }

  function forget(node: string): void {
    const name = zoneOfNode.get(node);
    if (name === undefined) return;
    zoneOfNode.delete(node);
    zones.get(name)?.waiting.delete(node);
  }

  return {
    add,
    remove: forget,
    has: (node) => zoneOfNode.has(node),
    setRate(name, next) {
      const zone = zoneNamed(name);
      zone.drip.setRate(next, clock.monotonic());
      zone.timer?.cancel();
      zone.timer = undefined;
      arm(name, zone);
    },
    stop() {
      stopped = true;
      for (const zone of zones.values()) zone.timer?.cancel();
    },
  };
}
