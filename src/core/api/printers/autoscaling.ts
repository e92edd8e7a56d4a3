import type { HorizontalPodAutoscaler as AutoscalerV1, Scale } from '../types/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../types/autoscaling-v2.ts';
import { AGE, int, NAME, nameOf, printer, text } from './columns.ts';
import { NONE, quantityText, UNKNOWN, UNSET } from './text.ts';

const percent = (value: number | undefined, otherwise: string): string =>
  value === undefined ? otherwise : `${value}%`;

/** Current and wanted value, for metrics that name a resource. */
function resourceMetric(name: string, target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) {
    return `${name}: ${current ? quantityText(current.averageValue) : UNKNOWN}/${quantityText(target.averageValue)}`;
  }
  return `${name}: ${percent(current?.averageUtilization, UNKNOWN)}/${percent(target.averageUtilization, '<auto>')}`;
}

function outsideMetric(target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) {
    const now = current?.averageValue === undefined ? UNKNOWN : quantityText(current.averageValue);
    return `${now}/${quantityText(target.averageValue)} (avg)`;
  }
  return `${current ? valueText(current.value) : UNKNOWN}/${valueText(target.value)}`;
}

const valueText = (value: string | number | undefined): string => (value === undefined ? '<nil>' : quantityText(value));

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  if (spec.external) return outsideMetric(spec.external.target, status?.external?.current);
  if (spec.object) return outsideMetric(spec.object.target, status?.object?.current);
  if (spec.pods) {
    const current = status?.pods ? quantityText(status.pods.current.averageValue) : UNKNOWN;
    return `${current}/${quantityText(spec.pods.target.averageValue)}`;
  }
  if (spec.resource) return resourceMetric(spec.resource.name, spec.resource.target, status?.resource?.current);
  if (spec.containerResource) {
    const { name, target } = spec.containerResource;
    return resourceMetric(name, target, status?.containerResource?.current);
  }
  return '<unknown type>';
}

function metricsText(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return NONE;
  const shown = specs
    .slice(0, 2)
    .map((spec, index) => metricText(spec, statuses[index]))
    .join(', ');
  return specs.length > 2 ? `${shown} + ${specs.length - 2} more...` : shown;
}

type Autoscaler = HorizontalPodAutoscaler | AutoscalerV1;

const isOlder = (object: Autoscaler): object is AutoscalerV1 => object.apiVersion === 'autoscaling/v1';

/** Both versions are one resource, so the object tells its version. The older version knows one metric, CPU. */
function targetsOf(object: Autoscaler): string {
  if (!isOlder(object)) return metricsText(object.spec?.metrics ?? [], object.status?.currentMetrics ?? []);
  const target = object.spec?.targetCPUUtilizationPercentage;
  const current = percent(object.status?.currentCPUUtilizationPercentage, UNKNOWN);
  return target === undefined ? NONE : `cpu: ${current}/${target}%`;
}

export const autoscalerPrinter = printer<Autoscaler>([
  NAME,
  text(
    'Reference',
    'Object that is scaled',
    ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`,
  ),
  text('Targets', 'Each metric now, against what is wanted', targetsOf),
  text('MinPods', 'Fewest pods there may be', ({ spec }) =>
    spec?.minReplicas === undefined ? UNSET : String(spec.minReplicas),
  ),
  text('MaxPods', 'Most pods there may be', ({ spec }) => spec?.maxReplicas ?? 0),
  text('Replicas', 'Pods there are', ({ status }) => status?.currentReplicas ?? 0),
  AGE,
]);

export const scalePrinter = printer<Scale>([
  text('Name', 'Name of what is scaled', nameOf),
  int('Desired', 'Pods wanted', ({ spec }) => spec?.replicas ?? 0),
  int('Available', 'Pods there are', ({ status }) => status?.replicas ?? 0),
  AGE,
]);
