import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeObject } from './object-text.ts';
import { createObjectDecoder } from './template-decoder.ts';

const key = { tenant: 'system', group: '', resource: 'pods', namespace: 'a' };
const long = (what: string): unknown[] => Array.from({ length: 10 }, (_, i) => ({ name: `${what} ${i}` }));
const specOf = (value: unknown) => (value as { spec: Record<string, unknown> }).spec;
const text = (spec: unknown, more: object = {}): string => JSON.stringify({ kind: 'Pod', ...more, spec, status: {} });

describe('reading objects made from templates', () => {
  it('shares the large parts of a spec and keeps every value and the order of members', () => {
    const decode = createObjectDecoder();
    const texts = ['a', 'b', 'c'].map((node) =>
      text({ volumes: long('volume'), node, containers: long('container'), tolerations: long('toleration') }),
    );
    const objects = texts.map((t) => decode(key, t));
    expect(objects.map((o) => JSON.stringify(o))).toEqual(texts);
    for (const field of ['volumes', 'containers', 'tolerations']) {
      expect(new Set(objects.map((o) => specOf(o)[field])).size).toBe(1);
    }
  });

  it('is not misled by the same text elsewhere, in strings or in the placeholder itself', () => {
    const spec = { containers: long('container'), volumes: long('volume') };
    const tricky = [
      text(spec),
      text({ template: { spec } }),
      text({ ...spec, note: JSON.stringify(spec) }),
      text({ template: { spec }, ...spec }),
      text({ containers: '\u0000part', volumes: spec.volumes, x: spec }),
      text(spec, { metadata: spec }),
      text(null),
      text([spec]),
      JSON.stringify({ spec, containers: spec.containers }),
    ];
    const decode = createObjectDecoder();
    for (const first of tricky) for (const t of [first, ...tricky]) expect(JSON.stringify(decode(key, t))).toBe(t);
  });

  it('reads whatever a plain parser reads', () => {
    const part = fc.constantFrom(long('a'), long('b'), long('c'), { deep: long('a') }, [long('b')]);
    const spec = fc.dictionary(fc.constantFrom('p', 'q', 'r', '__proto__', '"'), fc.oneof(part, fc.jsonValue()));
    fc.assert(
      fc.property(fc.array(fc.oneof(spec, fc.record({ p: spec, q: part }))), (specs) => {
        const decode = createObjectDecoder();
        for (const t of specs.map((s) => text(s))) expect(decode(key, t)).toEqual(decodeObject(t));
      }),
      { numRuns: 300 },
    );
  });
});
