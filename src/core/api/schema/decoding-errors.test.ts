import { describe, expect, it } from 'vitest';
import { cannotBeHandled, strictComplaints, strictDecodingError } from './decoding-errors.ts';

describe('decoding errors', () => {
  it('name the kind the client wrote and the one the path is about', () => {
    const error = cannotBeHandled({ kind: 'Pod', version: 'v1', expected: 'Pod' }, 'json: cannot unmarshal …');
    expect(error.status).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal …',
    });
  });

  it('list unknown fields before duplicate ones', () => {
    const complaints = strictComplaints(['spec.foo'], ['metadata.name']);
    expect(complaints).toEqual(['unknown field "spec.foo"', 'duplicate field "metadata.name"']);
    expect(strictDecodingError(complaints)).toBe(
      'strict decoding error: unknown field "spec.foo", duplicate field "metadata.name"',
    );
    expect(strictDecodingError([])).toBeUndefined();
  });
});
