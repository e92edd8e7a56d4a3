import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ControllerRevision, DaemonSet } from '../../core/api/types/apps-v1.ts';
import { isSnapshotOf, patchData, patchText } from './revision-data.ts';

type Template = DaemonSet['spec']['template'];

/** Stored templates, and the patch that Kubernetes' own Go types and encoder make of them (v1.36). */
const golden = readFileSync(new URL('golden/revisions.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly template: Template; readonly patch: string });

const revision = (data: unknown): ControllerRevision => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'r' },
  data: data as NonNullable<ControllerRevision['data']>,
  revision: 1,
});

describe('the content of a revision', () => {
  it.each(golden)('is Go’s, byte for byte: $patch', ({ template, patch }) => {
    expect(patchText(template)).toBe(patch);
  });

  it('is known again after a way through JSON, and as no other’s', () => {
    for (const { template, patch } of golden) {
      expect(isSnapshotOf(revision(patchData(template)), template)).toBe(true);
      expect(isSnapshotOf(revision(JSON.parse(patch)), template)).toBe(true);
      for (const other of golden)
        if (other.template !== template)
          expect(isSnapshotOf(revision(patchData(other.template)), template)).toBe(false);
    }
  });

  it('is nobody’s where it is no object', () => {
    const [first] = golden;
    for (const data of [null, undefined, 'text', 7, []])
      expect(isSnapshotOf(revision(data), first?.template ?? {})).toBe(false);
  });
});
