import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.ts';

/** An event loop whose turns are made by hand; running something takes the time it says. */
function loop(budgetMs: number) {
  let now = 0;
  let queue: (() => void)[] = [];
  const turns = createTurns({ immediate: (run) => void queue.push(run), monotonic: () => now, budgetMs });
  return {
    turns,
    spend: (ms: number) => void (now += ms),
    /** One turn; answers with how long it took. */
    turn(): number {
      const began = now;
      const due = queue;
      queue = [];
      for (const run of due) run();
      return now - began;
    },
    get isQuiet() {
      return queue.length === 0;
    },
  };
}

describe('turns of the loop', () => {
  it('run everything in the order it came, and end', () => {
    const { turns, turn, ...world } = loop(4);
    const ran: number[] = [];
    for (let i = 0; i < 3; i++) turns.next(() => void ran.push(i));
    turn();
    expect(ran).toEqual([0, 1, 2]);
    turn();
    turn();
    expect(world.isQuiet).toBe(true);
  });

  it('begin nothing more when their time is used up, and go on where they left off', () => {
    const { turns, turn, spend } = loop(4);
    const ran: number[] = [];
    for (let i = 0; i < 10; i++) turns.next(() => (spend(3), void ran.push(i)));
    const lengths = Array.from({ length: 6 }, turn);
    expect(lengths.slice(0, 5)).toEqual([6, 6, 6, 6, 6]);
    expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('let nobody starve who waits behind those that always want more', () => {
    const { turns, turn, spend } = loop(4);
    const counts = [0, 0, 0, 0, 0];
    const greedy = (i: number): void => {
      spend(3);
      counts[i] = (counts[i] ?? 0) + 1;
      turns.next(() => greedy(i));
    };
    for (let i = 0; i < counts.length; i++) turns.next(() => greedy(i));
    for (let i = 0; i < 50; i++) expect(turn()).toBeLessThanOrEqual(6);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  it('do not run what was taken back', () => {
    const { turns, turn } = loop(4);
    const ran: string[] = [];
    const cancel = turns.next(() => void ran.push('a'));
    turns.next(() => void ran.push('b'));
    cancel();
    cancel();
    turn();
    expect(ran).toEqual(['b']);
  });
});
