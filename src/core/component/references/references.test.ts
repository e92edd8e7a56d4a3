import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../kube/json.ts';
import { loadManifests } from '../load/load.ts';
import { brief, manifestOf, type Parts } from '../testing/manifests.ts';
import { stringify } from 'yaml';
import { dependencyOrder } from './graph.ts';
import { resolveReferences } from './resolve.ts';

const resolve = (...documents: readonly (Parts | JsonObject)[]) => {
  const text = documents.map((each) => stringify('kind' in each ? each : manifestOf(each as Parts))).join('---\n');
  const { components, others } = loadManifests([{ file: 'm.yaml', text }]);
  return resolveReferences(components, others);
};
const names = ({ components }: ReturnType<typeof resolve>) =>
  components.map(({ component }) => component.metadata.name);
const from = (name: string, fieldPath?: string, kind?: string): JsonObject => ({
  valueFrom: { name, ...(fieldPath === undefined ? {} : { fieldPath }), ...(kind === undefined ? {} : { kind }) },
});
const variable = (name: string, reference: JsonObject): JsonObject => ({
  env: { variables: [{ name, ...reference }] },
});
const NAMESPACE = {
  apiVersion: 'kubernetes.planton.dev/v1',
  kind: 'KubernetesNamespace',
  metadata: { name: 'ns' },
  spec: { name: 'real' },
};

