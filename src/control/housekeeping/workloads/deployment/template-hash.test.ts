import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PodTemplateSpec } from '../../../../core/api/types/core-v1.ts';
import { podTemplateHash } from './template-hash.ts';

interface Row {
  readonly template: PodTemplateSpec;
  readonly count?: number;
  readonly hash: string;
}

const rows = readFileSync(new URL('./golden/template-hashes.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

describe('the hash of a pod template', () => {
  it.each(rows.map((row, index) => [index, row] as const))('is the one Kubernetes computes (%i)', (_index, row) => {
    expect(podTemplateHash(row.template, row.count)).toBe(row.hash);
  });

  it('reads an empty list or map as none, as it comes back from storage', () => {
    const plain = { spec: { containers: [{ name: 'a', image: 'b' }] } } as PodTemplateSpec;
    const empty = {
      spec: { containers: [{ name: 'a', image: 'b', args: [], env: [] }], nodeSelector: {} },
    } as PodTemplateSpec;
    expect(podTemplateHash(empty, undefined)).toBe(podTemplateHash(plain, undefined));
  });

  it('takes keys that every object inherits as plain data', () => {
    const labels = JSON.parse('{"constructor":"a","__proto__":"b"}') as { readonly [key: string]: string };
    const named = { metadata: { name: '', labels }, spec: { containers: [] } } as PodTemplateSpec;
    expect(podTemplateHash(named, undefined)).not.toBe(podTemplateHash({ spec: { containers: [] } }, undefined));
  });
});
