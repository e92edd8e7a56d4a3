import { describe, expect, it } from 'vitest';
import { PODS } from '../../../core/api/registry/resources.ts';
import { badRequest } from '../../../core/kube/status-error.ts';
import type { AdmissionPlugin } from '../../../machinery/ports/admission.ts';
import { LOOPBACK } from '../../contract/users.ts';
import { failure, pod } from '../../testing/samples.ts';
import { createTestServer } from '../../testing/test-server.ts';

const A = { namespace: 'default', name: 'a' };

describe('admission of evictions', () => {
  const listening = (seen: string[], refuse = false): AdmissionPlugin => ({
    name: 'Listening',
    handles: ({ resource }) => resource.resource === 'pods',
    validate({ operation, subresource, kind }) {
      seen.push(`${operation} ${subresource} ${kind}`);
      const isRefused = refuse && subresource === 'eviction';
      return isRefused ? { allowed: false, error: badRequest('not now') } : { allowed: true };
    },
  });

  it('asks about the eviction, not about the deletion it leads to', async () => {
    const seen: string[] = [];
    const { client } = await createTestServer({ plugins: [listening(seen)] });
    await client.create(PODS, pod('a'));
    await client.evict(A);
    expect(seen).toEqual(['CREATE  Pod', 'CREATE eviction Eviction']);
    expect((await failure(client.get(PODS, A))).code).toBe(404);
  });

  it('lets a plugin refuse', async () => {
    const { client } = await createTestServer({ plugins: [listening([], true)] });
    await client.create(PODS, pod('a'));
    expect((await failure(client.evict(A))).message).toBe('not now');
    await client.get(PODS, A);
  });

  it('refuses what makes no sense', async () => {
    const { client, server } = await createTestServer();
    await client.create(PODS, pod('a'));
    const target = { tenant: 'system', group: '', version: 'v1', resource: 'pods', ...A, subresource: 'eviction' };
    const evict = (more: object) => {
      const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' }, ...more };
      return server.handle({ verb: 'create', target, user: LOOPBACK, object, options: {} });
    };
    expect((await failure(evict({ metadata: { name: 'b' } }))).message).toBe(
      'name in URL does not match name in Eviction object',
    );
    expect(
      (await failure(evict({ deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true } }))).code,
    ).toBe(422);
    expect((await failure(evict({ deleteOptions: { propagationPolicy: 'Sideways' } }))).code).toBe(422);
    expect(await evict({ apiVersion: 'policy/v1beta1' })).toMatchObject({
      type: 'status',
      status: { code: 201, status: 'Success' },
    });
  });
});
