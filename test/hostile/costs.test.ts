/** Objects of many small parts, wrong or right: what they cost follows their size, and what is said of them is short. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/kube/json.ts';
import { post, useHouse } from './support/house.ts';

const house = useHouse();

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const keys = (count: number, key: (i: number) => string): { [key: string]: string } =>
  Object.fromEntries(many(count, (i) => [key(i), '']));
const container = { name: 'c', image: 'i' };

interface Large {
  readonly name: string;
  readonly path: string;
  readonly object: { readonly [key: string]: Json };
}

const core = (kind: string, name: string, rest: { readonly [key: string]: Json }, metadata = {}): Large => ({
  name: `${kind}: ${name}`,
  path: kind === 'Node' ? '/api/v1/nodes' : `/api/v1/namespaces/default/${kind.toLowerCase()}s`,
  object: { apiVersion: 'v1', kind, metadata: { name: 'large', ...metadata }, ...rest },
});
const pod = (name: string, spec: { readonly [key: string]: Json }): Large =>
  core('Pod', name, { spec: { containers: [container], ...spec } });
const withContainer = (name: string, rest: { readonly [key: string]: Json }): Large =>
  pod(name, { containers: [{ ...container, ...rest }] });

const LARGE: readonly Large[] = [
  core('ConfigMap', '50,000 bad labels', {}, { labels: keys(50_000, (i) => `-${i}`) }),
  core('ConfigMap', '50,000 annotations', {}, { annotations: keys(50_000, (i) => `a${i}`) }),
  core('ConfigMap', '50,000 bad keys', { data: keys(50_000, (i) => `/${i}`) }),
  core('ConfigMap', '50,000 keys', { data: keys(50_000, (i) => `k${i}`) }),
  core(
    'ConfigMap',
    '50,000 unknown fields',
    keys(50_000, (i) => `u${i}`),
  ),
  core('ConfigMap', '50,000 finalizers', {}, { finalizers: many(50_000, (i) => `-${i}`) }),
  core('ConfigMap', '50,000 empty owners', {}, { ownerReferences: many(50_000, () => ({})) }),
  core('ConfigMap', 'a name of a million characters', {}, { name: 'x'.repeat(1_000_000) }),
  core('ConfigMap', 'a name of control characters', {}, { name: '\u0001'.repeat(300_000) }),
  core('Secret', '50,000 keys', { stringData: keys(50_000, (i) => `k${i}`) }),
  core('Service', '40,000 ports', { spec: { ports: many(40_000, (i) => ({ name: `p${i}`, port: i + 1 })) } }),
  core('Node', '40,000 taints', { spec: { taints: many(40_000, (i) => ({ key: `k${i}`, effect: 'NoSchedule' })) } }),
  core('Node', '40,000 equal taints', { spec: { taints: many(40_000, () => ({ key: 'k', effect: 'NoSchedule' })) } }),
  pod('30,000 empty containers', { containers: many(30_000, () => ({})) }),
  pod('20,000 init containers', { initContainers: many(20_000, (i) => ({ name: `c${i}`, image: 'i' })) }),
  pod('40,000 tolerations', { tolerations: many(40_000, (i) => ({ key: `k${i}` })) }),
  pod('40,000 volumes', { volumes: many(40_000, (i) => ({ name: `v${i}` })) }),
  pod('20,000 spread constraints', {
    topologySpreadConstraints: many(20_000, (i) => ({
      ...{ maxSkew: 1, topologyKey: `k${i}` },
      whenUnsatisfiable: 'DoNotSchedule',
    })),
  }),
  pod('20,000 node selector terms', {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: many(20_000, (i) => ({
            matchExpressions: [{ key: `k${i}`, operator: 'In', values: ['a'] }],
          })),
        },
      },
    },
  }),
  withContainer('50,000 variables', { env: many(50_000, (i) => ({ name: `E${i}` })) }),
  withContainer('50,000 equal variables', { env: many(50_000, () => ({ name: 'E', value: '$(E)' })) }),
  withContainer('30,000 host ports', { ports: many(30_000, (i) => ({ containerPort: i + 1, hostPort: i + 1 })) }),
  withContainer('30,000 mounts of nothing', {
    volumeMounts: many(30_000, (i) => ({ name: `v${i}`, mountPath: `/m${i}` })),
  }),
  withContainer('30,000 limits', { resources: { limits: keys(30_000, (i) => `example.com/r${i}`) } }),
];

describe('large objects', () => {
  it.each(LARGE)('$name', async ({ path, object }) => {
    const body = JSON.stringify(object);
    const answer = await house.unharmed(() => house.ask(post(body, 'application/json', `${path}?dryRun=All`)));
    expect([201, 422, 400]).toContain(answer.status);
    // An accepted object comes back with its defaults and the owners of its fields; a refusal is for people to read.
    expect(answer.text.length).toBeLessThan(answer.status === 201 ? body.length * 20 : 1024 * 1024);
    expect(String(answer.headers['warning'] ?? '').length).toBeLessThan(16 * 1024);
  });
});
