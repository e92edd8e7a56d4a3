/** Defaults of HorizontalPodAutoscalers: minReplicas in v1 and v2, metrics and behavior in v2 only. */
import type { MetricSpec } from '../types/autoscaling-v2.ts';

type Bag = { readonly [field: string]: unknown };

export const CPU_AT_80_PERCENT: readonly MetricSpec[] = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
];
const PERIOD = 15;
const UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: PERIOD },
    { type: 'Percent', value: 100, periodSeconds: PERIOD },
  ],
};
const DOWN = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: PERIOD }] };

export function autoscalerDefaults(object: Bag): Bag {
  const spec = object['spec'] as Bag | undefined;
  if (spec === undefined) return object;
  let result = spec;
  const set = (field: string, value: unknown): void => {
    result = { ...result, [field]: value };
  };
  if (spec['minReplicas'] === undefined) set('minReplicas', 1);
  if (object['apiVersion'] !== 'autoscaling/v1') {
    if (!(spec['metrics'] as readonly unknown[] | undefined)?.length) set('metrics', CPU_AT_80_PERCENT);
    const behavior = spec['behavior'] as Bag | undefined;
    if (behavior !== undefined) {
      const scaleUp = completed(behavior['scaleUp'] as Bag | undefined, UP);
      const scaleDown = completed(behavior['scaleDown'] as Bag | undefined, DOWN);
      if (scaleUp !== behavior['scaleUp'] || scaleDown !== behavior['scaleDown']) {
        set('behavior', { ...behavior, scaleUp, scaleDown });
      }
    }
  }
  return result === spec ? object : { ...object, spec: result };
}

/** The scaling rules completed by `defaults`; the same object when nothing is missing. */
const completed = (rules: Bag | undefined, defaults: Bag): Bag =>
  rules !== undefined && Object.keys(defaults).every((field) => rules[field] !== undefined)
    ? rules
    : { ...defaults, ...rules };
