import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../kube/objects.ts';
import { createRegistry } from '../../registry/registry.ts';

/** A node label of old times is warned of. */
const spec = { containers: [{ name: 'c', image: 'i' }], nodeSelector: { 'beta.kubernetes.io/os': 'linux' } };
const template = { metadata: { labels: { a: 'b' } }, spec };
const TEXT = 'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead';

const registry = createRegistry();

function strategyOf(group: string, resource: string) {
  const strategy = registry.byResource(group, 'v1', resource)?.strategy;
  if (strategy === undefined) throw new Error(resource);
  return strategy;
}

const object = (body: object, generation: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'K',
  metadata: { name: 'not.a.label', generation },
  ...body,
});

describe('warnings of a workload', () => {
  it.each([
    ['apps', 'deployments', { spec: { template } }, true, `spec.template.${TEXT}`],
    ['apps', 'replicasets', { spec: { template } }, true, `spec.template.${TEXT}`],
    ['apps', 'statefulsets', { spec: { template } }, false, `spec.template.${TEXT}`],
    ['apps', 'daemonsets', { spec: { template } }, false, `spec.template.${TEXT}`],
    ['batch', 'jobs', { spec: { template } }, true, `spec.template.${TEXT}`],
    [
      'batch',
      'cronjobs',
      { spec: { jobTemplate: { spec: { template } } } },
      true,
      `spec.jobTemplate.spec.template.${TEXT}`,
    ],
    ['', 'replicationcontrollers', { spec: { template } }, true, `spec.template.${TEXT}`],
    ['', 'podtemplates', { template }, false, `template.${TEXT}`],
  ])('%s/%s are told once, and again when it changes', (group, resource, body, namesMatter, text) => {
    const { warnings } = strategyOf(group, resource);
    const created = warnings?.(object(body, 1)) ?? [];
    expect(created.at(-1)).toBe(text);
    expect(created.some((line) => line.startsWith('metadata.name: '))).toBe(namesMatter);
    const before = object(body, 1);
    expect(warnings?.(object(body, 1), before)).toEqual([]);
    const old = object(JSON.parse(JSON.stringify(body).replace('"i"', '"j"')) as object, 1);
    expect(warnings?.(object(body, 2), old)).toEqual([text]);
  });

  it('is nothing for a pod that is changed', () => {
    const { warnings } = strategyOf('', 'pods');
    expect(warnings?.(object({ spec }, 1))).toContain(TEXT);
    expect(warnings?.(object({ spec }, 2), object({ spec }, 1))).toEqual([]);
  });

  it('is not repeated for an annotation an account had before', () => {
    const { warnings } = strategyOf('', 'serviceaccounts');
    const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
    const account = { ...object({}, 1), metadata: { name: 'a', annotations } };
    expect(warnings?.(account)).toHaveLength(1);
    expect(warnings?.(account, { ...account, metadata: { name: 'a' } })).toHaveLength(1);
    expect(warnings?.(account, account)).toEqual([]);
  });
});
