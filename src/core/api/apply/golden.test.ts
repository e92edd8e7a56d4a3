import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type History, replay } from './golden/replay.ts';

const histories = readFileSync(new URL('./golden/histories.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as History);

describe('histories of writes that upstream went through', () => {
  it.each(histories.map((history, index) => [index, history.kind, history] as const))(
    '%i, of a %s: the same objects, owners, conflicts and errors',
    (_, __, history) => {
      expect(replay(history)).toEqual([]);
    },
  );

  it('cover conflicts, force, updates and refusals', () => {
    const steps = histories.flatMap((history) => history.steps);
    expect(steps.some(({ causes }) => causes !== undefined)).toBe(true);
    expect(steps.some(({ error }) => error?.includes('duplicate entries') === true)).toBe(true);
    expect(steps.some(({ force, live }) => force === true && live !== undefined)).toBe(true);
    expect(steps.filter(({ op }) => op === 'update').length).toBeGreaterThan(20);
  });
});
