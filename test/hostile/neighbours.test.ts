/** One user's long work, and what another user sees of it. Orders and counts, no times: those are in bench `api`. */
import { beforeAll, describe, expect, it } from 'vitest';
import { accountWith } from '../support/account.ts';
import { configMap, get, patch, post, useHouse } from './support/house.ts';
import { openHttp2, statusOf, type WireAnswer, type WireRequest } from './support/wire-client.ts';

const house = useHouse();
const MAPS = '/api/v1/namespaces/default/configmaps';
const YAML = 'application/yaml';

/** Another user, with all rights. */
let neighbour: (request: WireRequest) => Promise<WireAnswer>;
beforeAll(async () => {
  const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
  const token = await accountWith(house.cluster.client, 'neighbour', [everything]);
  neighbour = ({ headers, ...rest }) =>
    house.askAnonymously({ ...rest, headers: { ...headers, authorization: `Bearer ${token}` } });
}, 60_000);

const yaml = (keys: number): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: new\ndata:\n${Array.from({ length: keys }, (_, i) => `  k${i}: "v"`).join('\n')}\n`;
const dryRun = (body: string, type = YAML): WireRequest => post(body, type, `${MAPS}?dryRun=All`);

describe('YAML bodies of one user', { timeout: 60_000 }, () => {
  it('do not come before those of another that were sent later', async () => {
    const answered: string[] = [];
    const large = Array.from({ length: 8 }, () =>
      house.ask(dryRun(yaml(4000))).then(({ status }) => answered.push(`greedy ${status}`)),
    );
    // By then all of them have come in.
    await Promise.race(large);
    await neighbour(dryRun(yaml(1000))).then(({ status }) => answered.push(`neighbour ${status}`));
    await Promise.all(large);
    expect(answered).toHaveLength(9);
    expect(answered.indexOf('neighbour 201')).toBeLessThan(4);
  });

  it('beyond a few are told to come back, while another user is served', async () => {
    const large = Array.from({ length: 24 }, () => house.ask(dryRun(yaml(30_000))));
    expect((await neighbour(dryRun(yaml(1000)))).status).toBe(201);
    // On a busy machine the last ones may be given up by their client.
    const answers = (await Promise.allSettled(large)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.headers['retry-after']).toBe('1');
      expect(statusOf(answer)).toMatchObject({ reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } });
    }
  });
});

describe('JSON under a YAML type', () => {
  const deep = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"data":${'['.repeat(2000)}${']'.repeat(2000)}}`;

  it('that is nested too deep is not tried again as YAML', async () => {
    const created = await house.unharmed(() => house.ask(dryRun(deep)));
    expect([created.status, statusOf(created).message]).toEqual([400, expect.stringContaining('exceeded max depth')]);
    const request = { ...patch('merge', deep), headers: { 'content-type': 'application/apply-patch+yaml' } };
    const applied = await house.ask({ ...request, path: `${request.path}?fieldManager=x` });
    expect([applied.status, statusOf(applied).message]).toEqual([400, expect.stringContaining('exceeded max depth')]);
  });

  it('that repeats a key is told so in the words of YAML, however large it is', async () => {
    const filler = Array.from({ length: 3000 }, (_, i) => `"k${i}":"v"`).join(',\n');
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},\n"data":{${filler},\n"k1":"w"}}`;
    const answer = await house.ask({ ...dryRun(body), path: `${MAPS}?dryRun=All&fieldValidation=Warn` });
    expect([answer.status, answer.headers['warning']]).toEqual([
      201,
      String.raw`299 - "line 3002: key \"k1\" already set in map"`,
    ]);
    expect(JSON.parse(answer.text)).toMatchObject({ data: { k1: 'w', k2999: 'v' } });
  });
});

/** Twelve, so that a collection of garbage is a small part of the work. */
const LISTS = 12;

/** The processor time of the longest turn of this thread's event loop, and of all turns, until it is stopped. */
function measureTurns(): () => { readonly longest: number; readonly total: number } {
  const now = (): number => {
    const { system, user } = process.threadCpuUsage();
    return user + system;
  };
  const began = now();
  let last = began;
  let longest = 0;
  let next: NodeJS.Immediate;
  const turn = (): void => {
    const at = now();
    longest = Math.max(longest, at - last);
    last = at;
    next = setImmediate(turn);
  };
  turn();
  return () => {
    clearImmediate(next);
    return { longest, total: now() - began };
  };
}

describe('large lists of one user', { timeout: 120_000 }, () => {
  it.each([
    ['as YAML', YAML],
    ['as protobuf', 'application/vnd.kubernetes.protobuf'],
    ['as a table', 'application/json;as=Table;g=meta.k8s.io;v=v1'],
  ])('leave another user his turns, %s', async (_, accept) => {
    const keys = Object.fromEntries(Array.from({ length: 60 }, (__, i) => [`key-${i}`, `value: ${i}`]));
    for (let i = 0; i < 300; i += 1) {
      const name = `many-${i}`;
      const object = configMap({ metadata: { name, labels: { list: 'many' }, annotations: keys }, data: keys }, name);
      expect([201, 409]).toContain((await house.ask(post(JSON.stringify(object)))).status);
    }
    const client = openHttp2(house.cluster.server, house.admin);
    let over = 0;
    const path = `${MAPS}?labelSelector=list%3Dmany${accept.includes('Table') ? '&includeObject=Object' : ''}`;
    const stopMeasuring = measureTurns();
    const lists = Array.from({ length: LISTS }, async () => {
      const answer = await client.ask({ method: 'GET', path, headers: { accept } });
      over += 1;
      return answer;
    });
    let served = 0;
    while (over < lists.length) {
      expect((await neighbour(get(`${MAPS}/cm`))).status).toBe(200);
      served += 1;
    }
    const { longest, total } = stopMeasuring();
    for (const answer of await Promise.all(lists))
      expect([answer.status, answer.text.length > 300_000]).toEqual([200, true]);
    expect(served).toBeGreaterThan(lists.length * 2);
    // At once, all lists that came in together would have been one turn of the event loop.
    expect(longest / total).toBeLessThan(0.25);
    client.close();
  });
});
