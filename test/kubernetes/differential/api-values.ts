/** Values for fields, drawn by what the schema and the field's name say: good ones, those at the edge, and those beyond. */
import type { FieldSchema } from '../../../src/core/api/schema/type-schema.ts';
import { typeSchema } from '../../../src/core/api/schema/type-schema.ts';
import type { Scalar, TypeExpression } from '../../../src/core/api/schema/parse-facts.ts';
import type { Json } from '../../../src/core/kube/json.ts';
import type { Chance } from './api-chance.ts';
import { ENUM_VALUES } from './api-enums.ts';

export type Members = { [key: string]: Json };
const x = (count: number): string => 'x'.repeat(count);

const NAMES = [
  'a',
  'web',
  'my-app',
  'a.b.c',
  '$name',
  'A',
  'bad_name',
  '-x',
  'x-',
  '',
  x(15),
  x(16),
  x(63),
  x(64),
  x(253),
  x(254),
  'kube-system',
  '9to5',
  'a b',
  'ä',
];
const KEYS = [
  'a',
  'app',
  'zone',
  'kubernetes.io/hostname',
  'example.com/x',
  'topology.kubernetes.io/zone',
  '',
  '/x',
  'a/b/c',
  x(63),
  x(64),
  'UPPER',
  'a b',
  '-a',
  'EXAMPLE.com/x',
  `${x(253)}/a`,
  `${x(254)}/a`,
];
/** By the end of a field's name, the first that fits. */
const BY_NAME: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /(mountPath|subPath|path|dir)$/i,
    ['/', '/data', 'data', '../x', '/a/../b', 'a/..b', 'C:\\x', '', '/a:b', '/a b', '..', `/${x(5000)}`],
  ],
  [
    /(cidrs?|ipBlock|except|ranges)$/i,
    [
      '10.0.0.0/8',
      '10.0.0.1/8',
      '10.1.2.0/24',
      'fd00::/64',
      '010.0.0.0/8',
      '::ffff:1.2.3.0/120',
      '',
      'x',
      '10.0.0.0',
      '0.0.0.0/0',
      '10.0.0.0/33',
    ],
  ],
  [
    /(ips?|address|addresses|nameservers)$/i,
    [
      '10.0.0.1',
      '192.168.1.1',
      'fd00::1',
      '10.0.0',
      '010.0.0.1',
      '::ffff:1.2.3.4',
      '',
      'x',
      '127.0.0.1',
      '169.254.1.1',
      '0.0.0.0',
      '224.0.0.1',
      '10.96.0.1',
      'None',
    ],
  ],
  [/image$/i, ['img', 'example.com/app:1', 'app:latest', '', ' x', 'a b', 'x@sha256:' + 'a'.repeat(64)]],
  [
    /(host|hostnames?|hosts|subdomain|domain|externalName)$/i,
    [
      'a',
      'a.example.com',
      '*.example.com',
      '*',
      'a..b',
      '10.0.0.1',
      'UPPER.example.com',
      '',
      x(63),
      x(64),
      'a.*.b',
      'example.com.',
    ],
  ],
  [
    /schedule$/i,
    [
      '*/5 * * * *',
      '@hourly',
      '@every 1h',
      'TZ=UTC * * * * *',
      '61 * * * *',
      '',
      'a b c d e',
      '* * * *',
      '0 0 31 2 *',
      '0 0 * * 7',
    ],
  ],
  [/timeZone$/i, ['Etc/UTC', 'Europe/Berlin', 'local', 'Local', 'Nowhere/Bad', '', 'etc/utc', 'UTC']],
  [
    /(expression|messageExpression)$/i,
    ['true', 'object.x == 1', '1 +', '', '"a"', 'object.metadata.name == "a"', 'self.x > 1', 'has(object.spec)', '1'],
  ],
  [
    /fieldPath$/i,
    [
      'metadata.name',
      'spec.nodeName',
      'status.podIP',
      "metadata.labels['a']",
      'metadata.labels',
      'spec.bogus',
      '',
      "metadata.annotations['A/B/C']",
      'status.hostIP',
      'metadata.uid',
      'metadata.generation',
    ],
  ],
  [
    /^resource$/i,
    ['limits.cpu', 'requests.memory', 'limits.ephemeral-storage', 'bogus', '', 'requests.storage', 'cpu'],
  ],
  [
    /(apiVersion|apiGroup|group|version)$/i,
    [
      'v1',
      'apps/v1',
      'example.com/v1',
      '',
      'a/b/c',
      'v1beta1',
      'rbac.authorization.k8s.io',
      'example.com',
      'Bad_Group',
    ],
  ],
  [/kind$/i, ['Pod', 'Deployment', 'Role', 'ClusterRole', 'User', 'Group', 'ServiceAccount', '', 'a b', 'x/y']],
  [/(operator)$/i, ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Equal', 'Gt', 'Lt', '', 'Bogus']],
  [/(key|topologyKey|keys|label)$/i, KEYS],
  [/uid$/i, ['$uid', 'b9f7d6f2-54d1-4ac4-9a0e-4f2b1b9d7a11', '', 'x']],
  [/(name|names|namespace|secretRef|serviceName|className|provisioner|driver|driverName|finalizers)$/i, NAMES],
  [/(values|value)$/i, ['a', '', '1', '-1', 'true', x(63), x(64), 'a b', 'A', 'ä', '-', '01']],
];
const STRINGS = [
  'x',
  '',
  'Hello World',
  'ünïcode',
  x(300),
  x(1025),
  'true',
  '0',
  'a/b',
  'example.com/y',
  ' ',
  'line\nline',
];
const INT32: readonly Json[] = [
  0, 1, -1, 2, 5, 10, 30, 80, 99, 100, 101, 256, 443, 511, 512, 777, 1000, 8080, 30_080, 65_535, 65_536, 3600, 86_400,
  86_401, 2_147_483_647, -2_147_483_648,
];
const INT64: readonly Json[] = [
  ...INT32,
  2_147_483_648,
  4_294_967_296,
  9_007_199_254_740_993n,
  9_223_372_036_854_775_807n,
];

