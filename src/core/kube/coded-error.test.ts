import { expect, it } from 'vitest';
import { CodedError } from './coded-error.ts';

class RoomError extends CodedError<'EN_ROOM_ONE' | 'EN_ROOM_TWO'> {
  override readonly name = 'RoomError';
}

it('carries code, message and cause, and is told apart by the class of its room', () => {
  const cause = new Error('why');
  const error = new RoomError('EN_ROOM_TWO', 'it failed', { cause });
  expect(error).toMatchObject({ name: 'RoomError', code: 'EN_ROOM_TWO', message: 'it failed', cause });
  expect([error instanceof RoomError, error instanceof CodedError, error instanceof Error]).toEqual([true, true, true]);
  expect(`${error}`).toBe('RoomError: it failed');
  expect('cause' in new RoomError('EN_ROOM_ONE', 'alone')).toBe(false);
});
