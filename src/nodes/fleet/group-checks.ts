/** Fields of a group of nodes and their checks. Every problem is reported where it stands, with the expected value. */
import { parseGoDuration } from '../../core/kube/go-duration.ts';
import { encodeJson, type Json } from '../../core/kube/json.ts';
import { dns1123SubdomainProblems, labelValueProblems, qualifiedNameProblems } from '../../core/kube/names.ts';
import { exactValue, parseQuantity, quantityProblem } from '../../core/kube/quantity.ts';
import type { Report } from '../../core/kube/yaml/read-file.ts';
import type { MapNode, SourceNode } from '../../core/kube/yaml/source-node.ts';

interface Field {
  readonly key: string;
  readonly value: unknown;
  /** The value as it stands in the file. */
  readonly node: SourceNode;
  readonly keyAt: number;
  readonly path: string;
}

type Check = (field: Field, report: Report) => void;

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const TAINT_KEYS = ['key', 'value', 'effect'];
/** Leaves room for a number behind the name. */
const MAX_NAME = 200;

const fields: { readonly [key: string]: Check } = {
  name: ({ value, node, path }, report) => {
    if (typeof value === 'string' && dns1123SubdomainProblems(value).length === 0 && value.length <= MAX_NAME) return;
    report(node, path, `${shown(value)}: expected a DNS name of at most ${MAX_NAME} characters, such as gpu-large`);
  },
  count: ({ value, node, path }, report) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return;
    report(node, path, `${shown(value)}: expected a whole number of nodes, 0 or more`);
  },
  labels: (field, report) =>
    entries(field, report, (entry) => {
      const [keyProblem] = qualifiedNameProblems(entry.key);
      if (keyProblem !== undefined) return report(entry.node, entry.path, `no label key: ${keyProblem}`);
      if (typeof entry.value !== 'string') {
        return report(entry.node, entry.path, `${shown(entry.value)}: label values are text; put it in quotes`);
      }
      const [problem] = labelValueProblems(entry.value);
      if (problem !== undefined) report(entry.node, entry.path, `no label value: ${problem}`);
    }),
  taints: ({ value, node, path }, report) => {
    if (node.kind !== 'list' || !Array.isArray(value))
      return report(node, path, 'expected a list of taints, each with key and effect');
    for (const [i, item] of node.items.entries()) checkTaint(item, value[i], `${path}[${i}]`, report);
  },
  capacity: quantities,
  allocatable: quantities,
  startupDelay: duration,
  podStartDelay: duration,
  readyWhenDaemon: ({ value, node, path }, report) => {
    if (typeof value === 'string' && /^[^/\s]+\/[^/\s]+$/.test(value)) return;
    report(node, path, `${shown(value)}: expected namespace/name of a DaemonSet`);
  },
};

const GROUP_FIELDS: readonly string[] = Object.keys(fields);
const REQUIRED = ['name', 'count'];

/** True when the item is a group without a fault. */
export function checkGroup(item: SourceNode, plain: unknown, path: string, report: Report): boolean {
  if (item.kind !== 'map' || !isRecord(plain)) {
    report(item, path, 'expected a group: a map with name and count');
    return false;
  }
  let isSound = true;
  const problem: Report = (node, at, message) => {
    isSound = false;
    report(node, at, message);
  };
  for (const field of fieldsOf(item, plain, path)) {
    const check = Object.hasOwn(fields, field.key) ? fields[field.key] : undefined;
    if (check === undefined) problem({ at: field.keyAt }, field.path, `unknown field${suggestion(field.key)}`);
    else check(field, problem);
  }
  for (const key of REQUIRED) if (!Object.hasOwn(plain, key)) problem(item, `${path}.${key}`, 'missing');
  return isSound;
}

function quantities(field: Field, report: Report): void {
  entries(field, report, ({ key, value, node, path }) => {
    const [keyProblem] = qualifiedNameProblems(key);
    if (keyProblem !== undefined) return report(node, path, `no resource name: ${keyProblem}`);
    const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
    if (typeof text !== 'string' || quantityProblem(text) !== undefined) {
      return report(node, path, `${shown(value)} is no quantity; expected for example 4, 500m or 16Gi`);
    }
    if (exactValue(parseQuantity(text)) < 0n) report(node, path, `${shown(value)}: expected 0 or more`);
  });
}

function duration({ value, node, path }: Field, report: Report): void {
  if (typeof value === 'string' && (parseGoDuration(value) ?? -1) >= 0) return;
  report(node, path, `${shown(value)}: expected a duration such as 500ms, 5s or 1m30s`);
}

function checkTaint(item: SourceNode, plain: unknown, path: string, report: Report): void {
  if (item.kind !== 'map' || !isRecord(plain)) return report(item, path, 'expected a taint: a map with key and effect');
  for (const { key, keyAt, value, node, path: at } of fieldsOf(item, plain, path)) {
    if (!TAINT_KEYS.includes(key)) report({ at: keyAt }, at, `unknown field; known are ${TAINT_KEYS.join(', ')}`);
    else if (key === 'effect' && !EFFECTS.includes(String(value))) {
      report(node, at, `${shown(value)}: expected one of ${EFFECTS.join(', ')}`);
    } else if (key === 'key' && (typeof value !== 'string' || qualifiedNameProblems(value).length > 0)) {
      report(node, at, `${shown(value)}: expected a key such as dedicated or example.com/team`);
    } else if (key === 'value' && (typeof value !== 'string' || labelValueProblems(value).length > 0)) {
      report(
        node,
        at,
        `${shown(value)}: expected text of at most 63 letters, digits, dots and dashes; put numbers in quotes`,
      );
    }
  }
  for (const key of ['key', 'effect']) if (!Object.hasOwn(plain, key)) report(item, `${path}.${key}`, 'missing');
}

function entries(field: Field, report: Report, check: (entry: Field) => void): void {
  if (field.node.kind !== 'map' || !isRecord(field.value)) return report(field.node, field.path, 'expected a map');
  for (const entry of fieldsOf(field.node, field.value, field.path)) check(entry);
}

function* fieldsOf(map: MapNode, plain: { readonly [key: string]: unknown }, path: string): Generator<Field> {
  for (const { key, keyAt, value: node } of map.entries) {
    const value = Object.hasOwn(plain, key) ? plain[key] : undefined;
    yield {
      key,
      keyAt,
      value,
      node,
      path: /^[\w-]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`,
    };
  }
}

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_SHOWN = 60;

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : encodeJson(value as Json);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** The known field a typing slip most likely meant. */
function suggestion(key: string): string {
  const lower = key.toLowerCase().replaceAll(/[-_]/g, '');
  const near = GROUP_FIELDS.find((known) => {
    const plain = known.toLowerCase();
    return plain === lower || (lower.length >= 3 && (plain.startsWith(lower) || lower.startsWith(plain)));
  });
  return near === undefined ? `; known are ${GROUP_FIELDS.join(', ')}` : `; did you mean ${near}?`;
}
