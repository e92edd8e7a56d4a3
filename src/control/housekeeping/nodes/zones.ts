/**
 * Zones and how fast their nodes get NoExecute taints. When only some nodes of a zone fail, the nodes are at fault and are
 * tainted one by one; when most fail, the network is the more likely cause, and nodes are tainted slower or not at all; when
 * all nodes of all zones fail, this process is cut off. Pure, but for the bucket's own count.
 */
import type { Node } from '../../../core/api/types/core-v1.ts';

export type ZoneState = 'initial' | 'normal' | 'partial' | 'full';

export interface ZoneRates {
  /** Nodes a second in a healthy zone. */
  readonly rate: number;
  /** Nodes a second where most are down, in a zone that is large. */
  readonly reducedRate: number;
  /** More nodes than this make a zone large. */
  readonly largeZone: number;
  /** From this share of nodes down, a zone is partially disrupted. */
  readonly unhealthyShare: number;
}

export const DEFAULT_RATES: ZoneRates = { rate: 0.1, reducedRate: 0.01, largeZone: 50, unhealthyShare: 0.55 };

export function zoneOf(node: Node): string {
  const labels = node.metadata.labels ?? {};
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  return zone === '' && region === '' ? '' : `${region}:\0:${zone}`;
}

export const isExcluded = (node: Node): boolean =>
  node.metadata.labels?.['node.kubernetes.io/exclude-disruption'] !== undefined;

export interface ZoneCount {
  ready: number;
  notReady: number;
}

/** A handful of nodes is no trend: fewer than three down are never "most". */
const FEW = 2;

export function zoneState({ ready, notReady }: ZoneCount, { unhealthyShare }: ZoneRates): ZoneState {
  if (ready === 0 && notReady > 0) return 'full';
  return notReady > FEW && notReady / (notReady + ready) >= unhealthyShare ? 'partial' : 'normal';
}

export function rateIn(state: ZoneState, size: number, rates: ZoneRates): number {
  if (state === 'partial') return size > rates.largeZone ? rates.reducedRate : 0;
  return rates.rate;
}

export interface Transition {
  /** The new states; a zone without nodes is forgotten. */
  readonly states: ReadonlyMap<string, ZoneState>;
  /** Zones that get another rate. */
  readonly rates: ReadonlyMap<string, number>;
  /** All nodes are down, and were not before: this process is cut off, and no node is tainted. */
  readonly entersBlackout: boolean;
  /** Some node is ready again: every node gets its full grace once more. */
  readonly leavesBlackout: boolean;
}

export function nextStates(
  before: ReadonlyMap<string, ZoneState>,
  counts: ReadonlyMap<string, ZoneCount>,
  rates: ZoneRates,
): Transition {
  const states = new Map<string, ZoneState>();
  const changes = new Map<string, number>();
  for (const [zone, count] of counts) states.set(zone, zoneState(count, rates));
  const isFull = (state: ZoneState | undefined): boolean => state === 'full';
  const allDown = counts.size > 0 && states.values().every(isFull);
  const allWereDown = counts.size > 0 && states.keys().every((zone) => isFull(before.get(zone)));
  const entersBlackout = allDown && !allWereDown;
  const leavesBlackout = !allDown && allWereDown;
  if (entersBlackout) for (const zone of states.keys()) changes.set(zone, 0);
  else if (!allDown) {
    for (const [zone, state] of states) {
      if (!leavesBlackout && before.get(zone) === state) continue;
      const { ready, notReady } = counts.get(zone) ?? { ready: 0, notReady: 0 };
      changes.set(zone, rateIn(state, ready + notReady, rates));
    }
  }
  return { states, rates: changes, entersBlackout, leavesBlackout };
}

/** A token bucket of size one: one at once, then `rate` a second; none at rate 0. */
export interface Drip {
  /** Takes a token; false when there is none. */
  take(now: number): boolean;
  /** Milliseconds until there is a token; undefined at rate 0. */
  wait(now: number): number | undefined;
  setRate(rate: number, now: number): void;
}

export function createDrip(initialRate: number, start: number): Drip {
  let rate = initialRate;
  let tokens = 1;
  let at = start;
  const refill = (now: number): void => {
    tokens = Math.min(1, tokens + ((now - at) / 1000) * rate);
    at = now;
  };
  /** Sums of tenths come short of one by a hair. */
  const isFull = (): boolean => rate > 0 && tokens >= 1 - 1e-6;
  return {
    take(now) {
      refill(now);
      if (!isFull()) return false;
      tokens = 0;
      return true;
    },
    wait(now) {
      refill(now);
      if (rate <= 0) return undefined;
      return isFull() ? 0 : Math.ceil(((1 - tokens) / rate) * 1000);
    },
    // A zone that was waiting for a token waits its full time at the new rate: a change of rate gives no token.
    setRate(next, now) {
      refill(now);
      tokens = rate > 0 && tokens < 1 - 1e-6 ? 0 : 1;
      rate = next;
    },
  };
}
