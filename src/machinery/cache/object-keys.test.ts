import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf, keyText, parseKeyText } from './object-keys.ts';

describe('object keys', () => {
  it('come back from their text', () => {
    const part = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    fc.assert(
      fc.property(fc.record({ tenant: part, namespace: part, name: part }, { requiredKeys: ['name'] }), (key) => {
        expect(parseKeyText(keyText(key))).toEqual(key.tenant === 'system' ? { ...key, tenant: undefined } : key);
      }),
    );
  });

  it('are one for the system tenant, said or not', () => {
    expect(keyText({ tenant: 'system', namespace: 'a', name: 'b' })).toBe(keyText({ namespace: 'a', name: 'b' }));
    expect(keyOf({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })).toEqual({ name: 'n' });
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'n', namespace: 'x' } };
    expect(keyOf(pod, 'acme')).toEqual({ tenant: 'acme', namespace: 'x', name: 'n' });
  });
});
