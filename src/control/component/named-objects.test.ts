import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { PodSpec } from '../../core/api/types/core-v1.ts';
import type { Client } from '../../machinery/client/client.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { missingObjects, missingText } from './apply/missing.ts';
import { namedObjects } from './named-objects.ts';

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
const set = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent' },
  spec: { selector: {}, template: { spec } },
} as DaemonSet;
const own = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own' } };

describe('what pods name', () => {
  it('is found wherever it is named, but not what the component brings or can do without', () => {
    expect(namedObjects([own, set])).toEqual([
      { kind: 'ConfigMap', name: 'maps', keys: ['p', 'q'], isLogin: false },
      { kind: 'Secret', name: 'all', keys: ['a'], isLogin: false },
      { kind: 'Secret', name: 'both', keys: ['crt'], isLogin: false },
      { kind: 'Secret', name: 'login', keys: [], isLogin: true },
    ]);
  });

  it('is missed by name, without a look at what is in a Secret, and by nobody who may not look', async () => {
    const asked: unknown[] = [];
    const client = {
      get(resource: { resource: string }, { name }: { name: string }, options: { metadataOnly?: boolean }) {
        if (resource.resource === 'secrets') asked.push(options.metadataOnly);
        if (name === 'maps') return Promise.resolve({ data: { p: '' } });
        const isDenied = name === 'all';
        return Promise.reject(new StatusError(isDenied ? 403 : 404, isDenied ? 'Forbidden' : 'NotFound', 'no'));
      },
    } as unknown as Client;
    const component = { identity: { namespace: 'logging' }, objects: [own, set] };
    expect((await missingObjects({ client }, component)).map(missingText)).toEqual([
      'ConfigMap logging/maps has no key q; pods will wait until it does',
      'Secret logging/both does not exist; pods will wait until it does',
      'Secret logging/login does not exist; images that need its login cannot be pulled',
    ]);
    expect(asked).toEqual([true, true, true]);
    const other = { ...component, objects: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'both' } }] };
    expect((await missingObjects({ client }, component, [component, other])).map(({ name }) => name)).toEqual([
      'maps',
      'login',
    ]);
  });
});
