import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goQuote } from '../../../core/kube/go-text.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { createScrubber, maskPair } from './secrets.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = (data: { readonly [key: string]: string }): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data }) as KubeObject;

describe('a scrubber', () => {
  it('takes out a value in every form a message might carry it', () => {
    const value = fc.string({ minLength: 4, maxLength: 60 }).filter((text) => text.trim().length >= 4);
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (text, before, after) => {
        const scrubber = createScrubber();
        scrubber.learn(secret({ key: base64(text) }));
        for (const form of [text, base64(text), JSON.stringify(text).slice(1, -1), goQuote(text).slice(1, -1)])
          expect(scrubber.scrub(`${before}${form}${after}`)).not.toContain(form);
      }),
    );
  });

  it('knows passwords inside registry logins, and values at named places', () => {
    const scrubber = createScrubber([{ kind: 'ConfigMap', name: 'c', path: ['data', 'login'] }]);
    const auth = base64('user:pass-word-1');
    const login = JSON.stringify({ auths: { 'r.test': { auth, password: 'pass-word-1' } } });
    scrubber.learn(secret({ '.dockerconfigjson': base64(login) }));
    scrubber.learn({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { login: 'at-a-place' },
    } as KubeObject);
    const text = scrubber.scrub(`pass-word-1 ${auth} user:pass-word-1 at-a-place else`);
    expect(text).toBe('*** *** *** *** else');
  });

  it('leaves everything else as it is', () => {
    const scrubber = createScrubber();
    scrubber.learn(secret({ short: base64('abc'), odd: 5 as unknown as string }));
    scrubber.learn({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { a: 'plain' },
    } as KubeObject);
    expect(scrubber.scrub('abc plain')).toBe('abc plain');
  });
});

describe('masks', () => {
  it('show what changed, and nothing else', () => {
    const [before, after] = maskPair(
      secret({ same: 'a', changed: 'b', gone: 'c', __proto__: 'd' }),
      secret({ same: 'a', changed: 'x', added: 'y' }),
    );
    expect((before as unknown as { data: object }).data).toEqual({ same: '***', changed: '*** (before)', gone: '***' });
    expect((after as unknown as { data: object }).data).toEqual({ same: '***', changed: '*** (after)', added: '***' });
  });

  it('take keys of any name for data', () => {
    const odd = JSON.parse(
      '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"__proto__":"eA=="}}',
    ) as KubeObject;
    const [, after] = maskPair(undefined, odd);
    expect(JSON.stringify(after)).toContain('"__proto__":"***"');
  });

  it('reach into lists', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { env: [{ value: 'x' }, { value: 'y' }] },
    } as KubeObject;
    const [, after] = maskPair(undefined, object, [{ kind: 'Pod', name: 'p', path: ['spec', 'env', 1, 'value'] }]);
    expect(after).toMatchObject({ spec: { env: [{ value: 'x' }, { value: '***' }] } });
  });
});
