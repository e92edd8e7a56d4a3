/** The pods of a Job: the template, the finalizer they are counted by, and their index where they have one. */
import { JOBS } from '../../../../core/api/registry/resources.ts';
import type { Job } from '../../../../core/api/types/batch-v1.ts';
import type { Container, Pod, PodSpec } from '../../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { EMPTY_SPEC, podOf, podPrefix, sharedMeta } from '../common/pod-template.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { failuresOf, hasLimitPerIndex, INDEX, INDEX_FAILURES, INDEX_IGNORED_FAILURES, TRACKING } from './job-pods.ts';
import { judgeFailure } from './policies.ts';

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
const LONGEST_PREFIX = 58;

/** The prefix of the names of the Job's pods. */
export function jobPodPrefix(job: Job, index: number | undefined): string {
  const { name } = job.metadata;
  if (index === undefined) return podPrefix(name);
  const end = `-${index}-`;
  return `${name.slice(0, Math.max(0, LONGEST_PREFIX - end.length))}${end}`;
}

/** Makes the Job's pods; shared parts are made once. */
export function createJobPodMaker(
  job: Stored<Job>,
): (name: string, index: number | undefined, replaced: Pod | undefined) => Pod {
  const owner = withType(JOBS, job) as Stored<Job>;
  const { template } = job.spec;
  const finalizers = template.metadata?.finalizers?.includes(TRACKING) === true ? {} : { finalizers: [TRACKING] };
  const spec = template.spec ?? EMPTY_SPEC;
  const plain = sharedMeta(owner, template, { ...finalizers, generateName: jobPodPrefix(job, undefined) });
  const indexed = withIndexVariable(spec);
  return (name, index, replaced) => {
    if (index === undefined) return podOf(name, plain, spec);
    const meta = sharedMeta(owner, template, {
      ...finalizers,
      generateName: jobPodPrefix(job, index),
      labels: { [INDEX]: String(index) },
      annotations: { [INDEX]: String(index), ...(hasLimitPerIndex(job) ? failureCounts(job, replaced) : {}) },
    });
    return podOf(name, meta, { ...indexed, hostname: `${job.metadata.name}-${index}` });
  };
}

function failureCounts(job: Job, replaced: Pod | undefined): { readonly [annotation: string]: string } {
  const counts = replaced !== undefined && judgeFailure(job, replaced).counts;
  const failures = failuresOf(replaced, INDEX_FAILURES) + (counts ? 1 : 0);
  const ignored = failuresOf(replaced, INDEX_IGNORED_FAILURES) + (replaced !== undefined && !counts ? 1 : 0);
  return { [INDEX_FAILURES]: String(failures), ...(ignored > 0 ? { [INDEX_IGNORED_FAILURES]: String(ignored) } : {}) };
}

function withIndexVariable(spec: PodSpec): PodSpec {
  const add = (container: Container): Container => {
    if (container.env?.some(({ name }) => name === INDEX_VARIABLE) === true) return container;
    const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } };
    return { ...container, env: [...(container.env ?? []), { name: INDEX_VARIABLE, valueFrom }] };
  };
  return {
    ...spec,
    containers: spec.containers.map(add),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(add) }),
  };
}
