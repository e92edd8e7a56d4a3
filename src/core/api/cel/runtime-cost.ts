/** Costs of calls at run time, from their arguments and, for few, their result. */
import { utf8Length } from '../../kube/go-text.ts';
import { selectorCost } from './estimate-calls.ts';
import { FORMAT_TYPE } from './values/opaque.ts';
import { CelList, CelMap, CelOpaque, CelOptional, typeNameOf, type Val } from './values/values.ts';
import { textLength, work } from './values/work.ts';

/** Most calls have a fixed cost. */
export type CallCost =
  | number
  /** Computed before the call, so that a call beyond the budget never begins. */
  | { readonly before: (args: readonly Val[]) => number }
  | { readonly after: (result: Val) => number };

function plainSize(value: Val | undefined): number {
  if (typeof value === 'string') return textLength(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof CelOpaque ? (value.size ?? 1) : 1;
}

/** The language prices the value inside an optional, Kubernetes' functions do not. */
function sizeThroughOptional(value: Val | undefined): number {
  return value instanceof CelOptional && value.value !== undefined
    ? sizeThroughOptional(value.value)
    : plainSize(value);
}

const up = (value: number): number => Math.ceil(value);
/** A constant's size is a constant: `scaled` keeps the rounding of upstream's floating-point factors. */
const scaled = (size: number, factor: number): number => up(size * factor);

const before = (cost: (args: readonly Val[]) => number): CallCost => ({ before: cost });

const traversal = before(([text]) => scaled(plainSize(text), 0.1));
const twice = before(([text]) => up(plainSize(text) * 2 * 0.1));
const smaller = before(([a, b]) => scaled(Math.min(sizeThroughOptional(a), sizeThroughOptional(b)), 0.1));
const pattern = before(([text, regex]) => up((1 + plainSize(text)) * 0.1) * scaled(plainSize(regex), 0.25));
const searching = before(([list]) => traversalCost(list));

/** The equality of opaque values costs one step in Kubernetes; others cost by size. */
const cheapEquality = before((args) => {
  const [left] = args;
  if (left instanceof CelOpaque) return 1;
  return scaled(Math.min(sizeThroughOptional(left), sizeThroughOptional(args[1])), 0.1);
});

const formatting = before(([format, text]) => {
  if (!(format instanceof CelOpaque) || format.type !== FORMAT_TYPE) return 1;
  const { maxRegexSize } = format.payload as { readonly maxRegexSize: number };
  return up((1 + plainSize(text)) * 0.1) * scaled(maxRegexSize, 0.25);
});

const contained = (range: boolean, text: boolean): CallCost =>
  before(([cidr, other]) => {
    const size = plainSize(cidr);
    const compared = scaled(size + size, 0.1) + (range ? scaled(size, 0.1) + 1 : 0);
    return compared + (text ? scaled(plainSize(other), 0.1) : 0);
  });

const allocating = (size: number, factor: number): number => Math.trunc(size * factor) + 11;

const selfCompared = (argument: number): CallCost =>
  before((args) => {
    const list = args[argument];
    const size = plainSize(list);
    if (size === 0 || !(list instanceof CelList)) return allocating(0, 2);
    const type = typeNameOf(list.at(0));
    return allocating(size * size, type === 'string' || type === 'bytes' ? 2.1 : 2);
  });

const sets = (factor: number): CallCost => before(([a, b]) => 1 + Math.trunc(plainSize(a) * plainSize(b) * factor));

const outputSize: CallCost = { after: (result) => allocating(plainSize(result), 1) };

const flattening = before(([list, depth]) =>
  allocating(plainSize(list), typeof depth === 'bigint' ? Number(depth) : 1),
);

const BY_OVERLOAD: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['list_slice', outputSize],
  ['lists_range', outputSize],
  ['list_reverse', outputSize],
  ['list_flatten', flattening],
  ['list_flatten_int', flattening],
  ['list_distinct', selfCompared(0)],
  ['list_sets_contains_list', sets(1)],
  ['list_sets_intersects_list', sets(1)],
  ['list_sets_equivalent_list', sets(2)],
]);

const selectors = before(([, selector]) => {
  const length = plainSize(selector);
  return selectorCost({ min: length, max: length }).max;
});

const BY_NAME: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['check', 350_000],
  ['fieldSelector', selectors],
  ['labelSelector', selectors],
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name) => [name, searching] as const),
  ...['url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'jsonpatch.escapeKey', 'cidr', 'isIP', 'isCIDR'].map(
    (name) => [name, traversal] as const,
  ),
  ...['ip', 'quantity', 'isQuantity', 'semver', 'isSemver'].map((name) => [name, traversal] as const),
  ['replace', twice],
  ['split', twice],
  ['ip.isCanonical', twice],
  ['join', { after: (result) => up(plainSize(result) * 2 * 0.1) }],
  ['find', pattern],
  ['findAll', pattern],
  ['validate', formatting],
  ['_==_', cheapEquality],
]);

const both = before(([a, b]) => scaled(sizeThroughOptional(a) + sizeThroughOptional(b), 0.1));

/** Prices of the language itself, for calls with a single overload. */
const BUILT_IN: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...[
    'starts_with_string',
    'ends_with_string',
    'string_to_bytes',
    'bytes_to_string',
    'strings_quote',
    'string_format',
  ].map((overload) => [overload, before(([text]) => scaled(sizeThroughOptional(text), 0.1))] as const),
  ['in_list', before(([, list]) => sizeThroughOptional(list))],
  ...['less', 'greater', 'less_equals', 'greater_equals'].flatMap((name) => [
    [`${name}_string`, smaller] as const,
    [`${name}_bytes`, smaller] as const,
  ]),
  ['equals', smaller],
  ['not_equals', smaller],
  ['add_string', both],
  ['add_bytes', both],
  [
    'matches_string',
    before(([text, regex]) => up((1 + sizeThroughOptional(text)) * 0.1) * scaled(sizeThroughOptional(regex), 0.25)),
  ],
  [
    'contains_string',
    before(([text, part]) => scaled(sizeThroughOptional(text), 0.1) * scaled(sizeThroughOptional(part), 0.1)),
  ],
]);

/** `overload` is empty when the checker left several. */
export function callCostOf(name: string, overload: string): CallCost {
  const own = BY_OVERLOAD.get(overload);
  if (own !== undefined) return own;
  if (overload.endsWith('_sortByAssociatedKeys')) return selfCompared(1);
  if (overload.endsWith('_sort')) return selfCompared(0);
  if (overload === 'cidr_ip') return 1;
  if (name === 'containsIP' || name === 'containsCIDR')
    return contained(name === 'containsCIDR', overload.endsWith('_string'));
  return BY_NAME.get(name) ?? BUILT_IN.get(overload) ?? 1;
}

/** The cost of visiting every element of a value once. */
function traversalCost(value: Val | undefined): number {
  work(1);
  if (typeof value === 'string') return Math.trunc(utf8Length(value) * 0.1);
  if (value instanceof Uint8Array) return Math.trunc(value.length * 0.1);
  let cost = 0;
  if (value instanceof CelList) {
    for (let i = 0; i < value.size; i++) cost += traversalCost(value.at(i));
    return cost;
  }
  if (value instanceof CelMap) {
    for (const key of value.keys()) cost += traversalCost(key) + traversalCost(value.find(key));
    return cost;
  }
  return 1;
}
