import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../types/core-v1.ts';
import { detailText, evaluate } from './evaluate.ts';
import { readPolicy, levelText, PRIVILEGED_POLICY } from './policy.ts';

/** Findings of upstream's checks for upstream's fixtures, by the minor version from which they apply. */
interface Row {
  readonly pod: {
    readonly metadata: { readonly annotations: { [key: string]: string } | null };
    readonly spec: PodSpec;
  };
  readonly baseline: readonly { readonly from: string; readonly detail: string }[];
  readonly restricted: readonly { readonly from: string; readonly detail: string }[];
}

const rows = readFileSync(new URL('upstream.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

describe('what pods are accused of', () => {
  it.each(['baseline', 'restricted'] as const)(
    'is word for word what Kubernetes says, in every version: %s',
    (level) => {
      expect(rows.length).toBeGreaterThan(300);
      for (const { pod, ...said } of rows) {
        for (let version = 0; version <= 36; version += 1) {
          const expected = said[level].findLast(({ from }) => Number(from) <= version)?.detail;
          const found = evaluate({ level, version }, pod.metadata.annotations ?? undefined, pod.spec);
          expect({ version, text: detailText(found) }).toEqual({ version, text: expected });
        }
        const newest = said[level].at(-1)?.detail;
        const latest = evaluate(
          { level, version: Number.POSITIVE_INFINITY },
          pod.metadata.annotations ?? undefined,
          pod.spec,
        );
        expect(detailText(latest)).toBe(newest);
      }
    },
  );

  it('is nothing where everything is allowed', () => {
    for (const { pod } of rows) expect(evaluate({ level: 'privileged', version: 0 }, {}, pod.spec)).toEqual([]);
  });
});

describe('the policy of a namespace', () => {
  const read = (labels: { [key: string]: string }) => {
    const prefixed = Object.fromEntries(
      Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
    );
    const { errors, policy } = readPolicy(prefixed, PRIVILEGED_POLICY);
    const { enforce, audit, warn } = policy;
    return {
      levels: [enforce, audit, warn].map(levelText),
      errors: errors.map(({ field, message }) => `${field}: ${message}`),
    };
  };

  it('is what its labels say', () => {
    expect(read({ enforce: 'baseline', 'enforce-version': 'v1.25', audit: 'restricted', warn: 'privileged' })).toEqual({
      levels: ['baseline:v1.25', 'restricted:latest', 'privileged:latest'],
      errors: [],
    });
  });

  it('warns of what it enforces unless told otherwise', () => {
    expect(read({ enforce: 'restricted', 'enforce-version': 'v1.20' }).levels[2]).toBe('restricted:v1.20');
    expect(read({ enforce: 'restricted', 'warn-version': 'v1.24' }).levels[2]).toBe('restricted:v1.24');
    expect(read({ enforce: 'restricted', warn: 'baseline' }).levels[2]).toBe('baseline:latest');
  });

  it('is strict where it enforces, and silent elsewhere, if it cannot be read', () => {
    expect(read({ enforce: 'x', 'enforce-version': 'v2.0', audit: 'y', 'warn-version': '1.2' })).toEqual({
      levels: ['restricted:latest', 'privileged:latest', 'privileged:latest'],
      errors: [
        'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
        'metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: "v2.0": must be "latest" or "v1.x"',
        'metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "y": must be one of privileged, baseline, restricted',
        'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"',
      ],
    });
  });
});
