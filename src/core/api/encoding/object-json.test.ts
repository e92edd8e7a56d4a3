import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeObject } from './object-json.ts';

const revision = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'agent-1', annotations: { note: 'a<b' } },
  data: { spec: { template: { b: 'x && y > z', '10': 'ten', '9': 'nine', a: [{ d: 1, c: '<' }] } } },
  revision: 3,
};

describe('an object as text', () => {
  it('has the content of a revision as Go writes it: keys sorted as text, HTML escaped', () => {
    expect(encodeObject(revision)).toContain(
      String.raw`"data":{"spec":{"template":{"10":"ten","9":"nine","a":[{"c":"\u003c","d":1}],"b":"x \u0026\u0026 y \u003e z"}}},"revision":3}`,
    );
  });

  it('is the same value for whoever reads it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        const wellFormed = JSON.parse(JSON.stringify(data).toWellFormed()) as typeof data;
        fc.pre(JSON.stringify(wellFormed) === JSON.stringify(data) && !/\\ud/.test(JSON.stringify(data)));
        expect(JSON.parse(encodeObject({ ...revision, data }))).toEqual(
          JSON.parse(JSON.stringify({ ...revision, data })),
        );
      }),
    );
  });

  it('is plain JSON for every other kind, and for a revision without content', () => {
    const other = { ...revision, kind: 'ConfigMap' };
    expect(encodeObject(other)).toBe(JSON.stringify(other));
    for (const data of [undefined, 'text', 7]) {
      const odd = { ...revision, data };
      expect(encodeObject(odd)).toBe(JSON.stringify(odd));
    }
    const empty = { ...revision, data: null };
    expect(encodeObject(empty)).toBe(JSON.stringify(empty));
  });
});
