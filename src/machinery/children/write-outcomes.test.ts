import { describe, expect, it } from 'vitest';
import { StatusError, type StatusReason } from '../../core/kube/status-error.ts';
import {
  allOf,
  inBatches,
  isNamespaceTerminating,
  isRefused,
  isUnclear,
  slowStart,
  unlessGone,
} from './write-outcomes.ts';

const answer = (code: number, reason: StatusReason, cause?: string): StatusError =>
  new StatusError(code, reason, reason, cause === undefined ? {} : { causes: [{ reason: cause, message: '' }] });

describe('the outcome of a write', () => {
  it.each([
    ['no answer', new Error('socket hang up'), true],
    ['an internal error', answer(500, 'InternalError'), true],
    ['a timeout of the server', answer(504, 'Timeout'), true],
    ['a refusal', answer(422, 'Invalid'), false],
    ['a conflict', answer(409, 'Conflict'), false],
  ])('after %s may be unclear', (_what, error, expected) => {
    expect(isUnclear(error)).toBe(expected);
  });

  it('is a refusal where the same object would be refused again, and the namespace is not the reason', () => {
    expect(isRefused(answer(422, 'Invalid'))).toBe(true);
    expect(isRefused(answer(403, 'Forbidden'))).toBe(true);
    const ending = answer(403, 'Forbidden', 'NamespaceTerminating');
    expect(isNamespaceTerminating(ending)).toBe(true);
    expect(isRefused(ending)).toBe(false);
    expect(isRefused(answer(409, 'Conflict'))).toBe(false);
  });

  it('is undefined for an object that is gone', async () => {
    await expect(unlessGone(Promise.reject(answer(404, 'NotFound')))).resolves.toBeUndefined();
    await expect(unlessGone(Promise.reject(answer(409, 'Conflict')))).rejects.toThrow('Conflict');
    await expect(unlessGone(Promise.resolve(7))).resolves.toBe(7);
  });
});

describe('several writes', () => {
  it('are all over before the first failure is thrown', async () => {
    const slow = Promise.withResolvers<void>();
    let isThrown = false;
    const all = allOf([Promise.reject(new Error('full')), slow.promise]).catch(() => (isThrown = true));
    await Promise.resolve();
    expect(isThrown).toBe(false);
    slow.resolve();
    await all;
    expect(isThrown).toBe(true);
  });

  it('go in batches, and none follows one with a failure', async () => {
    const done: number[] = [];
    const work = (item: number): Promise<void> => {
      done.push(item);
      return item === 3 ? Promise.reject(new Error('full')) : Promise.resolve();
    };
    await expect(inBatches([0, 1, 2, 3, 4, 5], 2, new AbortController().signal, work)).rejects.toThrow('full');
    expect(done).toEqual([0, 1, 2, 3]);
  });
});

describe('a slow start', () => {
  it('doubles while all goes well and stops at the first batch with a failure', async () => {
    const done: number[] = [];
    const { signal } = new AbortController();
    const work = (item: number): Promise<void> => {
      done.push(item);
      return item === 4 ? Promise.reject(new Error('full')) : Promise.resolve();
    };
    await expect(slowStart([0, 1, 2, 3, 4, 5, 6, 7, 8], 100, signal, work)).rejects.toThrow('full');
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});
