/** A DaemonSet whose pods name objects in every way there is, and a ConfigMap that comes with it. */
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import type { PodSpec } from '../../api/types/core-v1.ts';

const spec: PodSpec = {
  imagePullSecrets: [{ name: 'login' }, { name: 'both' }],
  volumes: [
    { name: 'a', secret: { secretName: 'both', items: [{ key: 'crt', path: 'x' }] } },
    { name: 'b', configMap: { name: 'own' } },
    { name: 'c', configMap: { name: 'perhaps', optional: true } },
    { name: 'd', projected: { sources: [{ configMap: { name: 'maps', items: [{ key: 'p', path: 'p' }] } }] } },
  ],
  initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'all' } }] }],
  containers: [
    {
      name: 'm',
      env: [
        { name: 'A', valueFrom: { secretKeyRef: { name: 'all', key: 'a' } } },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'maps', key: 'q' } } },
        { name: 'C', value: 'plain' },
      ],
    },
  ],
};
export const daemonSetNaming = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent' },
  spec: { selector: {}, template: { spec } },
} as DaemonSet;
export const ownConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own' } };
