import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../time/virtual-clock.ts';
import { enqueueSoon, newTurn, requeueAfter, takeTurn } from './turn.ts';

function setUp() {
  const clock = createVirtualClock();
  const turn = newTurn();
  const asked: (number | 'now')[] = [];
  const queue = { add: () => asked.push('now'), addAfter: (_key: string, ms: number) => asked.push(ms) };
  const change = (): void => enqueueSoon(turn, 'key', queue, clock);
  return { clock, turn, asked, queue, change };
}

describe('the turns of an owner', () => {
  it('a child that changes at rest enqueues it at once', () => {
    const { asked, change } = setUp();
    change();
    expect(asked).toEqual(['now']);
  });

  it('an owner that is not known yet is enqueued at once', () => {
    const { clock, asked, queue } = setUp();
    enqueueSoon(undefined, 'key', queue, clock);
    expect(asked).toEqual(['now']);
  });

  it('children that change during a reconcile lead to one more, after the pause', async () => {
    const { clock, turn, asked, change } = setUp();
    const result = await takeTurn(
      turn,
      clock,
      () => 20,
      () => {
        change();
        change();
        return Promise.resolve({ requeueAfterMs: 500 });
      },
    );
    expect(asked).toEqual([]);
    expect(result).toEqual({ requeueAfterMs: 20 });
  });

  it('a reconcile that asks to be repeated sooner than the pause has its wish', async () => {
    const { clock, turn, change } = setUp();
    const reconcile = (): Promise<{ readonly requeueAfterMs: number }> => {
      change();
      return Promise.resolve({ requeueAfterMs: 5 });
    };
    await expect(takeTurn(turn, clock, () => 20, reconcile)).resolves.toEqual({ requeueAfterMs: 5 });
  });

  it.each(['success', 'failure'])('children that change soon after a %s wait for the end of the pause', async (end) => {
    const { clock, turn, asked, change } = setUp();
    const reconcile = () => (end === 'success' ? Promise.resolve({}) : Promise.reject(new Error('no')));
    await takeTurn(turn, clock, () => 20, reconcile).catch(() => undefined);
    expect(turn.isBusy).toBe(false);
    change();
    await clock.advance(15);
    change();
    await clock.advance(5);
    change();
    expect(asked).toEqual([20, 5, 'now']);
  });

  it('a change before a reconcile is not held against it', async () => {
    const { clock, turn } = setUp();
    turn.again = true;
    await expect(
      takeTurn(
        turn,
        clock,
        () => 20,
        () => Promise.resolve({}),
      ),
    ).resolves.toEqual({});
  });
});

describe('several wishes to be reconciled again', () => {
  it('come to the earliest of them', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(), { nil: undefined })), (waits) => {
        const defined = waits.filter((each) => each !== undefined);
        expect(requeueAfter(...waits)).toEqual(defined.length === 0 ? {} : { requeueAfterMs: Math.min(...defined) });
      }),
    );
  });
});
