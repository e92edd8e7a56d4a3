/** What is counted of requests stays countable: no client makes up label values, or keeps those of others from being counted. */
import { describe, expect, it } from 'vitest';
import { get, useHouse } from './support/house.ts';
import { getRawHttp2 } from './support/raw-http2.ts';
import { askHttp1 } from './support/wire-client.ts';

const house = useHouse();
const INVENTED = 1200;

const scrape = async (): Promise<readonly string[]> => {
  const { status, text } = await house.ask(get('/metrics'));
  expect(status).toBe(200);
  return text.split('\n').filter((line) => line.startsWith('apiserver_request_'));
};
/** Requests that were counted, by a part of their labels. */
const counted = (lines: readonly string[], ...labels: readonly string[]): number =>
  lines
    .filter((line) => line.startsWith('apiserver_request_total{') && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);

describe('request metrics', () => {
  it('take no names that a stranger made up, and go on counting', async () => {
    await house.ask(get('/api/v1/namespaces/default/pods/pod'));
    const before = await scrape();
    const paths = Array.from({ length: INVENTED }, (_, i) => [
      `/api/v1/namespaces/default/pods/x/invented${i}`,
      `/api/v1/namespaces/default/pods/x/proxy/invented${i}`,
      `/api/v1/invented${i}/x`,
      `/apis/invented${i}/v1/pods`,
      `/apis/apps/invented${i}/deployments`,
      `/api/v1/nodes/invented${i}?watch=invented${i}`,
      `/invented${i}`,
      `/tenants/invented${i}/api/v1/pods`,
    ]).flat();
    for (let at = 0; at < paths.length; at += 500) {
      await Promise.all(paths.slice(at, at + 500).map((path) => house.askAnonymously(get(path))));
    }
    const after = await scrape();
    expect(after.filter((line) => line.includes('invented')).slice(0, 3)).toEqual([]);
    expect(counted(after) - counted(before)).toBeGreaterThanOrEqual(paths.length);
    const series = (lines: readonly string[]): number => lines.filter((line) => line.includes('_total{')).length;
    expect(series(after) - series(before)).toBeLessThan(20);
    // A kind of request that was never made before is still counted under its own name.
    const fresh = ['verb="DELETECOLLECTION"', 'resource="podtemplates"'];
    expect(counted(after, ...fresh)).toBe(0);
    await house.ask({ method: 'DELETE', path: '/api/v1/namespaces/default/podtemplates' });
    expect(counted(await scrape(), ...fresh)).toBe(1);
  }, 120_000);

  it('know the subresources of a kind, whatever the answer, and count the others as one', async () => {
    const before = await scrape();
    const path = '/api/v1/namespaces/default/pods/pod';
    for (const asked of ['status', 'status', 'made-up', 'made-up/more', 'proxy/a/b']) {
      await house.ask(get(`${path}/${asked}`));
      await house.askAnonymously(get(`${path}/${asked}`));
    }
    const after = await scrape();
    const more = (...labels: readonly string[]): number => counted(after, ...labels) - counted(before, ...labels);
    expect(more('resource="pods"', 'subresource="status"', 'verb="GET"')).toBe(4);
    expect(more('resource="pods"', 'subresource="other"')).toBe(4);
    expect(more('resource="pods"', 'subresource="proxy"', 'verb="CONNECT"')).toBe(2);
  });

  it('count methods and verbs that nobody serves as one', async () => {
    const before = await scrape();
    for (let i = 0; i < 50; i++) {
      const method = `INVENT${i}`;
      await getRawHttp2(house.cluster.server, house.nobody, '/api/v1/pods', [], method);
    }
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'TRACE']) {
      await askHttp1(house.cluster.server, house.nobody, { method, path: '/api/v1/pods' });
    }
    const after = await scrape();
    expect(after.filter((line) => line.includes('INVENT'))).toEqual([]);
    const labels = ['verb="other"', 'resource="pods"'];
    expect(counted(after, ...labels) - counted(before, ...labels)).toBe(54);
  });
});
