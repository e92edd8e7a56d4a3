/**
 * HorizontalPodAutoscaler is stored as autoscaling/v2. The v1 form knows one metric, the CPU utilisation; everything
 * else that v2 says travels in annotations, so that a client of v1 may read and write back without loss.
 */
import type { KubeObject } from '../../kube/objects.ts';
import type { ObjectMeta } from '../../kube/meta-v1.ts';
import type { KindConversion } from '../kind/kind-definition.ts';
import { CPU_AT_80_PERCENT } from '../kinds/autoscaler-defaults.ts';
import type {
  HorizontalPodAutoscaler as AutoscalerV1,
  HorizontalPodAutoscalerSpec as SpecV1,
  HorizontalPodAutoscalerStatus as StatusV1,
} from '../types/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler as AutoscalerV2,
  HorizontalPodAutoscalerStatus as StatusV2,
  MetricSpec,
  MetricStatus,
} from '../types/autoscaling-v2.ts';

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const CARRIERS = [METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS] as const;

const isCpuTarget = (metric: MetricSpec): boolean =>
  metric.type === 'Resource' &&
  metric.resource?.name === 'cpu' &&
  metric.resource.target.averageUtilization !== undefined;
const isCpuReading = (metric: MetricStatus): boolean =>
  metric.type === 'Resource' &&
  metric.resource?.name === 'cpu' &&
  metric.resource.current.averageUtilization !== undefined;

const fromV2 = new WeakMap<KubeObject, KubeObject>();

export const autoscalerConversion: KindConversion = {
  toStorage: (object) => toV2(object as unknown as AutoscalerV1),
  fromStorage(object) {
    let result = fromV2.get(object);
    if (result === undefined) {
      result = toV1(object as unknown as AutoscalerV2);
      fromV2.set(object, result);
    }
    return result;
  },
};

function toV1(object: AutoscalerV2): AutoscalerV1 {
  const { metrics = [], behavior, ...spec } = object.spec;
  const cpu = metrics.findIndex(isCpuTarget);
  const percentage = metrics[cpu]?.resource?.target.averageUtilization;
  const annotations: { [name: string]: string } = { ...object.metadata.annotations };
  carry(annotations, METRICS, metrics.toSpliced(cpu === -1 ? metrics.length : cpu, 1));
  if (behavior !== undefined) annotations[BEHAVIOR] = JSON.stringify(behavior);
  const status = object.status === undefined ? undefined : statusToV1(object.status, annotations);
  const v1: SpecV1 = { ...spec, ...(percentage === undefined ? {} : { targetCPUUtilizationPercentage: percentage }) };
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object.metadata, annotations),
    spec: v1,
    ...(status === undefined ? {} : { status }),
  } as AutoscalerV1;
}

function statusToV1(status: StatusV2, annotations: { [name: string]: string }): StatusV1 {
  const { currentMetrics: metrics, conditions = [], currentReplicas = 0, ...rest } = status;
  // `currentMetrics` is null, as in Go, for an autoscaler that never measured.
  const currentMetrics = metrics ?? [];
  const cpu = currentMetrics.find(isCpuReading)?.resource?.current.averageUtilization;
  carry(annotations, CURRENT_METRICS, currentMetrics);
  carry(annotations, CONDITIONS, conditions);
  return {
    ...rest,
    currentReplicas,
    ...(cpu === undefined ? {} : { currentCPUUtilizationPercentage: cpu }),
  };
}

function toV2(object: AutoscalerV1): AutoscalerV2 {
  const { targetCPUUtilizationPercentage: percentage, ...spec } = object.spec;
  const carried = object.metadata.annotations ?? {};
  const others = listed(carried[METRICS]) as readonly MetricSpec[];
  const cpu: readonly MetricSpec[] =
    percentage === undefined
      ? []
      : [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percentage } },
          },
        ];
  const named = [...cpu, ...others];
  const metrics = named.length === 0 ? CPU_AT_80_PERCENT : named;
  const behavior = parsed(carried[BEHAVIOR]);
  const annotations: { [name: string]: string } = { ...carried };
  for (const name of CARRIERS) delete annotations[name];
  const status = object.status === undefined ? undefined : statusToV2(object.status, carried);
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object.metadata, annotations),
    spec: { ...spec, metrics, ...(behavior === undefined ? {} : { behavior }) },
    ...(status === undefined ? {} : { status }),
  } as AutoscalerV2;
}

function statusToV2(status: StatusV1, carried: { readonly [name: string]: string }): StatusV2 {
  const { currentCPUUtilizationPercentage: cpu, ...rest } = status;
  const readings = listed(carried[CURRENT_METRICS]) as readonly MetricStatus[];
  const conditions = listed(carried[CONDITIONS]) as NonNullable<StatusV2['conditions']>;
  const known = cpu === undefined || readings.some(isCpuReading);
  const reading: MetricStatus | undefined = known
    ? undefined
    : { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: cpu } } };
  return {
    ...rest,
    currentMetrics: reading === undefined ? readings : [reading, ...readings],
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function carry(annotations: { [name: string]: string }, name: string, values: readonly object[]): void {
  if (values.length > 0) annotations[name] = JSON.stringify(values);
}

/** The JSON in an annotation; undefined if a client wrote something else there. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

function listed(text: string | undefined): readonly object[] {
  const value = parsed(text);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'object' && entry !== null) : [];
}

function withAnnotations(metadata: ObjectMeta, annotations: { readonly [name: string]: string }): ObjectMeta {
  const { annotations: _, ...rest } = metadata;
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}
