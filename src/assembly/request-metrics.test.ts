import { describe, expect, it } from 'vitest';
import type { Exchange } from '../apiserver/wire/exchange.ts';
import { createRegistry } from '../core/api/registry/registry.ts';
import type { KindDefinition } from '../core/api/kind/kind-definition.ts';
import type { Labels, Metrics } from '../machinery/metrics/metrics.ts';
import { noMetrics } from '../machinery/metrics/metrics.ts';
import { createRequestMetrics } from './request-metrics.ts';

const registry = createRegistry();
type FindKind = (group: string, version: string, resource: string) => KindDefinition | undefined;
const inRegistry: FindKind = (...names) => registry.byResource(...names);

function setUp(findKind: FindKind = inRegistry) {
  const counted = new Map<string, number>();
  const observed = new Set<string>();
  const text = (labels: Labels): string =>
    [
      labels['verb'],
      labels['group'],
      labels['version'],
      labels['resource'],
      labels['subresource'],
      labels['scope'],
    ].join('|');
  const metrics: Metrics = {
    ...noMetrics,
    counter: () => ({
      with: (labels) => ({ inc: () => void counted.set(text(labels), (counted.get(text(labels)) ?? 0) + 1) }),
    }),
    histogram: () => ({ with: (labels) => ({ observe: () => void observed.add(text(labels)) }) }),
  };
  const measure = createRequestMetrics(metrics, findKind);
  const answer = (method: string, url: string, status = 200): void => {
    const [path = '', query = ''] = url.split('?');
    measure({ method, path, query: new URLSearchParams(query), status } as Exchange, 1);
  };
  return { answer, counted, observed };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'BREW', 'CONNECT'];

/** Every path that a kind has, and then some. */
function pathsOf({ group, version, resource, subresources }: KindDefinition): readonly string[] {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return [root, `${root}/watch`, `${root}/namespaces/x`, `${root}/watch/namespaces/x`].flatMap((place) => [
    `${place}/${resource}`,
    `${place}/${resource}?watch=1`,
    ...[
      '',
      '?watch=1',
      '/made-up',
      '/status',
      '/status/more',
      '/proxy/a/b',
      ...subresources.map(({ name }) => `/${name}`),
    ].map((rest) => `${place}/${resource}/n${rest}`),
  ]);
}

describe('request metrics', () => {
  it.each([
    ['GET', '/api/v1/namespaces/x/pods', 'LIST||v1|pods||namespace'],
    ['GET', '/api/v1/pods?watch=true', 'WATCH||v1|pods||cluster'],
    ['GET', '/api/v1/namespaces/x/pods/p', 'GET||v1|pods||resource'],
    ['HEAD', '/api/v1/namespaces/x/pods/p', 'GET||v1|pods||resource'],
    ['GET', '/api/v1/namespaces/x/pods/p?watch=1', 'GET||v1|pods||resource'],
    ['PUT', '/api/v1/namespaces/x/pods/p/status', 'PUT||v1|pods|status|resource'],
    ['PUT', '/api/v1/namespaces/x/pods', 'other||v1|pods||namespace'],
    ['POST', '/api/v1/pods', 'other||v1|pods||cluster'],
    ['DELETE', '/api/v1/namespaces/x/pods/p/status', 'other||v1|pods|status|resource'],
    ['POST', '/api/v1/namespaces/x/pods/p/exec', 'CONNECT||v1|pods|exec|resource'],
    ['GET', '/api/v1/namespaces/x/pods/p/proxy/a/b', 'CONNECT||v1|pods|proxy|resource'],
    ['GET', '/api/v1/namespaces/x/pods/p/made/up', 'other||v1|pods|other|resource'],
    ['GET', '/api/v1/namespaces/x/configmaps/c/exec', 'other||v1|configmaps|other|resource'],
    ['BREW', '/api/v1/namespaces/x/pods/p', 'other||v1|pods||resource'],
    ['DELETE', '/apis/apps/v1/namespaces/x/deployments', 'DELETECOLLECTION|apps|v1|deployments||namespace'],
    ['GET', '/api/v1/namespaces/x/nodes', 'GET|||other||'],
    ['GET', '/apis/made/up/pods', 'GET|||other||'],
    ['BREW', '/apis/made/up/pods', 'other|||other||'],
    ['GET', '/version', 'GET|||||'],
    ['BREW', '/made/up', 'other|||||'],
  ])('count %s %s as %s, whatever the answer', (method, url, labels) => {
    for (const status of [200, 403, 404, 500]) {
      const { answer, counted } = setUp();
      answer(method, url, status);
      expect([...counted]).toEqual([[labels, 1]]);
    }
  });

  it('have room for everything that can be asked of the kinds there are', () => {
    const { answer, counted } = setUp();
    let asked = 0;
    for (const kind of registry.all()) {
      for (const path of pathsOf(kind)) {
        for (const method of METHODS) {
          answer(method, path, 403);
          asked++;
        }
      }
    }
    expect(asked).toBeGreaterThan(20_000);
    expect(counted.size).toBeLessThan(3_000);
    expect([...counted.values()].reduce((sum, each) => sum + each, 0)).toBe(asked);
    expect([...counted.keys()].filter((labels) => /made-up|more/.test(labels))).toEqual([]);
    // All of them are kept: nothing was counted among those beyond the limit.
    expect(counted.get('other|||other||')).toBeGreaterThan(0);
    const before = counted.get('other|||other||');
    answer('POST', '/apis/batch/v1/namespaces/x/jobs', 201);
    expect([counted.get('POST|batch|v1|jobs||namespace'), counted.get('other|||other||')]).toEqual([
      expect.any(Number),
      before,
    ]);
  });

  it('count kinds beyond the limit together, and those before it still apart', () => {
    const template = inRegistry('', 'v1', 'configmaps') as KindDefinition;
    const { answer, counted, observed } = setUp((group, version, resource) => ({
      ...template,
      group,
      version,
      resource,
    }));
    for (let i = 0; i < 20_000; i++) answer('GET', `/apis/example.com/v1/namespaces/x/kind${i}/n`);
    expect(counted.size).toBe(10_001);
    expect(observed.size).toBe(10_001);
    expect(counted.get('other|||other||')).toBe(10_000);
    answer('GET', '/apis/example.com/v1/namespaces/x/kind0/n');
    expect(counted.get('GET|example.com|v1|kind0||resource')).toBe(2);
  });
});
