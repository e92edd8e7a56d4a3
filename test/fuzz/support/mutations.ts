/** Ways to spoil a JSON value. What happens is decided by plain numbers, so that fast-check can shrink and replay it. */
import * as fc from 'fast-check';
import type { Json } from '../../../src/core/kube/json.ts';

export interface Mutation {
  /** Chooses a place: taken modulo the number of places there are. */
  readonly where: number;
  readonly how: 'replace' | 'remove' | 'duplicate' | 'add' | 'wrap' | 'rename' | 'graft';
  readonly value: Json;
  readonly key: string;
}

const parsed = (text: string): Json => JSON.parse(text) as Json;
const deep = (levels: number): Json => parsed(`${'['.repeat(levels)}${']'.repeat(levels)}`);

const STRINGS = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1',
    '1e9',
    '100%',
    '-5%',
    '10Gi',
    '1.5',
    '0x10',
    '9223372036854775808',
    'a',
    'A',
    'a.b',
    'a/b',
    '..',
    '../x',
  ],
  ...[
    '\u0000',
    '\ud800',
    '\ufffd',
    '😀',
    'ä',
    '\u202e',
    '\r\n',
    '__proto__',
    'constructor',
    '$(HOME)',
    '${x}',
    '%s',
    '<a>',
    '10.0.0.1',
  ],
  ...[
    '::1',
    '999.1.1.1',
    '2026-01-01T00:00:00Z',
    '0000-00-00T00:00:00Z',
    '2026-13-45T99:99:99Z',
    'Always',
    'True',
    'In',
    'Exists',
    'TCP',
  ],
  ...[
    'metadata.name',
    'x'.repeat(64),
    'x'.repeat(254),
    'x'.repeat(5000),
    '*/5 * * * *',
    '(a+)+$',
    'AA==',
    '!!!',
    '/',
    '/a/../b',
    'C:\\x',
  ],
];
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  2,
  65_535,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  1e21,
  1e300,
  -1e300,
  0.5,
  1e-300,
];
const STRUCTURES: readonly Json[] = [
  ...[null, true, false, [], {}, [null], [[]], [{}], { a: null }, { '': '' }],
  ...[
    parsed('{"__proto__":{"polluted":true}}'),
    parsed('{"constructor":{"prototype":{"polluted":true}}}'),
    deep(50),
    deep(900),
  ],
  ...[Array.from({ length: 300 }, () => 'x'), Array.from({ length: 300 }, () => ({ name: 'x' }))],
];
const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  ' ',
  'name',
  'spec',
  'status',
  'metadata',
  'ownerReferences',
  'finalizers',
  'x'.repeat(300),
  'ä',
  '$patch',
  'a/b/c',
];

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...STRINGS),
  fc.constantFrom<Json>(...NUMBERS),
  fc.constantFrom<Json>(...STRUCTURES),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
);

const mutation: fc.Arbitrary<Mutation> = fc.record({
  where: fc.nat(1_000_000),
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'duplicate', 'add', 'wrap', 'rename', 'graft'),
  value: leaf,
  key: fc.oneof(fc.constantFrom(...KEYS), fc.string({ maxLength: 8 })),
});

export const mutations = fc.array(mutation, { minLength: 1, maxLength: 4 });

type Path = readonly (string | number)[];

function placesIn(value: Json, path: Path = [], found: Path[] = []): readonly Path[] {
  found.push(path);
  if (typeof value !== 'object' || value === null || path.length > 20) return found;
  if (Array.isArray(value))
    for (let i = 0; i < Math.min(value.length, 5); i += 1) placesIn(value[i] as Json, [...path, i], found);
  else for (const [key, member] of Object.entries(value).slice(0, 40)) placesIn(member as Json, [...path, key], found);
  return found;
}

export const mutate = (value: Json, list: readonly Mutation[]): Json => list.reduce(apply, value);

function apply(value: Json, change: Mutation): Json {
  const places = placesIn(value);
  const path = places[change.where % places.length] ?? [];
  const donor = places[(change.where * 7 + 3) % places.length] ?? [];
  return at(value, path, (found, parent) => spoil(found, parent, change, read(value, donor)));
}

/** `undefined` removes; in a list, several values may take the place of one. */
function spoil(
  found: Json,
  inList: boolean,
  { how, key, value }: Mutation,
  donated: Json,
): readonly [string | undefined, Json | undefined][] {
  switch (how) {
    case 'replace':
      return [[undefined, value]];
    case 'remove':
      return [];
    case 'duplicate':
      return inList
        ? [
            [undefined, found],
            [undefined, found],
          ]
        : [
            [undefined, found],
            [key, found],
          ];
    case 'add':
      return Array.isArray(found)
        ? [[undefined, [...(found as readonly Json[]), value]]]
        : [
            [undefined, found],
            [key, value],
          ];
    case 'wrap':
      return [[undefined, [found]]];
    case 'rename':
      return [[key, found]];
    case 'graft':
      return [[undefined, donated]];
  }
}

function read(value: Json, path: Path): Json {
  let found: Json | undefined = value;
  for (const step of path) found = (found as { readonly [key: string]: Json } | undefined)?.[step];
  return found ?? null;
}

type Spoil = (found: Json, inList: boolean) => readonly [string | undefined, Json | undefined][];

function at(value: Json, path: Path, change: Spoil): Json {
  const [step, ...rest] = path;
  if (step === undefined) return change(value, true)[0]?.[1] ?? null;
  if (Array.isArray(value)) {
    return (value as readonly Json[]).flatMap((item, i) => {
      if (i !== step) return [item];
      return rest.length > 0 ? [at(item, rest, change)] : change(item, true).map(([, made]) => made ?? null);
    });
  }
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value as { readonly [key: string]: Json })) {
    if (key !== step) members.push([key, member]);
    else if (rest.length > 0) members.push([key, at(member, rest, change)]);
    else for (const [name, made] of change(member, false)) members.push([name ?? key, made ?? null]);
  }
  return Object.fromEntries(members);
}
