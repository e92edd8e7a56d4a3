/** Answers that a kube-apiserver was seen to give to the same requests, where they are easily got wrong. */
import { describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  CSI_DRIVERS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  EVENTS_IN_EVENTS_GROUP,
  JOBS,
  LEASES,
  NAMESPACES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  RESOURCE_QUOTAS,
  RUNTIME_CLASSES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../core/api/registry/resources.ts';
import { withPlainManaged } from '../../core/api/apply/managed.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { LOOPBACK } from '../contract/users.ts';
import type { ApiServer } from '../api-server.ts';
import type { ApiPatch } from '../contract/request.ts';
import { configMap, failure } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

const owners = (object: KubeObject): readonly string[] =>
  (withPlainManaged(object).metadata.managedFields ?? []).map(
    ({ fieldsV1, manager, operation }) => `${manager} ${operation} ${JSON.stringify(fieldsV1)}`,
  );
const named = <T extends object>(apiVersion: string, kind: string, rest: T, metadata = {}) => ({
  apiVersion,
  kind,
  metadata: { name: 'a', ...metadata },
  ...rest,
});
const local = <T extends object>(apiVersion: string, kind: string, rest: T) =>
  named(apiVersion, kind, rest, { namespace: 'default' });
const KEY = { namespace: 'default', name: 'a' };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const workload = { selector: { matchLabels: { a: 'b' } }, template };

/** A PATCH as it comes over the wire; returns the warnings. */
async function patched(
  server: ApiServer,
  resource: { readonly group: string; readonly version: string; readonly resource: string },
  patch: ApiPatch,
  more: { readonly repeatedKeys?: readonly string[]; readonly strict?: boolean } = {},
): Promise<readonly string[]> {
  const warnings: string[] = [];
  const { group, resource: plural, version } = resource;
  await server.handle({
    verb: 'patch',
    target: { tenant: 'system', group, version, resource: plural, namespace: 'default', name: 'a', subresource: '' },
    user: LOOPBACK,
    patch,
    options: { fieldManager: 'm', ...(more.strict === true ? { fieldValidation: 'Strict' } : {}) },
    warn: (text) => void warnings.push(text),
    ...(more.repeatedKeys === undefined ? {} : { repeatedKeys: more.repeatedKeys }),
  });
  return warnings;
}

describe('who owns what', () => {
  it('of a new object: not that it is being deleted', async () => {
    const { client } = await createTestServer();
    const made = await client.create(CONFIG_MAPS, configMap('a', { deletionGracePeriodSeconds: 5 }, { k: 'v' }));
    expect(owners(made)).toEqual(['everynode Update {"f:data":{".":{},"f:k":{}}}']);
  });

  it('of a DaemonSet: also the annotation that Go adds to whatever it writes', async () => {
    const { client } = await createTestServer();
    const set = await client.create(DAEMON_SETS, local('apps/v1', 'DaemonSet', { spec: workload }) as never);
    expect(owners(set)[0]).toContain('"f:annotations":{".":{},"f:deprecated.daemonset.template.generation":{}}');
  });

  it('of a list that is required but not always written: the list itself', async () => {
    const { client } = await createTestServer();
    const spec = { policyName: 'p', validationActions: ['Deny'] };
    const kind = 'ValidatingAdmissionPolicyBinding';
    const binding = named('admissionregistration.k8s.io/v1', kind, { spec });
    const made = await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, binding);
    expect(owners(made)[0]).toContain('"f:validationActions":{".":{},"v:\\"Deny\\"":{}}');
  });

  it('of a list whose items have no names: nobody', async () => {
    const { client } = await createTestServer();
    const account = await client.create(SERVICE_ACCOUNTS, local('v1', 'ServiceAccount', { secrets: [{}] }));
    expect(owners(account)).toEqual([]);
    const more = { ...local('v1', 'ServiceAccount', { secrets: [{ name: 's' }] }), secrets: [{ name: 's' }] };
    const error = await failure(client.apply(SERVICE_ACCOUNTS, more, { fieldManager: 'm' }));
    expect(error.code).toBe(500);
  });

  it('of replicas that were set to none through scale: nobody', async () => {
    const { client, server } = await createTestServer();
    const target = { tenant: 'system', group: 'apps', version: 'v1', resource: 'deployments', ...KEY };
    await client.create(DEPLOYMENTS, local('apps/v1', 'Deployment', { spec: { ...workload, replicas: 2 } }) as never);
    const body = { spec: { replicas: 0 } };
    const request = { verb: 'patch', target: { ...target, subresource: 'scale' }, user: LOOPBACK } as const;
    const answer = await server.handle({ ...request, patch: { type: 'merge', body }, options: { fieldManager: 'm' } });
    expect(answer).toMatchObject({ object: { kind: 'Scale', spec: {} } });
    const left = await client.get(DEPLOYMENTS, KEY);
    expect(left.spec?.replicas).toBe(0);
    expect(owners(left).join()).not.toContain('f:replicas');
  });
});

