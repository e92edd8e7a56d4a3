/** Answers that a kube-apiserver was seen to give to requests from a random seed. */
import { describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  LEASES,
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  SERVICES,
  VALIDATING_ADMISSION_POLICIES,
} from '../../core/api/registry/resources.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { LOOPBACK } from '../contract/users.ts';
import { failure } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

const named = <T extends object>(apiVersion: string, kind: string, rest: T, metadata = {}) => ({
  apiVersion,
  kind,
  metadata: { name: 'a', namespace: 'default', ...metadata },
  ...rest,
});
const KEY = { namespace: 'default', name: 'a' };
const ALPHA = { fieldManager: 'alpha' };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

describe('a body in YAML', () => {
  const post = async (object: object, more: object) => {
    const { server } = await createTestServer();
    const { group, resource, version } = CONFIG_MAPS;
    const target = { tenant: 'system', group, version, resource, namespace: 'default', name: '', subresource: '' };
    const request = { verb: 'create', target, user: LOOPBACK, object: object as KubeObject, options: {} } as const;
    return failure(Promise.resolve().then(() => server.handle({ ...request, ...more })));
  };
  const wrong = named('v1', 'ConfigMap', { data: { a: {} }, binaryData: { b: '!!!' } });

  it('is read in the order of its keys, so that another mistake of two is told', async () => {
    expect((await post(wrong, { unordered: true })).message).toContain('illegal base64 data at input byte 0');
    expect((await post(wrong, {})).message).toContain('cannot unmarshal object into Go struct field ConfigMap.data');
  });

  it('has its unknown fields told in that order, too', async () => {
    const unknown = { ...named('v1', 'ConfigMap', { zebra: 1, ant: 2 }) };
    const options = { fieldValidation: 'Strict' };
    const text = (error: Error): string => error.message.slice(error.message.indexOf('strict decoding error: '));
    expect(text(await post(unknown, { unordered: true, options }))).toBe(
      'strict decoding error: unknown field "ant", unknown field "zebra"',
    );
  });
});

describe('an applied configuration', () => {
  it('with a number that no integer can hold is refused as the mistake of its client', async () => {
    const { client } = await createTestServer();
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = named('v1', 'PersistentVolumeClaim', { spec }, { generation: 1e100 });
    const error = await failure(client.apply(PERSISTENT_VOLUME_CLAIMS, claim, ALPHA));
    expect([error.code, error.status.reason]).toEqual([400, 'BadRequest']);
    expect(error.message).toContain('number 1e+100 into Go struct field ObjectMeta.metadata.generation of type int64');
  });

  it('may make an object that is being deleted from its beginning; a POST does not', async () => {
    const { client } = await createTestServer();
    const deletionTimestamp = '2021-01-01T00:00:00Z';
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    const doomed = named('apps/v1', 'Deployment', { spec }, { deletionTimestamp });
    const made = await client.apply(DEPLOYMENTS, doomed as never, ALPHA);
    expect(made.metadata.deletionTimestamp).toBe(deletionTimestamp);
    const lease = named('coordination.k8s.io/v1', 'Lease', {}, { deletionTimestamp });
    expect((await client.update(LEASES, lease as never)).metadata.deletionTimestamp).toBe(deletionTimestamp);
    const posted = named('v1', 'ConfigMap', {}, { deletionTimestamp });
    expect((await client.create(CONFIG_MAPS, posted)).metadata.deletionTimestamp).toBeUndefined();
  });

  it('of the status of a ValidatingAdmissionPolicy that is not there is judged as a new policy', async () => {
    const { client } = await createTestServer();
    const { metadata: _, ...rest } = named('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', {});
    const policy = { ...rest, metadata: { name: 'a' }, status: {} } as never;
    const error = await failure(
      client.apply(VALIDATING_ADMISSION_POLICIES, policy, { ...ALPHA, subresource: 'status' }),
    );
    expect([error.code, error.message]).toEqual([422, expect.stringContaining('spec.matchConstraints')]);
    const put = await failure(client.update(VALIDATING_ADMISSION_POLICIES, policy, { subresource: 'status' }));
    expect(put.code).toBe(404);
  });
});

