/**
 * The log engine on a disk whose power goes: 300 cuts from a fixed seed, 5,000 before a change lands, and as many from a
 * random seed for a night. EVERYNODE_POWER_CUTS says another number, EVERYNODE_SEED another seed; see docs/testing.md.
 */
import { describe, expect, it } from 'vitest';
import { realRandom } from '../../../src/machinery/random/real-random.ts';
import { isThorough } from '../../support/thorough.ts';
import type { DiskOperation } from './disk.ts';
import { liveThrough } from './lineage.ts';
import { SABOTAGES } from './sabotage.ts';

const CUTS = Number(process.env['EVERYNODE_POWER_CUTS'] ?? (isThorough ? 5_000 : 300));
const CUTS_EACH = 10;
const FIXED_SEED = '20261';
const wanted = process.env['EVERYNODE_SEED'] ?? FIXED_SEED;
const SEED = wanted === 'random' ? String(realRandom.integer(2 ** 31)) : wanted;
/** About a hundred times what it takes on a quiet machine. */
const PATIENCE_MS = 60_000 + CUTS * 1_000;

/** Where the end has to have come at least once, for the trial to be worth its name. */
const PLACES: readonly DiskOperation[] = [
  ...(['open', 'create', 'write', 'read', 'truncate', 'sync'] as const),
  ...(['rename', 'remove', 'syncDirectory'] as const),
];

describe('power cuts', () => {
  it(
    `lose no acknowledged write, bring back no refused one, and never turn the revision back, in ${CUTS} of them`,
    async () => {
      const sums = { cuts: 0, kills: 0, failures: 0, merges: 0, acknowledged: 0, refused: 0, doubtful: 0 };
      const places = new Set<DiskOperation>();
      for (let lineage = 0; sums.cuts < CUTS; lineage += 1) {
        const { problems, counts, ledger } = await liveThrough(
          `${SEED}/${lineage}`,
          Math.min(CUTS_EACH, CUTS - sums.cuts),
        );
        expect(problems).toEqual([]);
        sums.cuts += counts.power;
        sums.kills += counts.kill;
        sums.failures += counts.failures;
        sums.merges += counts.done.get('rename') ?? 0;
        sums.acknowledged += ledger.acknowledged;
        sums.refused += ledger.refused;
        sums.doubtful += ledger.doubtful;
        for (const place of counts.endedIn.keys()) places.add(place);
      }
      if (CUTS >= 300) expect([...places].toSorted()).toEqual(PLACES.toSorted());
      expect(Math.min(...Object.values(sums))).toBeGreaterThan(0);
      process.stderr.write(
        `seed ${SEED}: ${sums.cuts} power cuts and ${sums.kills} kills, ${sums.failures} failed operations, ${sums.merges} merges; ` +
          `${sums.acknowledged} writes acknowledged, ${sums.refused} refused, ${sums.doubtful} in doubt\n`,
      );
    },
    PATIENCE_MS,
  );

  it.each(SABOTAGES)(
    'would show %s',
    async (_, sabotage) => {
      const problems: string[] = [];
      for (let lineage = 0; lineage < 60 && problems.length === 0; lineage += 1) {
        problems.push(...(await liveThrough(`sabotage/${lineage}`, CUTS_EACH, sabotage)).problems);
      }
      expect(problems).not.toEqual([]);
    },
    60_000,
  );
});
