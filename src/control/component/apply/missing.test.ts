import { describe, expect, it } from 'vitest';
import { daemonSetNaming as set, ownConfigMap as own } from '../../../core/component/testing/naming.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { missingObjects, missingText } from './missing.ts';

describe('what pods name', () => {
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