it('takes a selector that is replaced as it is given, nulls and all', async () => {
  const { client } = await createTestServer();
  const spec = { minAvailable: 1, selector: { matchLabels: { a: 'b' } } };
  await client.create(POD_DISRUPTION_BUDGETS, named('policy/v1', 'PodDisruptionBudget', { spec }));
  const body = { spec: { selector: { matchLabels: { a: null } } } };
  const after = await client.patch(POD_DISRUPTION_BUDGETS, KEY, { type: 'strategic', body });
  expect(after.spec?.selector).toEqual({ matchLabels: { a: '' } });
});

describe('a Scale', () => {
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: KEY, spec: { replicas: '3' } };

  it('that cannot be read is refused before anybody asks whether there is such an object', async () => {
    const { client } = await createTestServer();
    const error = await failure(client.update(DEPLOYMENTS, scale as never, { subresource: 'scale' }));
    expect([error.code, error.message]).toEqual([400, expect.stringContaining('spec.replicas of type int32')]);
  });

  it('that a patch leaves unreadable is the fault of the patch', async () => {
    const { client } = await createTestServer();
    await client.create(DEPLOYMENTS, named('apps/v1', 'Deployment', { spec }) as never);
    for (const type of ['merge', 'strategic'] as const) {
      const body = { spec: { replicas: '3' } };
      const error = await failure(client.patch(DEPLOYMENTS, KEY, { type, body }, { subresource: 'scale' }));
      expect([error.code, error.message]).toEqual([422, expect.stringContaining(' "" is invalid: patch: Invalid')]);
    }
  });
});

it('asks nothing of node ports that a Service of its type cannot have, and refuses them', async () => {
  const { client } = await createTestServer();
  const service = named('v1', 'Service', { spec: { ports: [{ port: 30, nodePort: 10 }] } });
  const forbidden = "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'";
  expect((await failure(client.create(SERVICES, service))).message).toContain(forbidden);
  await client.create(SERVICES, named('v1', 'Service', { spec: { ports: [{ port: 30 }] } }));
  const body = { spec: { ports: [{ port: 30, nodePort: 10 }] } };
  expect((await failure(client.patch(SERVICES, KEY, { type: 'merge', body }))).message).toContain(forbidden);
});

it('counts a change of an EndpointSlice that it drops', async () => {
  const { client } = await createTestServer();
  const endpoints = [{ addresses: ['10.0.0.1'] }];
  const slice = named('discovery.k8s.io/v1', 'EndpointSlice', { addressType: 'IPv4', endpoints, ports: [] });
  const made = await client.create(ENDPOINT_SLICES, slice);
  const told = { ...made, endpoints: [{ addresses: ['10.0.0.1'], deprecatedTopology: { zone: 'a' } }] };
  const after = await client.update(ENDPOINT_SLICES, told);
  expect([after.metadata.generation, after.endpoints]).toEqual([2, made.endpoints]);
});

it('refuses an amount that is negative once 64 bits of it are left', async () => {
  const { client } = await createTestServer();
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claim = await client.create(PERSISTENT_VOLUME_CLAIMS, named('v1', 'PersistentVolumeClaim', { spec }));
  const capacity = { cpu: '123456789012345678901234567890' };
  const full = { ...claim, status: { capacity } };
  expect((await failure(client.update(PERSISTENT_VOLUME_CLAIMS, full, { subresource: 'status' }))).message).toContain(
    'status.capacity[cpu]: Invalid value: -4362896299872285998: must be a valid resource quantity',
  );
});

it('names the types of a number with a fraction that is applied to an integer', async () => {
  const { client } = await createTestServer();
  const spec = { selector: { matchLabels: { a: 'b' } }, template, replicas: 1.5 };
  const error = await failure(client.apply(DEPLOYMENTS, named('apps/v1', 'Deployment', { spec }) as never, ALPHA));
  expect(error.message).toMatch(/Kind=Deployment: cannot convert float64 to int32$/);
});
