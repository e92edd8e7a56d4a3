/** Admission webhooks over real HTTPS: who is asked about what, what their answers do, and what silence means. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  NODES,
  SERVICES,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../src/core/api/registry/resources.ts';
import type { MutatingWebhook, ValidatingWebhook } from '../../src/core/api/types/admissionregistration-v1.ts';
import type { ConfigMap } from '../../src/core/api/types/core-v1.ts';
import type { StatusError } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { jsonPatch, startWebhook, type WebhookServer } from './webhook-server.ts';

let cluster: TestCluster;
let server: WebhookServer;
let client: Client;

beforeAll(async () => {
  // It writes config maps of its own, which webhooks would be asked about.
  cluster = await startTestCluster({ groups: [], controllers: ['*', '-root-ca-certificate-publisher-controller'] });
  server = await startWebhook(['127.0.0.1', 'hooks.default.svc']);
  ({ client } = cluster);
}, 60_000);
afterAll(async () => {
  await cluster.stop();
  await server.close();
});
afterEach(async () => {
  for (const resource of [MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS]) {
    await client.deleteCollection(resource);
  }
  server.asked.length = 0;
});

const RULES = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }];

const hook = (path: string, more: object = {}): MutatingWebhook & ValidatingWebhook => ({
  name: `${path.slice(1)}.example.com`,
  clientConfig: { url: `https://127.0.0.1:${server.port}${path}`, caBundle: server.caBundle },
  rules: RULES,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 2,
  ...more,
});

const mutating = (name: string, ...webhooks: MutatingWebhook[]) =>
  client.create(MUTATING_WEBHOOK_CONFIGURATIONS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks,
  });

const validating = (name: string, ...webhooks: ValidatingWebhook[]) =>
  client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks,
  });

let count = 0;
const configMap = (more: Partial<ConfigMap> = {}, labels: { [key: string]: string } = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `map-${(count += 1)}`, namespace: 'default', labels },
  data: { a: '1' },
  ...more,
});

const refusal = (write: Promise<unknown>): Promise<StatusError['status']> =>
  write.then(
    () => Promise.reject(new Error('it was allowed')),
    (error: StatusError) => error.status,
  );

describe('a mutating webhook', () => {
  it('changes what is stored, and is told everything about the request', async () => {
    server.on('/label', () => jsonPatch({ op: 'add', path: '/metadata/labels/seen', value: 'yes' }));
    await mutating('one', hook('/label'));
    const made = await client.create(CONFIG_MAPS, configMap({}, { app: 'x' }));
    expect(made.metadata.labels).toEqual({ app: 'x', seen: 'yes' });
    const [first] = server.asked;
    expect(first?.review.request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { version: 'v1', kind: 'ConfigMap' },
      name: made.metadata.name,
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { groups: expect.arrayContaining(['system:masters']) },
      object: { data: { a: '1' } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
    await client.update(CONFIG_MAPS, { ...made, data: { a: '2' } });
    await client.delete(CONFIG_MAPS, { namespace: 'default', name: made.metadata.name });
    expect(server.asked.map(({ review }) => [review.request.operation, review.request.object !== null])).toEqual([
      ['CREATE', true],
      ['UPDATE', true],
      ['DELETE', false],
    ]);
  });

  it('is asked in order of configuration names, each seeing what the one before did', async () => {
    server.on('/first', () => jsonPatch({ op: 'add', path: '/data/order', value: 'first' }));
    server.on('/second', ({ request }) => {
      const { data } = request.object as unknown as ConfigMap;
      return jsonPatch({ op: 'replace', path: '/data/order', value: `${data?.['order']},second` });
    });
    await mutating('b', hook('/second'));
    await mutating('a', hook('/first'));
    const made = await client.create(CONFIG_MAPS, configMap());
    expect(made.data?.['order']).toBe('first,second');
  });

  it('that asked for it is asked again when a later one changed the object, once', async () => {
    server.on('/counts', ({ request }) => {
      const { data } = request.object as unknown as ConfigMap;
      const size = String(Object.keys(data ?? {}).length);
      return jsonPatch({ op: 'add', path: '/metadata/annotations', value: { size } });
    });
    server.on('/adds', () => jsonPatch({ op: 'add', path: '/data/extra', value: 'x' }));
    await mutating('a', hook('/counts', { reinvocationPolicy: 'IfNeeded' }), hook('/adds'));
    const made = await client.create(CONFIG_MAPS, configMap());
    expect(made.metadata.annotations).toEqual({ size: '2' });
    expect(server.asked.map(({ path }) => path)).toEqual(['/counts', '/adds', '/counts']);
  });

  it('whose patch makes the object invalid does not get it stored', async () => {
    server.on('/breaks', () => jsonPatch({ op: 'add', path: '/data/bad key', value: 'x' }));
    await mutating('a', hook('/breaks'));
    expect(await refusal(client.create(CONFIG_MAPS, configMap()))).toMatchObject({ code: 422, reason: 'Invalid' });
  });
});

describe('a mutating webhook that goes too far', () => {
  it.each([
    ['moves an object', { op: 'replace', path: '/metadata/namespace', value: 'kube-system' }, 400],
    ['makes another kind of it', { op: 'replace', path: '/kind', value: 'Secret' }, 500],
    ['makes no object of it', { op: 'add', path: '/data', value: 5 }, 500],
    ['patches what is not there', { op: 'remove', path: '/nothing/there' }, 500],
    ['reaches for prototypes', { op: 'add', path: '/__proto__/polluted', value: 'yes' }, 500],
  ])('and %s is not followed', async (_, operation, code) => {
    server.on('/far', () => jsonPatch(operation));
    await mutating('a', hook('/far'));
    const asked = configMap();
    expect((await refusal(client.create(CONFIG_MAPS, asked))).code).toBe(code);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

describe('a validating webhook', () => {
  it('is shown a scale as such', async () => {
    server.on('/scales', () => ({ allowed: false, status: { message: 'enough' }, warnings: ['really'] }));
    const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'], operations: ['*'] }];
    await validating('a', hook('/scales', { rules }));
    await client.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'scaled', namespace: 'default' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { name: '', labels: { app: 'a' } }, spec: { containers: [{ name: 'm', image: 'i' }] } },
      },
    });
    const key = { namespace: 'default', name: 'scaled' };
    const patch = { type: 'merge', body: { spec: { replicas: 1 } } } as const;
    const refused = await refusal(client.patch(DEPLOYMENTS, key, patch, { subresource: 'scale' }));
    expect(refused.message).toBe('admission webhook "scales.example.com" denied the request: enough');
    expect(server.asked.map(({ review }) => review.request)).toMatchObject([
      {
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        subResource: 'scale',
        object: { apiVersion: 'autoscaling/v1', spec: { replicas: 1 } },
        // None at all is not written.
        oldObject: { apiVersion: 'autoscaling/v1', spec: {}, status: { replicas: 0 } },
      },
    ]);
  });

  it('refuses with its own words, code and reason', async () => {
    server.on('/no', () => ({
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'not on my watch' },
    }));
    await validating('a', hook('/no'));
    expect(await refusal(client.create(CONFIG_MAPS, configMap()))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'admission webhook "no.example.com" denied the request: not on my watch',
    });
  });

  it('may refuse without explanation', async () => {
    server.on('/shrug', () => ({ allowed: false }));
    await validating('a', hook('/shrug'));
    expect(await refusal(client.create(CONFIG_MAPS, configMap()))).toMatchObject({
      code: 400,
      message: 'admission webhook "shrug.example.com" denied the request without explanation',
    });
  });

  it('sees what mutating ones made of the object, and may not change it', async () => {
    server.on('/adds', () => jsonPatch({ op: 'add', path: '/data/extra', value: 'x' }));
    server.on('/looks', ({ request }) => {
      const { data } = request.object as unknown as ConfigMap;
      return { allowed: data?.['extra'] === 'x' };
    });
    await mutating('a', hook('/adds'));
    await validating('a', hook('/looks'));
    await client.create(CONFIG_MAPS, configMap());
    server.on('/looks', () => jsonPatch({ op: 'add', path: '/data/extra', value: 'y' }));
    expect(await refusal(client.create(CONFIG_MAPS, configMap()))).toMatchObject({
      code: 500,
      message: expect.stringContaining('validating webhook may not return response.patch'),
    });
  });
});

describe('a webhook that fails', () => {
  it.each([
    ['answers with an error', () => ({ http: 500, text: 'boom' }), 'an error on the server ("boom") has prevented'],
    ['answers nonsense', () => ({ http: 200, text: '{' }), "couldn't get version/kind"],
    ['answers to another question', () => ({ uid: 'other' }), 'expected response.uid='],
    ['does not answer in time', () => 'silence' as const, 'context deadline exceeded'],
    ['answers neither yes nor no', () => ({ allowed: 'true' }), 'response.allowed of type bool'],
    ['sends bytes that are none', () => ({ patchType: 'JSONPatch', patch: '!!' }), 'illegal base64 data'],
  ])('closes the door when it %s, unless failures are to be ignored', async (_, answer, words) => {
    server.on('/fails', answer);
    await validating('a', hook('/fails', { timeoutSeconds: 1 }));
    expect(await refusal(client.create(CONFIG_MAPS, configMap()))).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: expect.stringMatching(/^Internal error occurred: failed calling webhook "fails\.example\.com": /),
    });
    expect((await refusal(client.create(CONFIG_MAPS, configMap()))).message).toContain(words);
    await client.deleteCollection(VALIDATING_WEBHOOK_CONFIGURATIONS);
    await validating('a', hook('/fails', { timeoutSeconds: 1, failurePolicy: 'Ignore' }));
    await client.create(CONFIG_MAPS, configMap());
  });

  it('is told apart when nobody listens, or the certificate is not to be trusted', async () => {
    const gone = { url: 'https://127.0.0.1:1/x', caBundle: server.caBundle };
    await validating('a', { ...hook('/gone'), clientConfig: gone });
    expect((await refusal(client.create(CONFIG_MAPS, configMap()))).message).toBe(
      'Internal error occurred: failed calling webhook "gone.example.com": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=2s": dial tcp 127.0.0.1:1: connect: connection refused',
    );
    await client.deleteCollection(VALIDATING_WEBHOOK_CONFIGURATIONS);
    server.on('/trusted', () => ({}));
    await validating('a', { ...hook('/trusted'), clientConfig: { url: `https://127.0.0.1:${server.port}/trusted` } });
    expect((await refusal(client.create(CONFIG_MAPS, configMap()))).message).toContain(
      'x509: certificate signed by unknown authority',
    );
  });

  it('can always be removed: configurations are not judged by webhooks', async () => {
    const everything = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }];
    await validating('a', { ...hook('/gone'), rules: everything, clientConfig: { url: 'https://127.0.0.1:1/x' } });
    await client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { namespace: '', name: 'a' });
  });
});

describe('who is asked', () => {
  beforeAll(() => server.on('/no', () => ({ allowed: false })));

  it('depends on labels of the object, before or after', async () => {
    await validating('a', hook('/no', { objectSelector: { matchLabels: { guarded: 'yes' } } }));
    const made = await client.create(CONFIG_MAPS, configMap());
    const guarded = { ...made, metadata: { ...made.metadata, labels: { guarded: 'yes' } } };
    expect(await refusal(client.update(CONFIG_MAPS, guarded))).toMatchObject({ code: 400 });
  });

  it('depends on labels of the namespace', async () => {
    await validating('a', hook('/no', { namespaceSelector: { matchLabels: { guarded: 'yes' } } }));
    await client.create(CONFIG_MAPS, configMap());
    await client.create(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'guarded', labels: { guarded: 'yes' } },
      spec: {},
    });
    const there = configMap();
    const write = client.create(CONFIG_MAPS, { ...there, metadata: { ...there.metadata, namespace: 'guarded' } });
    expect(await refusal(write)).toMatchObject({ code: 400 });
  });

  it('depends on conditions, which must all hold', async () => {
    const matchConditions = [
      { name: 'guarded', expression: "has(object.metadata.labels) && 'guarded' in object.metadata.labels" },
      { name: 'not-robots', expression: "!request.userInfo.username.startsWith('robot')" },
      { name: 'may', expression: "authorizer.group('').resource('configmaps').check('create').allowed()" },
    ];
    await validating('a', hook('/no', { matchConditions }));
    await client.create(CONFIG_MAPS, configMap());
    expect(await refusal(client.create(CONFIG_MAPS, configMap({}, { guarded: '1' })))).toMatchObject({ code: 400 });
  });

  it('is nobody for a dry run, if they might do something on the side', async () => {
    server.on('/yes', () => ({}));
    await validating('a', hook('/yes', { sideEffects: 'NoneOnDryRun' }));
    await client.create(CONFIG_MAPS, configMap(), { dryRun: true });
    expect(server.asked.at(-1)?.review.request).toMatchObject({ dryRun: true, options: { dryRun: ['All'] } });
  });

  it('may stand behind a service that is another name for it', async () => {
    server.on('/svc', () => ({}));
    const service = (name: string, spec: object) =>
      client.create(SERVICES, { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'default' }, spec });
    await service('empty', { ports: [{ port: 443 }] });
    await service('hooks', { type: 'ExternalName', externalName: 'localhost' });
    const behind = (name: string, port: number): ValidatingWebhook => ({
      ...hook('/svc'),
      clientConfig: { service: { namespace: 'default', name, path: '/svc', port }, caBundle: server.caBundle },
    });
    await validating('a', behind('empty', 443));
    expect((await refusal(client.create(CONFIG_MAPS, configMap()))).message).toContain(
      'no endpoints available for service "empty"',
    );
    await client.deleteCollection(VALIDATING_WEBHOOK_CONFIGURATIONS);
    await validating('a', behind('hooks', server.port));
    await client.create(CONFIG_MAPS, configMap());
    expect(server.asked.at(-1)?.path).toBe('/svc');
  });

  it('is told that nothing runs in simulated pods, and how to be reached all the same', async () => {
    server.on('/svc', () => ({}));
    const metadata = { name: 'pods', namespace: 'default' };
    await client.create(SERVICES, { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 443 }] } });
    const node = (name: string, simulated: string) =>
      client.create(NODES, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, annotations: { 'everynode.dev/simulated': simulated } },
        spec: {},
      });
    await node('pretended', 'true');
    const endpoint = (name: string, nodeName: string) => ({
      addresses: ['10.128.0.1'],
      conditions: { ready: true },
      nodeName,
      targetRef: { kind: 'Pod', namespace: 'default', name },
    });
    await client.create(ENDPOINT_SLICES, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'pods' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: server.port }],
      endpoints: [endpoint('a', 'pretended'), endpoint('b', 'pretended')],
    });
    await validating('a', {
      ...hook('/svc'),
      clientConfig: {
        service: { namespace: 'default', name: 'pods', path: '/svc', port: 443 },
        caBundle: server.caBundle,
      },
    });
    const { message } = await refusal(client.create(CONFIG_MAPS, configMap()));
    expect(message).toMatch(/failed calling webhook "[^"]+": failed to call webhook: /);
    expect(message).toContain(
      'service "default/pods" has 2 endpoints, all of them pods of simulated nodes, in which nothing runs',
    );
    expect(message).toContain('clientConfig.url (https://127.0.0.1:PORT/PATH');
  });
});
