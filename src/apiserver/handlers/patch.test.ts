import { describe, expect, it } from 'vitest';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { builtInKinds } from '../../core/api/registry/built-in-kinds.ts';
import { CONFIG_MAPS, DAEMON_SETS } from '../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Patch } from '../../machinery/client/client.ts';
import { configMap, failure, thrown } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';
import { builtInPatchers, createPatchEngine } from './steps/patchers.ts';

const A = { namespace: 'default', name: 'a' };
const merge = (body: object): Patch => ({ type: 'merge', body: body as never });

const daemonSet: DaemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'a', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { name: '', labels: { app: 'a' } }, spec: { containers: [{ name: 'm', image: 'i:1' }] } },
  },
};

describe('patch', () => {
  it('changes what it names and shares the rest', async () => {
    const { client } = await createTestServer();
    const first = await client.create(CONFIG_MAPS, configMap('a', { labels: { x: 'y' } }, { k: 'v' }));
    const second = await client.patch(CONFIG_MAPS, A, merge({ metadata: { annotations: { n: '1' } } }));
    expect(second.metadata.annotations).toEqual({ n: '1' });
    expect(second.data).toBe(first.data);
    expect(second.metadata.labels).toBe(first.metadata.labels);
  });

  it('writes no revision when it changes nothing', async () => {
    const { client, store } = await createTestServer();
    const first = await client.create(CONFIG_MAPS, configMap('a', {}, { k: 'v' }));
    const before = store.revision;
    expect(await client.patch(CONFIG_MAPS, A, merge({ data: { k: 'v' } }))).toBe(first);
    expect(store.revision).toBe(before);
  });

  it('never conflicts with writes it does not know of, unless it names a version', async () => {
    const { client } = await createTestServer();
    const first = await client.create(CONFIG_MAPS, configMap('a'));
    const many = Array.from({ length: 50 }, (_, i) =>
      client.patch(CONFIG_MAPS, A, merge({ data: { [`k${i}`]: 'v' } })),
    );
    await Promise.all(many);
    const { data = {} } = await client.get(CONFIG_MAPS, A);
    expect(Object.keys(data)).toHaveLength(50);
    const { resourceVersion } = first.metadata;
    const late = client.patch(CONFIG_MAPS, A, merge({ metadata: { resourceVersion }, data: { late: '1' } }));
    expect((await failure(late)).reason).toBe('Conflict');
  });

  it('may not change who the object is', async () => {
    const { client } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a'));
    const renamed = await failure(client.patch(CONFIG_MAPS, A, merge({ metadata: { name: 'b' } })));
    expect(renamed.message).toBe('the name of the object (b) does not match the name on the URL (a)');
    expect((await failure(client.patch(CONFIG_MAPS, A, merge({ metadata: { namespace: 'x' } })))).code).toBe(400);
    expect((await failure(client.patch(CONFIG_MAPS, A, merge({ metadata: { uid: 'x' } })))).code).toBe(422);
    expect((await failure(client.patch(CONFIG_MAPS, A, merge({ kind: 'Secret' })))).code).toBe(422);
  });

  it('is judged by what it makes of the object', async () => {
    const { client } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a'));
    const wrong = await failure(client.patch(CONFIG_MAPS, A, merge({ data: { k: 5 } })));
    expect(wrong.status).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(wrong.message).toContain('cannot unmarshal number');
    for (const metadata of [5, null, []]) {
      const error = await failure(client.patch(CONFIG_MAPS, A, merge({ metadata })));
      expect([400, 422]).toContain(error.code);
    }
    const whole: Patch = { type: 'json', body: [{ op: 'replace', path: '', value: [] }] };
    expect((await failure(client.patch(CONFIG_MAPS, A, whole))).code).toBe(422);
  });

  it('is refused when its own form is wrong', async () => {
    const { client } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a'));
    expect((await failure(client.patch(CONFIG_MAPS, A, { type: 'merge', body: 5 }))).code).toBe(400);
    expect((await failure(client.patch(CONFIG_MAPS, A, { type: 'json', body: [5] }))).code).toBe(400);
    const test: Patch = { type: 'json', body: [{ op: 'test', path: '/data/k', value: 'x' }] };
    expect((await failure(client.patch(CONFIG_MAPS, A, test))).code).toBe(422);
  });

  it('of a format nobody here knows is 415, and the answer says what is known', () => {
    const [kind] = builtInKinds();
    const engine = createPatchEngine({ ...builtInPatchers, strategic: undefined as never });
    const error = thrown(() => engine.compile(kind as KindDefinition, { type: 'strategic', body: {} }));
    expect(error.status).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
    expect(error.message).toContain('application/json-patch+json, application/merge-patch+json');
  });

  it('counts a generation for what the user wants, none for labels or status', async () => {
    const { client } = await createTestServer();
    await client.create(DAEMON_SETS, daemonSet);
    const labelled = await client.patch(DAEMON_SETS, A, merge({ metadata: { labels: { x: 'y' } } }));
    expect(labelled.metadata.generation).toBe(1);
    const wanted = await client.patch(DAEMON_SETS, A, merge({ spec: { minReadySeconds: 5 } }));
    expect(wanted.metadata.generation).toBe(2);
    const reported = await client.patch(
      DAEMON_SETS,
      A,
      merge({ spec: { minReadySeconds: 9 }, status: { numberReady: 3 } }),
      { subresource: 'status' },
    );
    expect(reported.metadata.generation).toBe(2);
    expect(reported.spec?.minReadySeconds).toBe(5);
    expect(reported.status?.numberReady).toBe(3);
    const ignored = await client.patch(DAEMON_SETS, A, merge({ status: { numberReady: 8 } }));
    expect(ignored.status?.numberReady).toBe(3);
  });

  it('does not happen on a dry run', async () => {
    const { client, store } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a'));
    const before = store.revision;
    const seen = await client.patch(CONFIG_MAPS, A, merge({ data: { k: 'v' } }), { dryRun: true });
    expect(seen.data).toEqual({ k: 'v' });
    expect(store.revision).toBe(before);
  });

  it('does not touch prototypes', async () => {
    const { client } = await createTestServer();
    await client.create(CONFIG_MAPS, configMap('a'));
    const body = JSON.parse('{"data":{"__proto__":"x"},"__proto__":{"polluted":"yes"}}') as object;
    const seen = await client.patch(CONFIG_MAPS, A, merge(body));
    expect(Object.keys(seen.data ?? {})).toEqual(['__proto__']);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});
