import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../../core/kube/status-error.ts';
import { thrown } from '../../testing/samples.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const NAME = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,40}[a-z0-9])?$/);
const text = (body: unknown): string => Buffer.from(JSON.stringify(body)).toString('base64url');

const outcomeOf = (run: () => unknown): number => {
  try {
    run();
    return 200;
  } catch (error) {
    return error instanceof StatusError ? error.code : 0;
  }
};

describe('continue tokens', () => {
  it('say where a list over all namespaces goes on', () => {
    fc.assert(
      fc.property(NAME, NAME, fc.integer({ min: 1 }), fc.option(fc.nat(), { nil: undefined }), (ns, name, rv, left) => {
        const token = { revision: rv, namespace: ns, name, ...(left === undefined ? {} : { remaining: left }) };
        expect(decodeContinue(encodeContinue(token, false), false, '')).toEqual(token);
      }),
    );
  });

  it('take the namespace of a narrower list from the request, not from the token', () => {
    const token = encodeContinue({ revision: 7, namespace: 'theirs', name: 'a' }, true);
    expect(decodeContinue(token, true, 'ours')).toEqual({ revision: 7, namespace: 'ours', name: 'a' });
  });

  it('have the shape Kubernetes gives them', () => {
    const token = encodeContinue({ revision: 7, namespace: 'ns', name: 'a' }, false);
    expect(JSON.parse(Buffer.from(token, 'base64url').toString())).toEqual({
      v: 'meta.k8s.io/v1',
      rv: 7,
      start: 'ns/a\0',
    });
  });

  it.each([
    ['not base64', '!!!', 'illegal base64 data'],
    ['not JSON', Buffer.from('nonsense').toString('base64url'), 'not a token'],
    ['JSON that is no object', text(5), 'not a token'],
    ['another version', text({ v: 'v2', rv: 1, start: 'a' }), 'does not recognize this encoded version v2'],
    ['revision zero', text({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }), 'incorrect encoded start resourceVersion'],
    ['a fraction for a revision', text({ v: 'meta.k8s.io/v1', rv: 1.5, start: 'a' }), 'incorrect encoded start'],
    ['an empty start', text({ v: 'meta.k8s.io/v1', rv: 1, start: '' }), 'encoded start key empty'],
    ['a start that climbs', text({ v: 'meta.k8s.io/v1', rv: 1, start: '../x' }), 'continue key is not valid: ../x'],
    ['a start with too many steps', text({ v: 'meta.k8s.io/v1', rv: 1, start: 'a/b/c' }), 'continue key is not valid'],
  ])('are refused when they are %s', (_, token, words) => {
    const error = thrown(() => decodeContinue(token, false, ''));
    expect([error.code, error.reason]).toEqual([400, 'BadRequest']);
    expect(error.message).toContain(
      `invalid continue token: ${words.startsWith('continue') ? '' : 'continue key is not valid'}`,
    );
    expect(error.message).toContain(words);
  });

  it('never do anything but answer or refuse, whatever they hold', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((json) => Buffer.from(json).toString('base64url')),
        ),
        (token) => {
          expect([200, 400]).toContain(outcomeOf(() => decodeContinue(token, false, '')));
        },
      ),
    );
  });
});