const SCALARS: { readonly [type in Scalar]?: readonly Json[] } = {
  bool: [true, false],
  int32: INT32,
  int64: INT64,
  uint8: [0, 1, 255],
  double: [0, 0.5, -1, 3],
  bytes: ['', 'AA==', 'YWJj', 'YWJjZA==', 'YWJj=', '!!!', 'YW Jj', 'YWJj\n'],
  quantity: [
    '0',
    '1',
    '100m',
    '128Mi',
    '1500m',
    '1e3',
    '2Gi',
    '-1',
    '1n',
    '0.5',
    '1.0',
    '1000m',
    '1024Ki',
    '',
    'abc',
    '1Ei',
    5,
    '100',
    '+1',
    '.5',
    '5.',
    '1E',
    '1e-3',
    '123456789012345678901234567890',
    '1.2345678901',
    '0.1m',
    '1M',
    '64Mi',
    '1G',
    '3',
  ],
  intorstring: [
    0,
    1,
    -1,
    2,
    50,
    80,
    100,
    101,
    65_535,
    65_536,
    'http',
    '50%',
    '100%',
    '101%',
    '0%',
    '',
    '-1%',
    'A',
    x(15),
    x(16),
    '10.5%',
    '1%%',
    '80',
  ],
  time: [
    '2021-01-01T00:00:00Z',
    '2021-01-01T00:00:00.123456Z',
    '2021-02-30T00:00:00Z',
    '',
    null,
    'yesterday',
    '2021-01-01T00:00:00+02:00',
  ],
  microtime: [
    '2021-01-01T00:00:00.000000Z',
    '2021-01-01T00:00:00Z',
    '2021-01-01T00:00:00.123456789Z',
    '',
    null,
    '2021-01-01T00:00:00.5+02:00',
  ],
  duration: ['1m0s', '90s', '1h30m', '', '1.5s', 'x', '0'],
  raw: [{ a: 1 }, { apiVersion: 'v1', kind: 'Pod' }, {}, null, 'x', [1], { a: { b: null } }],
  json: [{ a: 1 }, 1, 'x', null, [1, 'a'], true],
  schemaorbool: [true, false, { type: 'string' }, {}],
  schemaorarray: [{ type: 'string' }, [{ type: 'string' }], {}],
  schemaorstrings: [['a'], { type: 'string' }],
};

const MAP_KEYS: readonly string[] = ['a', 'app', 'example.com/x', 'bad key!', '', 'kubernetes.io/name', x(64), 'UPPER'];
const RESOURCES: readonly string[] = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'pods',
  'storage',
  'example.com/gpu',
  'hugepages-2Mi',
  'requests.cpu',
  'limits.memory',
  'count/pods',
  'bogus',
  'bad name',
  'services.nodeports',
  '',
];

