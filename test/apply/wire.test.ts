/** Apply and owners over HTTP: content types, names from user agents, and every form in which an object is answered. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { request as httpsRequest } from 'node:https';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { credentialsOf, type Credentials } from './credentials.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
}

let cluster: TestCluster;
let credentials: Credentials;

beforeAll(async () => {
  cluster = await startTestCluster({ groups: [] });
  credentials = credentialsOf(cluster.kubeconfig);
});
afterAll(() => cluster.stop());

interface Send {
  readonly body?: string;
  readonly type?: string;
  readonly accept?: string;
  readonly agent?: string;
}

const send = (method: string, path: string, { accept, agent, body, type }: Send = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...(type === undefined ? {} : { 'content-type': type }),
      accept: accept ?? 'application/json',
      ...(agent === undefined ? {} : { 'user-agent': agent }),
    };
    const sent = httpsRequest(
      new URL(path, credentials.server),
      { ...credentials.tls, method, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

const PATH = '/api/v1/namespaces/default/configmaps';
const APPLY = 'application/apply-patch+yaml';
const yaml = (name: string, data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata: ${data}\n`;
const managers = (text: string): readonly string[] =>
  (
    JSON.parse(text) as { metadata: { managedFields: { manager: string; operation: string }[] } }
  ).metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`);

describe('over HTTP', () => {
  it('YAML is applied: 201, then 200; the same again is the same version', async () => {
    const path = `${PATH}/one?fieldManager=ann`;
    const first = await send('PATCH', path, { type: APPLY, body: yaml('one', '{a: "1"}') });
    expect(first.status).toBe(201);
    expect(managers(first.text)).toEqual(['ann Apply']);
    const second = await send('PATCH', path, { type: APPLY, body: yaml('one', '{a: "1"}') });
    expect([second.status, second.text]).toEqual([200, first.text]);
    const conflict = await send('PATCH', `${PATH}/one?fieldManager=bob`, {
      type: APPLY,
      body: yaml('one', '{a: "2"}'),
    });
    expect(JSON.parse(conflict.text)).toMatchObject({
      status: 'Failure',
      reason: 'Conflict',
      code: 409,
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "ann"', field: '.data.a' }] },
    });
    const forced = `${PATH}/one?fieldManager=bob&force=true`;
    expect((await send('PATCH', forced, { type: APPLY, body: yaml('one', '{a: "2"}') })).status).toBe(200);
  });

  it('a writer without a name is called by its program', async () => {
    const body = (name: string): string => JSON.stringify({ metadata: { name }, data: { a: '1' } });
    const type = 'application/json';
    const named = async (agent: string, name: string): Promise<readonly string[]> =>
      managers((await send('POST', PATH, { type, body: body(name), agent })).text);
    expect(await named('kubectl/v1.36 (linux/amd64) kubernetes/abc', 'agent-1')).toEqual(['kubectl Update']);
    expect(await named('', 'agent-2')).toEqual(['unknown Update']);
    const long = await send('POST', PATH, { type, body: body('agent-3'), agent: `${'x'.repeat(200)}/1` });
    expect(managers(long.text)).toEqual([`${'x'.repeat(128)} Update`]);
    const query = await send('POST', `${PATH}?fieldManager=me`, { type, body: body('agent-4'), agent: 'kubectl/v1' });
    expect(managers(query.text)).toEqual(['me Update']);
  });

  it('owners are in every form of an answer that has metadata', async () => {
    await send('PATCH', `${PATH}/forms?fieldManager=ann`, { type: APPLY, body: yaml('forms', '{a: "1"}') });
    const path = `${PATH}/forms`;
    expect(managers((await send('GET', path)).text)).toEqual(['ann Apply']);
    expect((await send('GET', path, { accept: 'application/yaml' })).text).toContain('manager: ann');
    const protobuf = await send('GET', path, { accept: 'application/vnd.kubernetes.protobuf' });
    expect(protobuf.text).toContain('{"f:data":{"f:a":{}}}');
    const partial = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    expect((await send('GET', PATH, { accept: partial })).text).toContain('"manager":"ann"');
    expect((await send('GET', `${PATH}?fieldSelector=metadata.name%3Dforms`)).text).toContain('"manager":"ann"');
    expect((await send('GET', `${PATH}?watch=1&timeoutSeconds=1`)).text).toContain('"manager":"ann"');
  });

  it('what is not right about an application is said', async () => {
    const nameless = await send('PATCH', `${PATH}/x`, { type: APPLY, body: yaml('x', '{}') });
    expect(JSON.parse(nameless.text)).toMatchObject({
      code: 422,
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    });
    const forced = await send('PATCH', `${PATH}/one?force=true`, {
      type: 'application/merge-patch+json',
      body: '{"data":{"z":"1"}}',
    });
    expect(JSON.parse(forced.text)).toMatchObject({
      code: 422,
      message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    });
    const broken = await send('PATCH', `${PATH}/x?fieldManager=ann`, { type: APPLY, body: '{a: [' });
    expect(broken.status).toBe(400);
    const unknown = await send('PATCH', `${PATH}/x?fieldManager=ann`, {
      type: APPLY,
      body: `${yaml('x', '{}')}foo: 1\n`,
    });
    expect(JSON.parse(unknown.text)).toMatchObject({
      code: 500,
      message: 'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .foo: field not declared in schema',
    });
  });
});
