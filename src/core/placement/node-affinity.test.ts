import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, NodeSelectorTerm, Pod, PodSpec } from '../api/types/core-v1.ts';
import { nodeAffinityHolds } from './golden/oracle.ts';
import {
  compilePreferredNodeAffinity,
  compileRequiredNodeAffinity,
  matchesNodeSelector,
  nodeAffinityConflictNo,
  notPinnedHereNo,
  pinOf,
} from './node-affinity.ts';

const node = (name: string, labels?: { [key: string]: string }): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
  spec: {},
});
const required = (...nodeSelectorTerms: NodeSelectorTerm[]): PodSpec => ({
  containers: [],
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const named = (...values: string[]) => ({ key: 'metadata.name', operator: 'In', values });
const matches = (spec: PodSpec, target: Node): boolean => compileRequiredNodeAffinity(spec).matches(target);

describe('required node affinity', () => {
  const expression = fc
    .record({
      key: fc.constantFrom('disk', 'generation', 'zone'),
      operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'),
      values: fc.array(fc.constantFrom('ssd', '5', '10', 'hdd'), { minLength: 1, maxLength: 2 }),
    })
    .map(({ key, operator, values }) => {
      if (operator === 'Exists' || operator === 'DoesNotExist') return { key, operator };
      return { key, operator, values: operator === 'Gt' || operator === 'Lt' ? values.slice(0, 1) : values };
    });
  const field = fc
    .tuple(fc.constantFrom('In', 'NotIn'), fc.constantFrom('a', 'b'))
    .map(([operator, value]) => ({ key: 'metadata.name', operator, values: [value] }));
  const term = fc.record(
    { matchExpressions: fc.array(expression, { maxLength: 3 }), matchFields: fc.array(field, { maxLength: 2 }) },
    { requiredKeys: [] },
  );
  const target = fc
    .tuple(
      fc.constantFrom('a', 'b', 'c'),
      fc.dictionary(fc.constantFrom('disk', 'generation', 'zone'), fc.constantFrom('ssd', '7', '-2', 'x')),
    )
    .map(([name, labels]) => node(name, labels));
  const selector = fc.dictionary(fc.constantFrom('disk', 'zone'), fc.constantFrom('ssd', 'x'), { maxKeys: 1 });

  it('agrees with the documented rules', () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 3 }), selector, target, (terms, nodeSelector, on) => {
        const spec: PodSpec = { ...required(...terms), nodeSelector };
        const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
        expect(matches(spec, on)).toBe(nodeAffinityHolds(pod, on));
      }),
      { numRuns: 500 },
    );
  });

  it('lets every node pass when the pod says nothing', () => {
    const compiled = compileRequiredNodeAffinity({ containers: [] });
    expect(compiled.anyNode).toBe(true);
    expect(compiled.matches(node('a'))).toBe(true);
  });

  it.each<[string, PodSpec, boolean]>([
    ['no terms match nothing', required(), false],
    ['an empty term matches nothing', required({}), false],
    ['an empty term does not spoil another', required({}, { matchFields: [named('a')] }), true],
    [
      'an unknown operator spoils its term',
      required({ matchExpressions: [{ key: 'disk', operator: 'Is', values: ['ssd'] }] }),
      false,
    ],
    [
      'In without values spoils its term',
      required({ matchExpressions: [{ key: 'disk', operator: 'In', values: [] }] }),
      false,
    ],
    [
      'Exists with values spoils its term',
      required({ matchExpressions: [{ key: 'disk', operator: 'Exists', values: ['x'] }] }),
      false,
    ],
    ['Gt needs an integer', required({ matchExpressions: [{ key: 'n', operator: 'Gt', values: ['1.5'] }] }), false],
    ['Gt needs one value', required({ matchExpressions: [{ key: 'n', operator: 'Gt', values: ['1', '2'] }] }), false],
    ['Gt compares whole numbers', required({ matchExpressions: [{ key: 'n', operator: 'Gt', values: ['9'] }] }), true],
    [
      'Gt beyond doubles',
      required({ matchExpressions: [{ key: 'big', operator: 'Gt', values: ['9007199254740992'] }] }),
      true,
    ],
    [
      'Lt of something that is no number',
      required({ matchExpressions: [{ key: 'disk', operator: 'Lt', values: ['5'] }] }),
      false,
    ],
    [
      'an impossible key spoils its term',
      required({ matchExpressions: [{ key: 'no spaces', operator: 'DoesNotExist' }] }),
      false,
    ],
    [
      'a broken term does not spoil another',
      required(
        { matchExpressions: [{ key: '!', operator: 'Exists' }] },
        { matchExpressions: [{ key: 'disk', operator: 'Exists' }] },
      ),
      true,
    ],
    ['matchFields In takes exactly one value', required({ matchFields: [named('a', 'b')] }), false],
    ['matchFields knows no Exists', required({ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }), false],
    [
      'another field reads as empty',
      required({ matchFields: [{ key: 'spec.x', operator: 'In', values: [''] }] }),
      true,
    ],
    [
      'inherited properties are not labels',
      required({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }),
      false,
    ],
    ['nodeSelector does not see them either', { containers: [], nodeSelector: { constructor: 'x' } }, false],
  ])('%s', (_, spec, expected) => {
    expect(matches(spec, node('a', { disk: 'ssd', n: '10', big: '9007199254740993' }))).toBe(expected);
  });

  it('compiles once for all pods of a template', () => {
    const spec: PodSpec = {
      ...required({ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }),
      containers: [],
    };
    expect(compileRequiredNodeAffinity({ ...spec })).toBe(compileRequiredNodeAffinity({ ...spec }));
  });

  it('remembers nothing for a pinned pod, whose selector is its own and lives as long as the pod', () => {
    const spec: PodSpec = { ...required({ matchFields: [named('a')] }), containers: [] };
    const compiled = compileRequiredNodeAffinity(spec);
    expect(compileRequiredNodeAffinity(spec)).not.toBe(compiled);
    expect(compiled.pinnedNodes).toEqual(new Set(['a']));
  });

  it('without a name, as a volume sees nodes, ignores fields', () => {
    const selector = {
      nodeSelectorTerms: [{ matchFields: [named('other')], matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
    };
    expect(matchesNodeSelector(selector, '', { disk: 'ssd' })).toBe(true);
    expect(matchesNodeSelector(selector, 'a', { disk: 'ssd' })).toBe(false);
  });
});

