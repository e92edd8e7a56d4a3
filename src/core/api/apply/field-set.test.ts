import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  childOf,
  describePath,
  difference,
  EMPTY,
  equalSets,
  type FieldSet,
  hasPath,
  intersection,
  isEmpty,
  pathSet,
  pathsOf,
  recursiveDifference,
  shareSets,
  union,
} from './field-set.ts';
import { compareElements, fieldElement, keyElement, valueElement } from './path-element.ts';

type Path = readonly string[];

const element = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map(fieldElement),
  fc.constantFrom('x', 'y').map((name) => keyElement([['name', name]])),
  fc.constantFrom(9, 80, 443).map((port) =>
    keyElement([
      ['port', port],
      ['protocol', 'TCP'],
    ]),
  ),
  fc.constantFrom('p', 'q').map(valueElement),
);
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 12 });

const setOf = (all: readonly Path[]): FieldSet => all.map((one) => pathSet(...one)).reduce(union, EMPTY);
/** The oracle: sets of paths as texts. */
const textOf = (one: Path): string => one.join('\n');
const texts = (all: Iterable<Path>): readonly string[] => [...new Set([...all].map(textOf))].sort();
const isBelow = (one: string, other: string): boolean => one === other || one.startsWith(`${other}\n`);

describe('sets of fields', () => {
  it('hold what was put in, each path once', () => {
    fc.assert(
      fc.property(paths, (all) => {
        const set = setOf(all);
        expect([...pathsOf(set)].map(textOf).sort()).toEqual(texts(all));
        for (const one of all) expect(hasPath(set, one)).toBe(true);
        expect(isEmpty(set)).toBe(all.length === 0);
      }),
    );
  });

  it('keep their elements in order, and no empty node', () => {
    const check = (set: FieldSet): void => {
      set.elements.forEach((each, i) => {
        if (i > 0) expect(compareElements(set.elements[i - 1] as string, each)).toBeLessThan(0);
        const below = childOf(set, each) as FieldSet;
        expect(isEmpty(below)).toBe(false);
        check(below);
      });
    };
    fc.assert(fc.property(paths, paths, (a, b) => check(difference(union(setOf(a), setOf(b)), setOf(b)))));
  });

  it('are joined, met and taken apart like sets of paths', () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const left = setOf(a);
        const right = setOf(b);
        const inB = new Set(texts(b));
        expect(texts(pathsOf(union(left, right)))).toEqual(texts([...a, ...b]));
        expect(texts(pathsOf(intersection(left, right)))).toEqual(texts(a).filter((one) => inB.has(one)));
        expect(texts(pathsOf(difference(left, right)))).toEqual(texts(a).filter((one) => !inB.has(one)));
        expect(texts(pathsOf(recursiveDifference(left, right)))).toEqual(
          texts(a).filter((one) => ![...inB].some((other) => isBelow(one, other))),
        );
      }),
    );
  });

  it('return themselves where an operation changes nothing', () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const set = setOf(a);
        const part = setOf(a.filter((_, i) => i % 2 === 0));
        expect(union(set, part)).toBe(set);
        expect(equalSets(union(part, set), set)).toBe(true);
        const rest = difference(set, setOf(b));
        expect(difference(rest, setOf(b))).toBe(rest);
        expect(union(set, EMPTY)).toBe(set);
      }),
    );
  });

  it('share what is equal in another', () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const old = setOf(a);
        const next = setOf(b);
        const shared = shareSets(old, next);
        expect(equalSets(shared, next)).toBe(true);
        expect(shareSets(old, setOf(a))).toBe(old);
        for (const each of shared.elements) {
          const was = childOf(old, each);
          const is = childOf(shared, each) as FieldSet;
          if (was !== undefined && equalSets(was, is)) expect(is).toBe(was);
        }
      }),
    );
  });

  it('name a path as people write it', () => {
    const one = [
      fieldElement('spec'),
      fieldElement('containers'),
      keyElement([['name', 'web']]),
      fieldElement('image'),
    ];
    expect(describePath(one)).toBe('.spec.containers[name="web"].image');
    expect(describePath([fieldElement('finalizers'), valueElement('a/b')])).toBe('.finalizers[="a/b"]');
    expect(
      describePath([
        keyElement([
          ['containerPort', 80],
          ['protocol', 'TCP'],
        ]),
      ]),
    ).toBe('[containerPort=80,protocol="TCP"]');
    expect(describePath(['i:3'])).toBe('[3]');
  });
});