function stringOf(field: FieldSchema, chance: Chance): string {
  const type = field.goType.replace(/^(\[\]|\*|map\[[^\]]*\])+/, '');
  const known = ENUM_VALUES.get(type);
  if (known !== undefined && type !== 'v1.ResourceName')
    return chance.happens(85) ? chance.pick(known) : chance.pick(['', 'Bogus', (known[0] ?? '').toLowerCase()]);
  const named = BY_NAME.find(([name]) => name.test(field.name));
  // The first few of each are good: half of the draws should be.
  const from = named?.[1] ?? (type === 'v1.ResourceName' ? RESOURCES : STRINGS);
  return chance.happens(50) ? chance.pick(from.slice(0, 4)) : chance.pick(from);
}

/** A value for a field. */
export function valueFor(field: FieldSchema, chance: Chance, depth = 0): Json {
  return valueOf(field.type, field, chance, depth);
}

function valueOf(type: TypeExpression, field: FieldSchema, chance: Chance, depth: number): Json {
  switch (type.kind) {
    case 'scalar':
      if (type.scalar === 'string') return stringOf(field, chance);
      if (type.scalar === 'fieldsv1') return { 'f:metadata': {} };
      return chance.happens(50)
        ? chance.pick((SCALARS[type.scalar] ?? ['x']).slice(0, 8))
        : chance.pick(SCALARS[type.scalar] ?? ['x']);
    case 'list': {
      const first = valueOf(type.element, field, chance, depth + 1);
      return chance.weighted<() => Json>([
        [6, () => [first]],
        [3, () => [first, valueOf(type.element, field, chance, depth + 1)]],
        [1, () => [first, first]],
      ])();
    }
    case 'map': {
      const keys = /ResourceName|ResourceList/.test(field.goType) ? RESOURCES : MAP_KEYS;
      const result: Members = {};
      for (let left = chance.upTo(3); left >= 0; left--) {
        const key = chance.happens(60) ? chance.pick(keys.slice(0, 3)) : chance.pick(keys);
        result[key] = valueOf(type.value, field, chance, depth + 1);
      }
      return result;
    }
    case 'object':
      return objectOf(type.name, chance, depth);
  }
}

/** An object of a type: what it must have, and some of what it may. */
function objectOf(name: string, chance: Chance, depth = 0): Json {
  const { fields } = typeSchema(name);
  if (depth > 6) return {};
  const result: Members = {};
  const optional = fields.filter((field) => !isRequired(field));
  for (const field of fields)
    if (isRequired(field) && chance.happens(92)) result[field.name] = valueFor(field, chance, depth + 1);
  const many = optional.length === 0 ? 0 : chance.upTo(Math.min(3, optional.length) + 1);
  for (let left = many; left > 0; left--) {
    const field = chance.pick(optional);
    result[field.name] = valueFor(field, chance, depth + 1);
  }
  return result;
}

const isRequired = (field: FieldSchema): boolean => field.required || field.always;

/** A value of a type that this one is not. */
export function wrongValueFor(type: TypeExpression, chance: Chance): Json {
  if (chance.happens(15)) return null;
  switch (type.kind) {
    case 'list':
      return chance.pick<Json>([{}, 'x', 5, [5], ['x'], [[]], [null], { a: 'b' }]);
    case 'map':
      return chance.pick<Json>([[], 'x', 5, { a: 5 }, { a: {} }, { a: null }, { a: [] }]);
    case 'object':
      return chance.pick<Json>([[], 'x', 5, true]);
    case 'scalar':
      return chance.pick<Json>(WRONG_SCALARS[type.scalar] ?? [{}, [], true, 'x', 5, 1.5, ['x'], { a: 'b' }]);
  }
}

const WRONG_INTEGERS: readonly Json[] = ['5', 1.5, true, {}, [], 2_147_483_648, 9_223_372_036_854_775_808n, 1e100];
const WRONG_SCALARS: { readonly [type in Scalar]?: readonly Json[] } = {
  string: [5, true, {}, [], 1.5],
  bool: ['true', 1, {}, []],
  int32: WRONG_INTEGERS,
  int64: WRONG_INTEGERS,
};