describe('the nodes a pod is pinned to', () => {
  const pinned = (...terms: NodeSelectorTerm[]) => compileRequiredNodeAffinity(required(...terms)).pinnedNodes;

  it('are the intersection within a term and the union across terms', () => {
    expect(pinned({ matchFields: [named('a', 'b'), named('b', 'c')] })).toEqual(new Set(['b']));
    expect(pinned({ matchFields: [named('a')] }, { matchFields: [named('b')] })).toEqual(new Set(['a', 'b']));
  });

  it('are unlimited as soon as one term names none', () => {
    expect(
      pinned({ matchFields: [named('a')] }, { matchExpressions: [{ key: 'x', operator: 'Exists' }] }),
    ).toBeUndefined();
    expect(pinned({ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['a'] }] })).toBeUndefined();
    expect(pinned()).toBeUndefined();
  });

  it('are none when the names contradict each other', () => {
    expect(pinned({ matchFields: [named('a'), named('b')] })).toEqual(new Set());
    expect(nodeAffinityConflictNo().message).toBe('pod affinity terms conflict');
  });

  it('explain why other nodes are out', () => {
    expect(notPinnedHereNo(new Set(['a'])).fix).toContain('`a`');
  });
});

describe('the node a pod was made for', () => {
  it.each<[string, PodSpec, ReturnType<typeof pinOf>]>([
    ['spec.nodeName first', { ...required({ matchFields: [named('b')] }), nodeName: 'a' }, { by: 'name', value: 'a' }],
    ['metadata.name', required({ matchFields: [named('b')] }), { by: 'name', value: 'b' }],
    ['not several names', required({ matchFields: [named('a', 'b')] }), undefined],
    [
      'hostname in nodeSelector',
      { containers: [], nodeSelector: { 'kubernetes.io/hostname': 'h' } },
      { by: 'hostname', value: 'h' },
    ],
    [
      'hostname in affinity',
      required({ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['h'] }] }),
      { by: 'hostname', value: 'h' },
    ],
    [
      'not one of several alternatives',
      required(
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['h'] }] },
        { matchExpressions: [{ key: 'x', operator: 'Exists' }] },
      ),
      undefined,
    ],
    ['none', { containers: [] }, undefined],
  ])('%s', (_, spec, expected) => {
    expect(pinOf(spec)).toEqual(expected);
  });
});

describe('preferred node affinity', () => {
  const preferred = (...terms: [number, NodeSelectorTerm][]): PodSpec => ({
    containers: [],
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, preference]) => ({ weight, preference })),
      },
    },
  });
  const score = (spec: PodSpec, on: Node): number | string | undefined => {
    const compiled = compilePreferredNodeAffinity(spec);
    return typeof compiled === 'function' ? compiled(on) : compiled;
  };
  const ssd: NodeSelectorTerm = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] };

  it('adds up the weights of the terms that hold', () => {
    expect(score(preferred([5, ssd], [7, { matchFields: [named('a')] }], [11, {}]), node('a', { disk: 'ssd' }))).toBe(
      12,
    );
    expect(score(preferred([5, ssd]), node('a'))).toBe(0);
  });

  it('is absent, or unreadable, or ignores what weighs nothing', () => {
    expect(score({ containers: [] }, node('a'))).toBeUndefined();
    expect(score(preferred([1, { matchExpressions: [{ key: 'x', operator: 'Is' }] }]), node('a'))).toBe('invalid');
    expect(score(preferred([0, { matchExpressions: [{ key: 'x', operator: 'Is' }] }]), node('a'))).toBe(0);
  });
});

describe('the refusal', () => {
  it('names the label that is missing, else the terms', () => {
    const selector = compileRequiredNodeAffinity({ containers: [], nodeSelector: { disk: 'ssd' } });
    expect(selector.explain(node('a'))).toMatchObject({
      message: "node(s) didn't match Pod's node affinity/selector",
      preemptionHelps: false,
      fix: "label the node `disk=ssd` or drop it from the pod's nodeSelector",
    });
    const terms = compileRequiredNodeAffinity(
      required({ matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }, { matchFields: [named('b')] }),
    );
    expect(terms.explain(node('a')).fix).toContain('`gpu Exists`, or `metadata.name In b`');
    expect(compileRequiredNodeAffinity(required({})).explain(node('a')).fix).toContain('empty node affinity term');
  });
});