describe('references', () => {
  it('take a namespace from its own kind, by default its name', () => {
    const { components, problems } = resolve({ spec: { namespace: from('ns') } }, NAMESPACE);
    expect(problems).toEqual([]);
    expect(components[0]?.component.spec.namespace).toEqual({ value: 'real' });
  });

  it('take outputs and fields of other components, which then come first', () => {
    const result = resolve(
      {
        metadata: { name: 'b' },
        app: variable('PEER', from('a', 'status.outputs.daemonset_name')),
        spec: { namespace: from('a', 'spec.namespace', 'KubernetesDaemonSet') },
      },
      { metadata: { name: 'a' }, spec: { namespace: 'home' } },
    );
    expect(result.problems).toEqual([]);
    expect(names(result)).toEqual(['a', 'b']);
    expect(result.components[1]?.component.spec).toMatchObject({
      namespace: { value: 'home' },
      container: { app: { env: { variables: [{ name: 'PEER', value: 'a' }] } } },
    });
  });

  it('may go on and on', () => {
    const peer = (name: string, of: string): Parts => ({
      metadata: { name },
      spec: { namespace: from(of, 'spec.namespace', 'KubernetesDaemonSet') },
    });
    const result = resolve(peer('c', 'b'), peer('b', 'a'), { metadata: { name: 'a' }, spec: { namespace: 'home' } });
    expect(result.components.map(({ component }) => component.spec.namespace.value)).toEqual(['home', 'home', 'home']);
  });

  it('into secrets are masked from then on', () => {
    const secrets = [{ name: 'TOKEN', ...from('vault', 'status.outputs.token', 'Vault') }];
    const vault = {
      apiVersion: 'x/v1',
      kind: 'Vault',
      metadata: { name: 'vault' },
      status: { outputs: { token: 'hunter2' } },
    };
    const { components } = resolve({ app: { env: { secrets } } }, vault);
    const [secret] = components[0]?.component.spec.container.app.env?.secrets ?? [];
    expect(secret?.value?.reveal()).toBe('hunter2');
    expect(JSON.stringify(components)).not.toContain('hunter2');
  });

  it('cannot take the value of a secret out of a component', () => {
    const { problems } = resolve(
      { metadata: { name: 'a' }, app: { env: { secrets: { T: 'hunter2' } } } },
      { metadata: { name: 'b' }, app: variable('X', from('a', 'spec.container.app.env.secrets.0.value')) },
    );
    expect(brief(problems)).toEqual(['EN_COMPONENT_REFERENCE spec.container.app.env.variables[0].valueFrom']);
  });

  it('cannot take a value out of a Secret', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { pw: 'hunter2' } };
    const { problems } = resolve({ app: variable('X', from('s', 'stringData.pw', 'Secret')) }, secret);
    expect(brief(problems)).toEqual(['EN_COMPONENT_REFERENCE spec.container.app.env.variables[0].valueFrom']);
    expect(problems[0]?.suggestion).toContain('secretRef');
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('that lead nowhere say so, and what would help', () => {
    const { problems } = resolve(
      { metadata: { name: 'a' }, spec: { namespace: from('gone') } },
      { metadata: { name: 'b' }, app: variable('X', from('a')) },
      { metadata: { name: 'c' }, app: variable('X', from('a', 'status.outputs.nope')) },
    );
    expect(problems.map(({ message }) => message)).toEqual([
      'KubernetesNamespace gone is not among the documents',
      'says no fieldPath of KubernetesDaemonSet a',
      'KubernetesDaemonSet a has no text at status.outputs.nope',
    ]);
    expect(problems[0]).toMatchObject({ path: 'spec.namespace.valueFrom', place: { file: 'm.yaml' } });
  });

  it('may be looked up elsewhere', () => {
    const { components, others } = loadManifests([
      { file: 'm', text: stringify(manifestOf({ spec: { namespace: from('ns') } })) },
    ]);
    const asked: unknown[] = [];
    const { components: resolved } = resolveReferences(components, others, {
      lookUp: (reference) => {
        asked.push(reference);
        return 'live';
      },
    });
    expect(asked).toEqual([{ kind: 'KubernetesNamespace', name: 'ns', fieldPath: 'spec.name' }]);
    expect(resolved[0]?.component.spec.namespace).toEqual({ value: 'live' });
  });

  it('in a circle are told as one', () => {
    const peer = (name: string, of: string): Parts => ({
      metadata: { name },
      app: variable('X', from(of, 'status.outputs.namespace')),
    });
    const { problems } = resolve(peer('a', 'b'), peer('b', 'c'), peer('c', 'a'));
    expect(brief(problems)).toEqual(['EN_COMPONENT_CYCLE metadata.name']);
    expect(problems[0]?.message).toMatch(/a -> b -> c -> a|b -> c -> a -> b|c -> a -> b -> c/);
    expect(brief(resolve(peer('a', 'a')).problems)).toEqual(['EN_COMPONENT_CYCLE metadata.name']);
  });

  it('relationships give an order, too', () => {
    const needs = { relationships: [{ kind: 'KubernetesDaemonSet', name: 'z', type: 'depends_on' }] };
    expect(names(resolve({ metadata: { name: 'a', ...needs } }, { metadata: { name: 'z' } }))).toEqual(['z', 'a']);
  });

  it('environments keep apart what has one name', () => {
    const namespace = (env: string): JsonObject => ({
      ...NAMESPACE,
      metadata: { name: 'ns', env },
      spec: { name: `in-${env}` },
    });
    const { components } = resolve(
      { metadata: { env: 'prod' }, spec: { namespace: from('ns') } },
      namespace('dev'),
      namespace('prod'),
    );
    expect(components[0]?.component.spec.namespace.value).toBe('in-prod');
  });
});

describe('dependencyOrder', () => {
  const graph = fc
    .integer({ min: 1, max: 8 })
    .chain((size) =>
      fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size }),
    );

  it('puts everything after what it needs, or names a real circle', () => {
    fc.assert(
      fc.property(graph, (lists) => {
        const needs = lists.map((each) => new Set(each));
        const { order, cycle } = dependencyOrder(needs);
        if (order === undefined) {
          for (const [index, at] of (cycle ?? []).slice(0, -1).entries())
            expect(needs[at]?.has(cycle?.[index + 1] ?? -1)).toBe(true);
          expect(cycle?.[0]).toBe(cycle?.at(-1));
        } else {
          expect(order.toSorted((a, b) => a - b)).toEqual(lists.map((_, index) => index));
          for (const [place, at] of order.entries())
            for (const need of needs[at] ?? []) expect(order.indexOf(need)).toBeLessThan(place);
        }
      }),
    );
  });

  it('changes nothing without need', () => {
    expect(dependencyOrder([new Set(), new Set(), new Set()])).toEqual({ order: [0, 1, 2] });
  });
});