describe('deletions', () => {
  it('of a definition are marked without a grace and without a new generation', async () => {
    const { client } = await createTestServer();
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const spec = { group: 'e.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions };
    const definition = named('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { spec }, { name: 'things.e.com' });
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
    const { metadata } = (await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: 'things.e.com' })) as KubeObject;
    expect(metadata).toMatchObject({ generation: 1, deletionTimestamp: expect.any(String) as string });
    expect(metadata.deletionGracePeriodSeconds).toBeUndefined();
  });

  it('of what is marked by its own server are refused in its words', async () => {
    const { client } = await createTestServer();
    await client.create(NAMESPACES, named('v1', 'Namespace', {}));
    const error = await failure(client.delete(NAMESPACES, { name: 'a' }, { preconditions: { uid: 'x' } }));
    expect(error.status).toMatchObject({
      message: expect.stringContaining('on namespaces "a": Precondition failed: UID in precondition: x') as string,
      details: { kind: 'namespaces' },
    });
  });

  it('of jobs warn of their pods even where there is none', async () => {
    const { server } = await createTestServer();
    const warnings: string[] = [];
    await server.handle({
      verb: 'deletecollection',
      target: { tenant: 'system', ...JOBS, namespace: 'default', name: '', subresource: '' },
      user: LOOPBACK,
      options: {},
      warn: (text) => void warnings.push(text),
    });
    expect(warnings).toEqual([expect.stringContaining('child pods are preserved by default')]);
  });
});

describe('updates', () => {
  it('ask whether the body is about the object before whether there is one', async () => {
    const { client, server } = await createTestServer();
    const target = { tenant: 'system', ...CONFIG_MAPS, ...KEY, subresource: '' };
    const request = { verb: 'update', target, user: LOOPBACK, options: {} } as const;
    const other = { ...request, object: configMap('other') };
    await expect(Promise.resolve().then(() => server.handle(other))).rejects.toMatchObject({ code: 400 });
    expect((await failure(client.update(CONFIG_MAPS, configMap('a')))).code).toBe(404);
  });

  it('may create some kinds, whose version must at least be a number', async () => {
    const { client } = await createTestServer();
    const runtime = named('node.k8s.io/v1', 'RuntimeClass', { handler: 'runc' });
    expect((await client.update(RUNTIME_CLASSES, runtime as never)).metadata.uid).toBeDefined();
    const lease = named('coordination.k8s.io/v1', 'Lease', {}, { namespace: 'default', resourceVersion: 'x' });
    expect((await failure(client.update(LEASES, lease as never))).status).toMatchObject({
      code: 500,
      message: 'strconv.ParseUint: parsing "x": invalid syntax',
    });
  });

  it('count generations of a driver from its first change', async () => {
    const { client } = await createTestServer();
    const made = await client.create(CSI_DRIVERS, named('storage.k8s.io/v1', 'CSIDriver', { spec: {} }));
    expect(made.metadata.generation).toBeUndefined();
    const body = { spec: { requiresRepublish: true } };
    const changed = await client.patch(CSI_DRIVERS, { name: 'a' }, { type: 'merge', body });
    expect(changed.metadata.generation).toBe(1);
  });

  it('of the status of a policy write nothing else by the way', async () => {
    const { client } = await createTestServer();
    const rule = { apiGroups: ['e.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] };
    const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] };
    const policy = named('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', { spec });
    await client.create(VALIDATING_ADMISSION_POLICIES, policy);
    const body = { metadata: { labels: { late: 'x' }, finalizers: ['anybody'] }, status: { observedGeneration: 1 } };
    const options = { subresource: 'status' } as const;
    const after = await client.patch(VALIDATING_ADMISSION_POLICIES, { name: 'a' }, { type: 'merge', body }, options);
    expect(after).toMatchObject({ status: { observedGeneration: 1 } });
    expect(after.metadata).not.toHaveProperty('labels');
    expect(after.metadata).not.toHaveProperty('finalizers');
  });

  it('warn although nothing changes', async () => {
    const { client, server } = await createTestServer();
    const spec = { ports: [{ port: 80 }], externalName: 'x' };
    await client.create(SERVICES, local('v1', 'Service', { spec }));
    expect(await patched(server, SERVICES, { type: 'merge', body: {} })).toEqual([
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ]);
  });
});

