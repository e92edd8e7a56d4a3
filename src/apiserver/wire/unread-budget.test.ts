import { describe, expect, it } from 'vitest';
import type { ByteStream } from './byte-stream.ts';
import { createUnreadBudget } from './unread-budget.ts';

const MIB = 1024 * 1024;

function watchers(total: number, perConnection = total) {
  const budget = createUnreadBudget({ total, perConnection });
  const cut: string[] = [];
  return {
    cut,
    add(name: string, connection: object = {}) {
      const stream = { buffered: 0, connection };
      const asStream = stream as ByteStream;
      return {
        behind(bytes: number) {
          stream.buffered = bytes;
          budget.wrote(asStream, () => void cut.push(name));
        },
        catchUp: () => void (stream.buffered = 0),
        leave: () => budget.ended(asStream),
      };
    },
  };
}

describe('what watchers leave unread', () => {
  it('may reach the limit', () => {
    const { add, cut } = watchers(4 * MIB);
    for (let i = 0; i < 4; i += 1) add(`w${i}`).behind(MIB);
    expect(cut).toEqual([]);
  });

  it('costs the slowest their place when it is more', () => {
    const { add, cut } = watchers(4 * MIB);
    add('slow').behind(2 * MIB);
    add('slower').behind(2 * MIB + 1);
    expect(cut).toEqual(['slower']);
    add('another').behind(3 * MIB);
    expect(cut).toEqual(['slower', 'another']);
  });

  it('is forgotten when they catch up or leave', () => {
    const { add, cut } = watchers(4 * MIB);
    const [a, b, c] = [add('a'), add('b'), add('c')];
    a.behind(3 * MIB);
    a.catchUp();
    b.behind(3 * MIB);
    b.leave();
    c.behind(4 * MIB);
    c.behind(10);
    a.behind(4 * MIB);
    expect(cut).toEqual([]);
  });

  it('costs the slowest of a connection its place when that connection has more than its share', () => {
    const { add, cut } = watchers(100 * MIB, 4 * MIB);
    const greedy = {};
    add('elsewhere').behind(4 * MIB);
    add('first', greedy).behind(MIB);
    const slow = add('slow', greedy);
    slow.behind(2 * MIB);
    add('last', greedy).behind(MIB + 1);
    expect(cut).toEqual(['slow']);
    add('again', greedy).behind(2 * MIB - 1);
    expect(cut).toEqual(['slow']);
  });
});
