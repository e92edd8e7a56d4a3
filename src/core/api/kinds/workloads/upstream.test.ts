/** Pods and workloads get from us what they get from Kubernetes: the same defaults, preparation, findings, warnings. */
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../../kube/immutable.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { podStrategy } from '../pod/strategy.ts';
import type { Vector } from '../testdata/vectors.ts';
import { normalized, readVectors } from '../testdata/vectors.ts';
import { controllerRevisionStrategy } from './controller-revision.ts';
import { cronJobStrategy } from './cron-job.ts';
import { daemonSetStrategy, TEMPLATE_GENERATION } from './daemon-set.ts';
import { deploymentStrategy } from './deployment.ts';
import { jobStrategy } from './job.ts';
import { podTemplateStrategy } from './pod-template.ts';
import { replicaSetStrategy, replicationControllerStrategy } from './replica-set.ts';
import { statefulSetStrategy } from './stateful-set.ts';

const STRATEGIES = new Map<string, unknown>([
  ['Pod', podStrategy],
  ['PodTemplate', podTemplateStrategy],
  ['ReplicationController', replicationControllerStrategy],
  ['DaemonSet', daemonSetStrategy],
  ['Deployment', deploymentStrategy],
  ['ReplicaSet', replicaSetStrategy],
  ['StatefulSet', statefulSetStrategy],
  ['ControllerRevision', controllerRevisionStrategy],
  ['Job', jobStrategy],
  ['CronJob', cronJobStrategy],
]);

const strategyOf = (kind: string): KindStrategy => STRATEGIES.get(kind) as KindStrategy;

/** Identity and creation time, which the handlers fill in before a strategy prepares a new object. */
const identified = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    namespace: object.metadata.namespace ?? 'default',
    uid: object.metadata.uid ?? '11111111-2222-3333-4444-555555555555',
  },
});

function outcome({ kind, object, old, subresource }: Vector) {
  const strategy = strategyOf(kind);
  const defaulted = strategy.defaults(deepFreeze(object));
  if (old === undefined) {
    const prepared = strategy.prepareForCreate(deepFreeze(identified(defaulted)));
    const findings = strategy.validate(deepFreeze(prepared));
    const warnings = findings.length === 0 ? (strategy.warnings?.(prepared) ?? []) : [];
    return { defaulted, prepared, findings, warnings, newGeneration: false };
  }
  const before = deepFreeze(strategy.defaults(old));
  const prepared = deepFreeze(strategy.prepareForUpdate(defaulted, before, subresource));
  const findings = strategy.validateUpdate(prepared, before, subresource);
  return { defaulted, prepared, findings, warnings: [], newGeneration: strategy.generationChanged(prepared, before) };
}

/** Kubernetes writes a zero count once an object went through its own types; everynode leaves it out. */
const comparable = (object: unknown): unknown =>
  JSON.parse(JSON.stringify(normalized(object)), (key, value: unknown) =>
    key === TEMPLATE_GENERATION && value === '0'
      ? undefined
      : key === 'annotations' && Object.keys(value as object).length === 0
        ? undefined
        : value,
  );

/** Kubernetes defaults a stored object again whenever it is read; a Job gets the labels made for its pods only then. */
function asRead({ kind, old, prepared }: Vector): unknown {
  if (kind !== 'Job' || old !== undefined) return prepared;
  const job = prepared as KubeObject;
  return { ...job, metadata: strategyOf(kind).defaults(job).metadata };
}

const vectors = readVectors();
const kinds = [...new Set(vectors.map(({ kind }) => kind))];

describe.each(kinds)('%s', (kind) => {
  const own = vectors.filter((vector) => vector.kind === kind);

  it.each(own.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const ours = outcome(vector);
    expect(comparable(ours.defaulted)).toEqual(comparable(vector.defaulted));
    expect(comparable(ours.prepared)).toEqual(comparable(asRead(vector)));
    expect(ours.findings.map(({ type, field, message }) => `${type} ${field}: ${message}`).toSorted()).toEqual(
      vector.findings,
    );
    expect([...ours.warnings].toSorted()).toEqual(vector.warnings);
    expect(ours.newGeneration).toBe(vector.newGeneration);
  });

  it('is left alone by a second defaulting', () => {
    const strategy = strategyOf(kind);
    for (const { object } of own) {
      const once = strategy.defaults(object);
      expect(strategy.defaults(once)).toBe(once);
    }
  });
});