describe('patches', () => {
  it('of a selector that is replaced replace it', async () => {
    const { client } = await createTestServer();
    const spec = { minAvailable: 1, selector: { matchLabels: { a: 'b' } } };
    await client.create(POD_DISRUPTION_BUDGETS, local('policy/v1', 'PodDisruptionBudget', { spec }));
    const body = { spec: { selector: {} } };
    const after = await client.patch(POD_DISRUPTION_BUDGETS, KEY, { type: 'strategic', body });
    expect(after.spec?.selector).toEqual({});
    expect(after.metadata.generation).toBe(2);
  });

  it('in YAML that repeat a key are told so in the words of its decoder', async () => {
    const { server } = await createTestServer();
    const patch: ApiPatch = { type: 'apply', body: configMap('a'), force: false };
    const repeatedKeys = ['line 2: key "data" already set in map'];
    expect(await patched(server, CONFIG_MAPS, patch, { repeatedKeys })).toEqual(repeatedKeys);
    const refused = Promise.resolve().then(() => patched(server, CONFIG_MAPS, patch, { repeatedKeys, strict: true }));
    await expect(refused).rejects.toThrow(
      'error strict decoding YAML: yaml: unmarshal errors:\n  line 2: key "data" already set in map',
    );
  });

  it('that apply what cannot be read fail where nobody expects it', async () => {
    const { client } = await createTestServer();
    const secret = { ...local('v1', 'Secret', { data: { k: '!!!' } }) };
    const error = await failure(client.apply(SECRETS, secret, { fieldManager: 'm' }));
    expect(error.status).toMatchObject({
      code: 500,
      message:
        'failed to convert new object (default/a; /v1, Kind=Secret) to proper version: unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 0',
    });
  });

  it('of operations that are none are refused in the words of the server', async () => {
    const { client } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a'));
    const error = await failure(client.patch(CONFIG_MAPS, KEY, { type: 'json', body: [5] as never }));
    expect(error.message).toBe(
      'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    );
  });
});

describe('new objects', () => {
  it('begin with what their kind notes of itself', async () => {
    const { client } = await createTestServer();
    const spec = { capacity: { storage: '1.2345678901' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/p' } };
    const volume = await client.create(PERSISTENT_VOLUMES, named('v1', 'PersistentVolume', { spec }));
    expect(volume.status?.lastPhaseTransitionTime).toBe(volume.metadata.creationTimestamp);
    expect(volume.spec?.capacity).toEqual({ storage: '1235m' });
    const quota = await client.create(RESOURCE_QUOTAS, local('v1', 'ResourceQuota', { spec: {} }));
    expect(quota).toMatchObject({ status: {} });
    const bound = await client.patch(
      PERSISTENT_VOLUMES,
      { name: 'a' },
      { type: 'merge', body: { status: { phase: 'Available', lastPhaseTransitionTime: null } } },
      { subresource: 'status' },
    );
    expect(bound.status).toMatchObject({ phase: 'Available' });
  });

  it('of amounts finer than a thousandth are rounded up', async () => {
    const { client } = await createTestServer();
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1.2345678901' } } };
    const claim = local('v1', 'PersistentVolumeClaim', { spec });
    const made = await client.create(PERSISTENT_VOLUME_CLAIMS, claim);
    expect(made.spec?.resources?.requests).toEqual({ storage: '1235m' });
  });

  it('in the newer group of events are judged by its rules, and named as it names them', async () => {
    const { client } = await createTestServer();
    const event = named(
      'events.k8s.io/v1',
      'Event',
      {
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'e.com/c',
        reportingInstance: 'i',
        action: 'A',
        reason: 'R',
        type: 'Normal',
        regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
      },
      { namespace: 'default' },
    );
    const counted = await failure(client.create(EVENTS_IN_EVENTS_GROUP, { ...event, deprecatedCount: 2 }));
    expect(counted.status.details?.causes).toEqual([
      { reason: 'FieldValueInvalid', message: 'Invalid value: "": needs to be unset', field: 'count' },
    ]);
    await client.create(EVENTS_IN_EVENTS_GROUP, event);
    const again = await failure(client.create(EVENTS_IN_EVENTS_GROUP, event));
    expect(again.status).toMatchObject({
      message: 'events.events.k8s.io "a" already exists',
      details: { name: 'a', group: 'events.k8s.io', kind: 'events' },
    });
  });

  it('whose addresses contradict each other are refused before any is given out', async () => {
    const { client } = await createTestServer();
    const spec = { clusterIP: '10.0.0', clusterIPs: ['10.0.0.1', '10.0.0.1'], ports: [{ port: 80 }] };
    const error = await failure(client.create(SERVICES, local('v1', 'Service', { spec })));
    expect(error.message).toContain('first value must match `clusterIP`');
    expect(error.message).not.toContain('failed to allocate');
  });

  it('have one port on the nodes for one port in several protocols', async () => {
    const { client } = await createTestServer();
    const ports = [
      { name: 'a', port: 53, protocol: 'TCP' },
      { name: 'b', port: 53, protocol: 'UDP' },
    ];
    const made = await client.create(SERVICES, local('v1', 'Service', { spec: { type: 'NodePort', ports } }));
    const [one, other] = (made as unknown as { spec: { ports: { nodePort: number }[] } }).spec.ports;
    expect(one?.nodePort).toBeGreaterThan(0);
    expect(other?.nodePort).toBe(one?.nodePort);
  });

  it('of names outside of the cluster have no traffic inside of it', async () => {
    const { client } = await createTestServer();
    const spec = { type: 'ExternalName', externalName: 'e.com', internalTrafficPolicy: 'Cluster' };
    const made = await client.create(SERVICES, local('v1', 'Service', { spec }));
    expect(made.spec).not.toHaveProperty('internalTrafficPolicy');
  });

  it('of certificates that are none warn of it', async () => {
    const { server } = await createTestServer();
    const warnings: string[] = [];
    const data = { 'tls.crt': 'YQ==', 'tls.key': 'Yg==' };
    await server.handle({
      verb: 'create',
      target: { tenant: 'system', ...SECRETS, namespace: 'default', name: '', subresource: '' },
      user: LOOPBACK,
      options: {},
      object: local('v1', 'Secret', { type: 'kubernetes.io/tls', data }),
      warn: (text) => void warnings.push(text),
    });
    expect(warnings).toEqual(['tls: failed to find any PEM data in certificate input']);
  });
});

describe('the status of a Service that is not there', () => {
  const status = { loadBalancer: { ingress: [{ ip: '10.1.1.1' }] } };
  const put = (server: ApiServer, object: object) =>
    server.handle({
      verb: 'update',
      target: {
        tenant: 'system',
        group: '',
        version: 'v1',
        resource: 'services',
        subresource: 'status',
        ...KEY,
      },
      user: LOOPBACK,
      object: object as KubeObject,
      options: { fieldManager: 'm' },
    });

  it('is judged as a new Service, because a PUT may create one', async () => {
    const { client, server } = await createTestServer();
    const error = await failure(Promise.resolve().then(() => put(server, local('v1', 'Service', { status }))));
    expect([error.code, error.message]).toEqual([422, 'Service "a" is invalid: spec.ports: Required value']);
    const applied = failure(
      client.apply(SERVICES, local('v1', 'Service', { status, spec: {} }), {
        fieldManager: 'm',
        subresource: 'status',
      }),
    );
    expect((await applied).code).toBe(422);
  });

  it('of an old one is refused: another of that name would not be it', async () => {
    const { server } = await createTestServer();
    const old = named(
      'v1',
      'Service',
      { status },
      { namespace: 'default', uid: 'b9f7d6f2-54d1-4ac4-9a0e-4f2b1b9d7a11' },
    );
    expect((await failure(Promise.resolve().then(() => put(server, old)))).code).toBe(409);
  });

  it('makes it, without the status, where it is a whole one', async () => {
    const { client, server } = await createTestServer();
    const spec = { ports: [{ port: 80 }] };
    expect(await put(server, local('v1', 'Service', { spec, status }))).toMatchObject({ created: true });
    const made = await client.get(SERVICES, KEY);
    expect(made.status).toEqual({ loadBalancer: {} });
    expect(made.spec.clusterIPs).toHaveLength(1);
  });

  it('stays unknown where a PUT creates nothing', async () => {
    const { client } = await createTestServer();
    const set = local('apps/v1', 'DaemonSet', { spec: workload }) as never;
    expect((await failure(client.update(DAEMON_SETS, set, { subresource: 'status' }))).code).toBe(404);
  });
});

describe('a patch in an older form of a kind', () => {
  it('that leaves nothing of a part is judged, whatever the conversion wants to find there', async () => {
    const { client, server } = await createTestServer();
    const spec = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 };
    const scaler = local('autoscaling/v1', 'HorizontalPodAutoscaler', { spec });
    const resource = {
      group: 'autoscaling',
      version: 'v1',
      resource: 'horizontalpodautoscalers',
      kind: 'HorizontalPodAutoscaler',
      namespaced: true,
    };
    await client.create(resource, scaler);
    for (const [type, body] of [
      ['json', [{ op: 'replace', path: '/spec', value: null }]],
      ['merge', { spec: null }],
    ] as const) {
      const error = await failure(patched(server, resource, { type, body } as ApiPatch));
      expect([error.code, error.reason]).toEqual([422, 'Invalid']);
      expect(error.message).toContain('spec.maxReplicas');
    }
  });
});

describe('a body about another object than its path', () => {
  it('is refused without a word about its owners', async () => {
    const { server } = await createTestServer();
    const warnings: string[] = [];
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u' };
    const object = named(
      'v1',
      'ConfigMap',
      {},
      { name: 'other', namespace: 'default', ownerReferences: [owner, owner] },
    );
    const { group, version, resource } = CONFIG_MAPS;
    const answer = Promise.resolve().then(() =>
      server.handle({
        verb: 'update',
        target: { tenant: 'system', group, version, resource, subresource: '', ...KEY },
        user: LOOPBACK,
        object,
        options: {},
        warn: (text) => void warnings.push(text),
      }),
    );
    expect((await failure(answer)).code).toBe(400);
    expect(warnings).toEqual([]);
  });
});

describe('a change of a Service that asks for what cannot be had', () => {
  it.each([
    [{ ipFamilies: ['IPv4', 'IPv6'], trafficDistribution: 'x' }, 'spec.ipFamilyPolicy'],
    [{ ports: [{ port: 0, nodePort: 2 }] }, 'spec.ports[0].nodePort'],
  ])('is told of that alone: %j', async (spec, path) => {
    const { client } = await createTestServer();
    const service = local('v1', 'Service', { spec: { type: 'NodePort', ports: [{ port: 80 }] } });
    await client.create(SERVICES, service);
    const error = await failure(client.patch(SERVICES, KEY, { type: 'merge', body: { spec } as never }));
    expect(error.code).toBe(422);
    expect((error.status.details?.causes ?? []).map(({ field }) => field)).toEqual([path]);
  });
});
