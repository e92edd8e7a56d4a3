import { describe, expect, it } from 'vitest';
import type { Job, JobSpec } from '../../types/batch-v1.ts';
import { jobStrategy } from './job.ts';

const jobOf = (spec: Partial<JobSpec> = {}): Job =>
  jobStrategy.defaults({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'once', namespace: 'default', uid: 'u-1' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x:1' }] } }, ...spec },
  });

describe('a job', () => {
  it('finds its pods by labels made from its identity', () => {
    const { spec } = jobStrategy.prepareForCreate(jobOf());
    expect(spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'u-1' } });
    expect(spec.template.metadata?.labels).toEqual({
      'controller-uid': 'u-1',
      'job-name': 'once',
      'batch.kubernetes.io/controller-uid': 'u-1',
      'batch.kubernetes.io/job-name': 'once',
    });
    expect(jobStrategy.validate(jobStrategy.prepareForCreate(jobOf()))).toEqual([]);
  });

  it('leaves a selector alone that somebody wrote by hand', () => {
    const manual = jobOf({ manualSelector: true, selector: { matchLabels: { a: 'b' } } });
    expect(jobStrategy.prepareForCreate(manual).spec.selector).toEqual({ matchLabels: { a: 'b' } });
  });

  it('gives up after six failures, or never where each index has its own limit', () => {
    expect(jobOf().spec.backoffLimit).toBe(6);
    expect(jobOf({ backoffLimitPerIndex: 1 }).spec.backoffLimit).toBe(2_147_483_647);
  });

  it('runs once unless told otherwise', () => {
    expect(jobOf().spec).toMatchObject({
      parallelism: 1,
      completions: 1,
      completionMode: 'NonIndexed',
      suspend: false,
    });
    expect(jobOf({ parallelism: 3 }).spec.completions).toBeUndefined();
    expect(jobOf({ completions: 3 }).spec.parallelism).toBe(1);
  });

  it('replaces pods only after they failed where it looks at how they failed', () => {
    expect(jobOf().spec.podReplacementPolicy).toBe('TerminatingOrFailed');
    expect(jobOf({ podFailurePolicy: { rules: [] } }).spec.podReplacementPolicy).toBe('Failed');
  });
});
