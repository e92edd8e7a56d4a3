import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../kube/json.ts';
import { podTemplateHash } from './template-hash.ts';

interface Row {
  readonly template: object;
  readonly hash: string;
  /** With a collision count of 1. */
  readonly collided: string;
}

interface CountedRow {
  readonly template: object;
  readonly count?: number;
  readonly hash: string;
}

const read = <T>(file: string): readonly T[] =>
  readFileSync(new URL(`golden/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => parseJson(line) as unknown as T);

/**
 * Templates as the server stores them, plain ones and ones with anything in them, and the hashes of Kubernetes v1.36.
 */
const rows = read<Row>('template-hashes.jsonl');
/** The same with any collision count, and templates as clients wrote them. */
const counted = read<CountedRow>('template-hashes-counted.jsonl');

describe('the hash of a pod template', () => {
  it.each(rows.map((row, i) => [i, row] as const))('is Kubernetes’ own: template %i', (_, row) => {
    expect(podTemplateHash(row.template, undefined)).toBe(row.hash);
    expect(podTemplateHash(row.template, 1)).toBe(row.collided);
  });

  it.each(counted.map((row, i) => [i, row] as const))('counts collisions as Kubernetes does: template %i', (_, row) => {
    expect(podTemplateHash(row.template, row.count)).toBe(row.hash);
  });

  it('takes keys that every object inherits as plain data', () => {
    const labels: unknown = JSON.parse('{"constructor":"a","__proto__":"b"}');
    const spec = { containers: [] };
    expect(podTemplateHash({ metadata: { labels }, spec }, undefined)).not.toBe(podTemplateHash({ spec }, undefined));
  });

  it('is the same for empty lists and maps as for none', () => {
    const spec = { containers: [{ name: 'a' }] };
    const bare = { spec };
    const padded = {
      metadata: { labels: {}, annotations: {} },
      spec: { containers: [{ name: 'a', args: [], env: [], resources: { limits: {} } }], nodeSelector: {} },
    };
    expect(podTemplateHash(padded, undefined)).toBe(podTemplateHash(bare, undefined));
    expect(podTemplateHash({ spec: { ...spec, securityContext: {} } }, undefined)).not.toBe(
      podTemplateHash(bare, undefined),
    );
  });

  it('is another for another collision count, zero included, and of the alphabet of names', () => {
    const hashes = rows.flatMap(({ template }) =>
      [undefined, 0, 1, 2].map((count) => podTemplateHash(template, count)),
    );
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const hash of hashes) expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  });

  it('reads quantities however they are written', () => {
    const of = (cpu: string | number): string =>
      podTemplateHash({ spec: { containers: [{ name: 'a', resources: { requests: { cpu } } }] } }, undefined);
    expect(of('0.5')).toBe(of('500m'));
    expect(of(2)).toBe(of('2'));
    expect(of('1500m')).not.toBe(of('1501m'));
  });
});
