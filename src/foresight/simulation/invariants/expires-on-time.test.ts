import { describe, expect, it } from 'vitest';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { type ClockJump, createClusterView } from '../cluster-view.ts';
import type { Commit } from '../commit.ts';
import { expiresOnTime } from './expires-on-time.ts';

const START = Date.UTC(2026, 0, 1);
const RESERVED_FOR_MS = 90_000;

/** A Ticket that is Reserved until 90 s after the start, and a controller that leaves it so. Times in ms since the start. */
function forgotten(jump?: ClockJump) {
  let now = 0;
  /** Jumps of the clock so far. */
  const jumps: ClockJump[] = [];
  const wall = (): number => START + now + jumps.reduce((sum, { byMs }) => sum + byMs, 0);
  const view = createClusterView({ now: () => now, wall, jumps, knewAt: () => 0, reactionMs: 0, patienceMs: 500 });
  const invariant = expiresOnTime();
  const ticket = (phase: string): Stored => ({
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Ticket',
    metadata: {
      name: 'room',
      namespace: 'default',
      uid: 'room',
      resourceVersion: '1',
      creationTimestamp: formatTime(START),
    },
    ...{ spec: {}, status: { phase, expirationTime: formatTime(START + RESERVED_FOR_MS) } },
  });

  function commit(resource: string, type: Commit['type'], object: Stored): string | undefined {
    const group = resource === 'tickets' ? 'core.korder.dev' : '';
    const key = { tenant: 'system', group, resource, namespace: 'default', name: object.metadata.name };
    const previous = type === 'ADDED' ? undefined : ticket('Pending');
    const change: Commit = { revision: 1, at: now, by: 'user', type, key, object, previous };
    view.apply(change);
    return invariant.committed?.(change, view);
  }

  commit('tickets', 'ADDED', ticket('Pending'));
  commit('tickets', 'MODIFIED', ticket('Reserved'));
  const other: Stored = { ...ticket(''), kind: 'Event', metadata: { ...ticket('').metadata, name: 'other' } };
  return {
    /** When the invariant complains, with something committed every second until then; undefined: not until the end. */
    complainsAt(until: number): number | undefined {
      for (now = 1_000; now <= until; now += 1_000) {
        if (jump !== undefined && jumps.length === 0 && jump.at <= now) jumps.push(jump);
        if (commit('events', 'ADDED', other) !== undefined) return now;
      }
      return undefined;
    },
  };
}

describe('a Ticket that nobody ends', () => {
  it('is late as soon as its time is over', () => {
    expect(forgotten().complainsAt(200_000)).toBe(91_000);
  });

  it('is late when a jump of the clock over its end should have been noticed', () => {
    expect(forgotten({ at: 30_400, byMs: 70_000 }).complainsAt(200_000)).toBe(43_000);
  });

  it('is late no sooner where the clock jumped just before its end: timers that were set before still run', () => {
    // The time is over at 50,000, the jump is noticed at 57,400 at the latest.
    expect(forgotten({ at: 45_400, byMs: 40_000 }).complainsAt(200_000)).toBe(58_000);
  });

  it('is not excused by a jump that was noticed long before its end, nor by one that came after it', () => {
    expect(forgotten({ at: 20_500, byMs: 40_000 }).complainsAt(200_000)).toBe(51_000);
    expect(forgotten({ at: 90_500, byMs: 40_000 }).complainsAt(200_000)).toBe(91_000);
  });
});
