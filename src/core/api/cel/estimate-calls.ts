/** Estimates of functions that extend the language: Kubernetes' own, lists and sets. */
import {
  add,
  fixed,
  MAX_COST,
  scale,
  times,
  UNKNOWN_SIZE,
  type CallEstimate,
  type EstimateNode,
  type Size,
} from './estimate-math.ts';
import { sameType } from './types.ts';
import type { CelCost } from './model.ts';

type Args = readonly EstimateNode[];

const estimate = (cost: CelCost, size?: Size): CallEstimate => ({ cost, size });
const sizeOf = (node: EstimateNode | undefined): Size =>
  node?.size ?? (node && node.path.length > 0 ? node.itemSize(node.path) : undefined) ?? UNKNOWN_SIZE;

const ONE: ReadonlySet<string> = new Set([
  ...['serviceAccount', 'path', 'group', 'resource', 'subresource', 'namespace', 'name', 'allowed', 'reason', 'error'],
  ...['errored', 'masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback', 'isLinkLocalMulticast'],
  ...['isLinkLocalUnicast', 'isGlobalUnicast', 'format.named', 'sign', 'asInteger', 'isInteger', 'asApproximateFloat'],
  ...['isGreaterThan', 'isLessThan', 'compareTo', 'add', 'sub', 'major', 'minor', 'patch', 'getScheme', 'getHostname'],
  ...['getHost', 'getPort', 'getEscapedPath', 'getQuery'],
]);

/** The cost of the function beside its arguments; `undefined` for functions that the language itself prices. */
export function estimateCall(
  name: string,
  overload: string,
  target: EstimateNode | undefined,
  args: Args,
): CallEstimate | undefined {
  const list = listEstimate(overload, target, args);
  if (list) return list;
  if (ONE.has(name)) return estimate(fixed(1));
  const [first, second] = args;
  switch (name) {
    case 'check':
      return estimate(fixed(350_000));
    case 'fieldSelector':
    case 'labelSelector':
      return args.length === 1 ? estimate(selectorCost(sizeOf(first))) : undefined;
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return target && searchEstimate(target);
    case 'url':
    case 'jsonpatch.escapeKey':
      return args.length === 1 ? estimate(scale(sizeOf(first), 0.1), sizeOf(first)) : undefined;
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return target && estimate(scale(sizeOf(target), 0.1), sizeOf(target));
    case 'replace':
      return target && args.length >= 2 ? replaceEstimate(sizeOf(target), sizeOf(first), sizeOf(second)) : undefined;
    case 'split':
      return target && splitEstimate(sizeOf(target), second);
    case 'join':
      return target && joinEstimate(target, first);
    case 'find':
    case 'findAll':
      return target && args.length >= 1 ? findEstimate(sizeOf(target), sizeOf(first)) : undefined;
    case 'ip':
      return overload === 'cidr_ip' ? estimate(fixed(1)) : parsing(first, 0.1);
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return parsing(first, 0.1);
    case 'ip.isCanonical':
      return parsing(first, 0.2);
    case 'containsIP':
    case 'containsCIDR':
      return containsEstimate(name === 'containsCIDR', overload, first);
    case 'validate':
      return first && estimate(scale(scale(sizeOf(first), 0.1), 128 * 0.25));
    case '_==_':
      return equalityEstimate(first, second);
    default:
      return undefined;
  }
}

const parsing = (argument: EstimateNode | undefined, factor: number): CallEstimate | undefined =>
  argument && estimate(scale(sizeOf(argument), factor));

/** A selector is a list of requirements; the shortest takes two characters. */
export const selectorCost = (length: Size): CelCost =>
  add(add(fixed(10), scale(length, 0.1)), scale(scale(length, 0.5), 50));

/** The size an element of the list has by the schema; `undefined` when the target is no list. */
function elementOf(list: EstimateNode): { kind: string; size: Size } | undefined {
  const element = list.type?.parameters[0];
  if (!element) return undefined;
  const size = list.path.length > 0 ? list.itemSize([...list.path, '@items']) : undefined;
  return { kind: element.kind, size: size ?? UNKNOWN_SIZE };
}

function searchEstimate(target: EstimateNode): CallEstimate {
  const element = elementOf(target);
  if (!element) return estimate(scale(sizeOf(target), 0.1));
  const text = element.kind === 'string' || element.kind === 'bytes';
  return estimate(times(sizeOf(target), text ? add(fixed(1), scale(element.size, 0.1)) : fixed(1)));
}

