/** Objects that no client library would write: fields missing or empty, names that mean something to JavaScript. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readVectors } from '../testdata/vectors.ts';
import type { Pod } from '../../types/core-v1.ts';
import { podStrategy } from './strategy.ts';

type Tree = { [key: string]: unknown };

/** Every place in the tree. */
function placesOf(tree: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof tree !== 'object' || tree === null) return [path];
  return [path, ...Object.entries(tree).flatMap(([key, value]) => placesOf(value, [...path, key]))];
}

function spoil(tree: unknown, path: readonly string[], value: unknown): void {
  let node = tree as Tree;
  for (const key of path.slice(0, -1)) {
    if (typeof node[key] !== 'object' || node[key] === null) return;
    node = node[key] as Tree;
  }
  const last = path.at(-1) ?? '';
  if (value === undefined && Array.isArray(node)) node.splice(Number(last), 1);
  else if (value === undefined) delete node[last];
  else node[last] = value;
}

const rich = readVectors().find(({ name }) => name.includes('rich: rich as is'))?.object as unknown as Pod;
const places = placesOf(rich.spec).filter((path) => path.length > 0);

const run = (pod: Pod): void => {
  const defaulted = podStrategy.defaults(pod);
  const prepared = podStrategy.prepareForCreate(defaulted);
  if (podStrategy.validate(prepared).length === 0) podStrategy.warnings?.(prepared);
  podStrategy.validateUpdate(podStrategy.prepareForUpdate(defaulted, rich, ''), rich, '');
  podStrategy.validateUpdate(podStrategy.prepareForUpdate(defaulted, rich, 'resize'), rich, 'resize');
};

describe('a pod with holes in it', () => {
  it('is judged, never a reason to crash', () => {
    const damage = fc.record({ path: fc.constantFrom(...places), empty: fc.boolean() });
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 6 }), (list) => {
        const pod = structuredClone(rich);
        for (const { path, empty } of list) {
          let old: unknown = pod.spec;
          for (const key of path) old = (old as Tree | undefined)?.[key];
          if (old === undefined) continue;
          const blank = Array.isArray(old) ? [] : typeof old === 'object' ? {} : typeof old === 'number' ? 0 : '';
          spoil(pod.spec, path, empty ? blank : undefined);
        }
        expect(() => run(pod)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });

  it('may be as good as empty', () => {
    expect(
      podStrategy.validate(
        podStrategy.defaults({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: 'y' } } as never),
      ),
    ).toEqual([{ type: 'FieldValueRequired', field: 'spec.containers', message: 'Required value' }]);
  });
});

describe('names that JavaScript gives a meaning to', () => {
  const withText = (resources: string): Pod =>
    JSON.parse(
      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","namespace":"y"},"spec":{"containers":[{"name":"c","image":"x","resources":${resources}}]}}`,
    ) as Pod;

  it('are resource names like any other', () => {
    const pod = podStrategy.defaults(withText('{"limits":{"__proto__":"1","constructor":"2"}}'));
    const requests = pod.spec.containers[0]?.resources?.requests;
    expect(Object.keys(requests ?? {}).toSorted()).toEqual(['__proto__', 'constructor']);
    expect(podStrategy.validate(pod).map(({ field }) => field)).toContain(
      'spec.containers[0].resources.limits[__proto__]',
    );
  });

  it('are not found where they were not written', () => {
    const pod = podStrategy.defaults(withText('{"requests":{"toString":"1"}}'));
    expect(podStrategy.validate(pod).every(({ message }) => !message.includes('[native code]'))).toBe(true);
  });

  it('do not name a volume', () => {
    const pod = podStrategy.defaults({
      ...withText('{}'),
      spec: { containers: [{ name: 'c', image: 'x:1', volumeMounts: [{ name: '__proto__', mountPath: '/x' }] }] },
    });
    expect(podStrategy.validate(pod)).toEqual([
      {
        type: 'FieldValueNotFound',
        field: 'spec.containers[0].volumeMounts[0].name',
        message: 'Not found: "__proto__"',
      },
    ]);
  });
});

describe('large input', () => {
  it('takes time in proportion to its size', () => {
    const many = 3000;
    const pod = podStrategy.defaults({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x', namespace: 'y' },
      spec: {
        volumes: Array.from({ length: many }, (_unused, index) => ({ name: `v${index}`, emptyDir: {} })),
        containers: [
          {
            name: 'c',
            image: 'x:1',
            env: Array.from({ length: many }, (_unused, index) => ({ name: `E${index}`, value: 'x' })),
            ports: Array.from({ length: many }, (_unused, index) => ({
              containerPort: index + 1,
              hostPort: index + 1,
            })),
            volumeMounts: Array.from({ length: many }, (_unused, index) => ({
              name: `v${index}`,
              mountPath: `/v${index}`,
            })),
          },
        ],
      },
    });
    expect(podStrategy.validate(pod)).toEqual([]);
  });
});
