/** The audit log: everybody who asks leaves a trace, secrets do not. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configMap, get, post, useHouse } from './support/house.ts';

const folder = mkdtempSync(join(tmpdir(), 'everynode-test-'));
const path = join(folder, 'audit.log');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const house = useHouse({
  audit: {
    path,
    policy: {
      omitStages: ['RequestReceived'],
      rules: [
        { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }] },
        { level: 'Metadata' },
      ],
    },
  },
});

interface Event {
  readonly verb: string;
  readonly requestURI: string;
  readonly auditID: string;
  readonly user: { readonly username?: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly responseStatus: { readonly code: number };
  readonly [key: string]: unknown;
}

/** Lines are written behind the answer. */
async function events(wanted: (event: Event) => boolean): Promise<readonly Event[]> {
  for (let tries = 0; tries < 50; tries += 1) {
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    const found = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Event);
    const chosen = found.filter(wanted);
    if (chosen.length > 0) return chosen;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return [];
}

describe('the audit log', () => {
  it('is for its owner alone', () => expect(statSync(path).mode & 0o777).toBe(0o600));

  it('says who did what, when, from where, and what came of it', async () => {
    const answer = await house.ask({
      ...post(JSON.stringify(configMap({}, 'audited'))),
      headers: { 'content-type': 'application/json', 'user-agent': 'tester/1' },
    });
    const [event] = await events(({ auditID }) => auditID === answer.headers['audit-id']);
    expect(event).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      stage: 'ResponseComplete',
      verb: 'create',
      user: { groups: expect.arrayContaining(['system:masters']) },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'tester/1',
      objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
      responseStatus: { code: 201 },
      requestObject: { metadata: { name: 'audited' } },
      responseObject: { metadata: { name: 'audited', uid: expect.any(String) } },
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    });
  });

  it('keeps secrets to itself, and credentials too', async () => {
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      stringData: { k: 'hush-hush' },
    });
    await house.ask({ ...post(body), path: '/api/v1/namespaces/default/secrets' });
    await house.askAnonymously({ ...get('/api/v1/pods'), headers: { authorization: 'Bearer not-to-be-seen' } });
    expect(await events(({ requestURI }) => requestURI.endsWith('/secrets'))).not.toHaveLength(0);
    expect(readFileSync(path, 'utf8')).not.toMatch(/hush-hush|not-to-be-seen|aHVzaC1odXNo/);
  });

  it('does not repeat what was wrong with a body of which only the metadata is asked for', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'patched' }, stringData: { k: 'hush-hush' } };
    await house.ask({ ...post(JSON.stringify(secret)), path: secrets });
    const answer = await house.ask({
      method: 'PATCH',
      path: `${secrets}/patched?fieldValidation=Strict`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ dota: {} }),
    });
    // As on Kubernetes, whoever sent it is shown the whole object.
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('aHVzaC1odXNo');
    const [event] = await events(({ auditID }) => auditID === answer.headers['audit-id']);
    expect(event?.responseStatus).toEqual({ metadata: {}, status: 'Failure', reason: 'Invalid', code: 422 });
    expect(readFileSync(path, 'utf8')).not.toMatch(/hush-hush|aHVzaC1odXNo/);
  });

  it('names those who were refused, and those who acted as others', async () => {
    await house.askAnonymously(get('/api/v1/nodes'));
    const [refused] = await events(({ requestURI, verb }) => requestURI === '/api/v1/nodes' && verb === 'list');
    expect(refused).toMatchObject({ user: { username: 'system:anonymous' }, responseStatus: { code: 403 } });
    await house.ask({ ...get('/api/v1/services'), headers: { 'impersonate-user': 'eve' } });
    const [other] = await events(({ requestURI }) => requestURI === '/api/v1/services');
    expect(other).toMatchObject({ impersonatedUser: { username: 'eve' }, responseStatus: { code: 403 } });
  });
});
