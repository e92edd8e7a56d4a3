/** Pods that compete with daemons for room. */
import { FLEET_ANNOTATIONS } from '../../../core/api/names.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Action } from './scenario.ts';

type Workload = Extract<Action, { readonly do: 'workload' }>;

/** `round` keeps the names of one arrival apart from those of the next. */
export function* workloadPods(workload: Workload, round: number): Generator<Pod> {
  const { name, cpu = '100m', memory = '64Mi', priorityClass, exitAfter } = workload;
  const labels = { workload: name };
  for (let i = 0; i < workload.count; i += 1) {
    yield {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-${round}-${i}`,
        namespace: 'default',
        labels,
        ...(exitAfter === undefined ? {} : { annotations: { [FLEET_ANNOTATIONS.exitAfter]: exitAfter } }),
      },
      spec: {
        ...(exitAfter === undefined ? {} : { restartPolicy: 'Never' }),
        ...(priorityClass === undefined ? {} : { priorityClassName: priorityClass }),
        ...(workload.spread === true ? { affinity: apart(labels) } : {}),
        containers: [{ name: 'main', image: 'example.com/workload:1', resources: { requests: { cpu, memory } } }],
      },
    };
  }
}

const apart = (labels: { readonly [key: string]: string }): NonNullable<Pod['spec']['affinity']> => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' },
    ],
  },
});
