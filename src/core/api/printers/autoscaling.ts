import type { HorizontalPodAutoscaler as AutoscalerV1, Scale } from '../types/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../types/autoscaling-v2.ts';
import { AGE, int, NAME, printer, text } from './columns.ts';
import { age, NONE, quantityText, UNKNOWN, UNSET } from './text.ts';

const percent = (value: number | undefined, otherwise: string): string =>
  value === undefined ? otherwise : `${value}%`;

/** Now against wanted, for metrics that name a resource. */
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

const COLUMNS = [
  NAME,
  text('Reference', 'Object that is scaled'),
  text('Targets', 'Each metric now, against what is wanted'),
  text('MinPods', 'Fewest pods there may be'),
  text('MaxPods', 'Most pods there may be'),
  text('Replicas', 'Pods there are'),
  AGE,
];

const currentPrinter = printer<HorizontalPodAutoscaler>(COLUMNS, (object, now) => [
  object.metadata.name,
  `${object.spec?.scaleTargetRef?.kind ?? ''}/${object.spec?.scaleTargetRef?.name ?? ''}`,
  metricsText(object.spec?.metrics ?? [], object.status?.currentMetrics ?? []),
  object.spec?.minReplicas === undefined ? UNSET : String(object.spec.minReplicas),
  object.spec?.maxReplicas ?? 0,
  object.status?.currentReplicas ?? 0,
  age(object, now),
]);

/** The older version knows one metric, CPU. */
const olderPrinter = printer<AutoscalerV1>(COLUMNS, (object, now) => {
  const target = object.spec?.targetCPUUtilizationPercentage;
  const current = percent(object.status?.currentCPUUtilizationPercentage, UNKNOWN);
  return [
    object.metadata.name,
    `${object.spec?.scaleTargetRef?.kind ?? ''}/${object.spec?.scaleTargetRef?.name ?? ''}`,
    target === undefined ? NONE : `cpu: ${current}/${target}%`,
    object.spec?.minReplicas === undefined ? UNSET : String(object.spec.minReplicas),
    object.spec?.maxReplicas ?? 0,
    object.status?.currentReplicas ?? 0,
    age(object, now),
  ];
});

/** Both versions are one resource, so what arrives says which it is. */
export const autoscalerPrinter = printer<HorizontalPodAutoscaler | AutoscalerV1>(COLUMNS, (object, now) =>
  object.apiVersion === 'autoscaling/v1'
    ? olderPrinter.row(object as AutoscalerV1, now)
    : currentPrinter.row(object, now),
);

export const scalePrinter = printer<Scale>(
  [text('Name', 'Name of what is scaled'), int('Desired', 'Pods wanted'), int('Available', 'Pods there are'), AGE],
  (object, now) => [object.metadata.name, object.spec?.replicas ?? 0, object.status?.replicas ?? 0, age(object, now)],
);