function replaceEstimate(text: Size, old: Size, replacement: Size): CallEstimate {
  let countMax = 0;
  let keptMax = 0;
  if (old.min === 0) {
    countMax = text.max < MAX_COST ? text.max + 1 : text.max;
    keptMax = text.max;
  } else if (replacement.max <= old.min) keptMax = text.max;
  else countMax = Math.ceil(text.max / old.min);
  let countMin = 0;
  let keptMin = 0;
  if (old.max === 0) {
    countMin = text.min < MAX_COST ? text.min + 1 : text.min;
    keptMin = text.min;
  } else if (old.max <= replacement.min) keptMin = text.min;
  else countMin = Math.ceil(text.min / old.max);
  const size = add(times({ min: countMin, max: countMax }, replacement), { min: keptMin, max: keptMax });
  return estimate(scale(text, 0.2), size);
}

function splitEstimate(text: Size, limit: EstimateNode | undefined): CallEstimate {
  const literal = limit?.expr.kind === 'literal' ? limit.expr.value : undefined;
  const max = typeof literal === 'bigint' ? Number(BigInt.asUintN(64, literal)) : text.max;
  return estimate(scale(text, 0.2), { min: 0, max });
}

function joinEstimate(list: EstimateNode, separator: EstimateNode | undefined): CallEstimate {
  const count = sizeOf(list);
  const element = elementOf(list);
  let size = element ? times(count, element.size) : fixed(0);
  if (separator) {
    const separators = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
    size = add(size, times(sizeOf(separator), separators));
  }
  return estimate(scale(size, 0.1), size);
}

function findEstimate(text: Size, pattern: Size): CallEstimate {
  const cost = times(scale(add(text, fixed(1)), 0.1), scale(pattern, 0.25));
  return estimate(cost, { min: 0, max: text.max });
}

const ADDRESS: Size = { min: 4, max: 16 };

function containsEstimate(range: boolean, overload: string, argument: EstimateNode | undefined): CallEstimate {
  let cost = scale(add(ADDRESS, ADDRESS), 0.1);
  if (range) cost = add(add(cost, scale(ADDRESS, 0.1)), fixed(1));
  if (overload.endsWith('_string')) cost = add(cost, scale(sizeOf(argument), 0.1));
  return estimate(cost);
}

const CHEAP_TO_COMPARE: ReadonlySet<string> = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  ...['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(
    (name) => `kubernetes.authorization.${name}`,
  ),
]);

function equalityEstimate(left: EstimateNode | undefined, right: EstimateNode | undefined): CallEstimate | undefined {
  const type = left?.type;
  if (!type || !right?.type || !sameType(type, right.type)) return undefined;
  if (CHEAP_TO_COMPARE.has(type.name)) return estimate(fixed(1));
  if (type.name === 'kubernetes.NamedFormat') return estimate(scale({ min: 1, max: 64 }, 0.1));
  if (type.name === 'kubernetes.URL') return estimate(scale({ min: 1, max: right.size?.max ?? 1 }, 0.1));
  return undefined;
}

const allocating = (factor: number, size: Size): CallEstimate => estimate(add(scale(size, factor), fixed(11)), size);

/** A literal integer, at least zero. */
function literalInt(node: EstimateNode | undefined, otherwise: number): number {
  const value = node?.expr.kind === 'literal' ? node.expr.value : undefined;
  return typeof value === 'bigint' ? Math.max(0, Number(value)) : otherwise;
}

function listEstimate(overload: string, target: EstimateNode | undefined, args: Args): CallEstimate | undefined {
  switch (overload) {
    case 'list_slice': {
      const count = literalInt(args[1], sizeOf(target).max) - literalInt(args[0], 0);
      return allocating(1, fixed(count < 0 ? count + MAX_COST : count));
    }
    case 'list_flatten':
    case 'list_flatten_int':
      return allocating(args.length === 1 ? literalInt(args[0], MAX_COST) : 1, sizeOf(target));
    case 'lists_range':
      return allocating(1, fixed(literalInt(args[0], MAX_COST)));
    case 'list_reverse':
      return allocating(1, sizeOf(target));
    case 'list_distinct':
      return allocating(2, times(sizeOf(target), sizeOf(target)));
    case 'list_sets_contains_list':
    case 'list_sets_intersects_list':
    case 'list_sets_equivalent_list': {
      const factor = overload === 'list_sets_equivalent_list' ? 2 : 1;
      return estimate(add(scale(times(sizeOf(args[0]), sizeOf(args[1])), factor), fixed(1)));
    }
    default:
      return sortEstimate(overload, target, args);
  }
}

function sortEstimate(overload: string, target: EstimateNode | undefined, args: Args): CallEstimate | undefined {
  const by = overload.endsWith('_sortByAssociatedKeys');
  if (!by && !overload.endsWith('_sort')) return undefined;
  const size = sizeOf(by ? args[0] : target);
  const text = overload.startsWith('list_string_') || overload.startsWith('list_bytes_');
  return allocating(text ? 2.1 : 2, times(size, size));
}
