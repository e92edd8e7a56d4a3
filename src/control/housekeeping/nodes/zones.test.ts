import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../../core/api/types/core-v1.ts';
import {
  createDrip,
  DEFAULT_RATES,
  nextStates,
  rateIn,
  zoneOf,
  zoneState,
  type ZoneCount,
  type ZoneState,
} from './zones.ts';

const node = (labels: { [key: string]: string }): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels },
  spec: {},
});

describe('a zone', () => {
  it('is what its labels say, old ones too', () => {
    expect(zoneOf(node({}))).toBe('');
    expect(zoneOf(node({ 'topology.kubernetes.io/zone': 'a' }))).toBe(':\0:a');
    expect(zoneOf(node({ 'topology.kubernetes.io/zone': 'a', 'topology.kubernetes.io/region': 'r' }))).toBe('r:\0:a');
    expect(zoneOf(node({ 'failure-domain.beta.kubernetes.io/zone': 'a' }))).toBe(':\0:a');
  });

  it.each([
    [{ ready: 1, notReady: 0 }, 'normal'],
    [{ ready: 0, notReady: 1 }, 'full'],
    [{ ready: 1, notReady: 2 }, 'normal'],
    [{ ready: 1, notReady: 3 }, 'partial'],
    [{ ready: 9, notReady: 11 }, 'partial'],
    [{ ready: 46, notReady: 54 }, 'normal'],
    [{ ready: 45, notReady: 55 }, 'partial'],
  ] as const)('with %j is %s', (count, state) => {
    expect(zoneState(count, DEFAULT_RATES)).toBe(state);
  });

  it('gives up its nodes at the pace its state allows', () => {
    expect(rateIn('normal', 10, DEFAULT_RATES)).toBe(0.1);
    expect(rateIn('partial', 50, DEFAULT_RATES)).toBe(0);
    expect(rateIn('partial', 51, DEFAULT_RATES)).toBe(0.01);
    expect(rateIn('full', 10, DEFAULT_RATES)).toBe(0.1);
  });
});

const count = fc.record({ ready: fc.integer({ min: 0, max: 60 }), notReady: fc.integer({ min: 0, max: 60 }) });
const counts = fc.dictionary(fc.constantFrom('a', 'b', 'c'), count).map((all) => {
  const present = Object.entries(all).filter(([, { ready, notReady }]) => ready + notReady > 0);
  return new Map<string, ZoneCount>(present);
});

describe('states of zones over time', () => {
  it('stop everything exactly when no node at all is ready, and begin anew when one is', () => {
    fc.assert(
      fc.property(fc.array(counts, { maxLength: 12 }), (looks) => {
        let states: ReadonlyMap<string, ZoneState> = new Map();
        const rates = new Map<string, number>();
        let isDark = false;
        for (const look of looks) {
          const next = nextStates(states, look, DEFAULT_RATES);
          for (const [zone, rate] of next.rates) rates.set(zone, rate);
          const isNowDark = look.size > 0 && [...look.values()].every(({ ready }) => ready === 0);
          if (isNowDark) for (const zone of look.keys()) expect(rates.get(zone)).toBe(0);
          else {
            for (const [zone, each] of look) {
              const expected = rateIn(zoneState(each, DEFAULT_RATES), each.ready + each.notReady, DEFAULT_RATES);
              // A zone keeps the pace it was given when its state last changed, whatever its size is now.
              const isKept = states.get(zone) === zoneState(each, DEFAULT_RATES) && !next.leavesBlackout;
              if (!isKept) expect(rates.get(zone)).toBe(expected);
            }
          }
          if (next.entersBlackout) expect(isNowDark).toBe(true);
          if (next.leavesBlackout) expect(isDark && !isNowDark).toBe(true);
          states = next.states;
          isDark = isNowDark;
        }
      }),
    );
  });
});

describe('a drip', () => {
  it('never gives more than one and its rate', () => {
    const steps = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.constantFrom<'take' | number>('take', 0, 0.1, 0.01, 1)),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const drip = createDrip(0.1, 0);
        let now = 0;
        let allowance = 1;
        let rate = 0.1;
        for (const [wait, what] of all) {
          now += wait;
          allowance = Math.min(1 + 1e-6, allowance + (wait / 1000) * rate) + 1e-9;
          if (typeof what === 'string') {
            const given = drip.take(now);
            if (rate === 0) expect(given).toBe(false);
            if (given) {
              expect(allowance).toBeGreaterThanOrEqual(1 - 1e-5);
              allowance = 0;
            }
          } else {
            drip.setRate(what, now);
            rate = what;
            // One at once is the most that a change may bring.
            allowance = 1;
          }
        }
      }),
    );
  });

  it('says when the next one comes, and keeps its word', () => {
    const drip = createDrip(0.1, 0);
    expect([drip.wait(0), drip.take(0), drip.wait(0)]).toEqual([0, true, 10_000]);
    expect(drip.take(9_999)).toBe(false);
    expect(drip.take(10_000)).toBe(true);
    drip.setRate(0, 10_000);
    expect([drip.wait(1e9), drip.take(1e9)]).toEqual([undefined, false]);
  });
});
