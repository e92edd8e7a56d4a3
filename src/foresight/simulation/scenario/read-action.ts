/** The one action of a step, field by field. */
import { isMap, isScalar, type YAMLMap } from 'yaml';
import type { Taint } from '../../../core/api/types/core-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import { duration, readObject, unknownKeys, type Report, type ValueOf } from './read-values.ts';
import type { Action } from './scenario.ts';

type FieldType = 'text' | 'count' | 'duration' | 'flag' | 'map' | 'labels';
interface Field {
  readonly type: FieldType;
  readonly optional?: boolean;
}
type Fields = { readonly [name: string]: Field };

const TEXT: Field = { type: 'text' };
const MAYBE_TEXT: Field = { type: 'text', optional: true };
const NODE: Fields = { node: TEXT };

/** What each action is told. An action with a single field may be written short: `fail: worker-1`. */
const ACTIONS: { readonly [name: string]: Fields } = {
  patch: { kind: TEXT, name: TEXT, namespace: MAYBE_TEXT, merge: { type: 'map' } },
  delete: { kind: TEXT, name: TEXT, namespace: MAYBE_TEXT, propagation: MAYBE_TEXT },
  join: { group: TEXT, count: { type: 'count', optional: true } },
  fail: NODE,
  recover: NODE,
  cordon: NODE,
  uncordon: NODE,
  drain: NODE,
  remove: NODE,
  recreate: NODE,
  flap: { node: TEXT, times: { type: 'count' }, every: { type: 'duration' } },
  taint: { node: TEXT, key: TEXT, value: MAYBE_TEXT, effect: TEXT },
  untaint: { node: TEXT, key: TEXT },
  label: { node: TEXT, labels: { type: 'labels' } },
  image: { daemon: TEXT, image: TEXT },
  rollback: { daemon: TEXT },
  workload: {
    name: TEXT,
    count: { type: 'count' },
    cpu: MAYBE_TEXT,
    memory: MAYBE_TEXT,
    priorityClass: MAYBE_TEXT,
    spread: { type: 'flag', optional: true },
    exitAfter: MAYBE_TEXT,
  },
  finish: { workload: TEXT, count: { type: 'count', optional: true } },
  kill: { daemon: MAYBE_TEXT, node: MAYBE_TEXT },
  crash: { actor: TEXT, down: { type: 'duration' } },
};
const NAMES = ['apply', ...Object.keys(ACTIONS)];
const PROPAGATIONS = ['Background', 'Foreground', 'Orphan'];
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function readAction(step: YAMLMap, path: string, report: Report, valueOf: ValueOf): Action | undefined {
  const named = step.items.filter(({ key }) => isScalar(key) && NAMES.includes(String(key.value)));
  unknownKeys(step, path, ['at', 'between', ...NAMES], report);
  const [pair] = named;
  if (named.length !== 1 || pair === undefined) {
    report(step, path, `expected one action; known are ${NAMES.join(', ')}`);
    return undefined;
  }
  const name = String((pair.key as { readonly value: unknown }).value);
  const where = `${path}.${name}`;
  if (name === 'apply') {
    const [object] = readObject(pair.value, where, report, valueOf);
    return object === undefined ? undefined : { do: 'apply', object };
  }
  const fields = ACTIONS[name] ?? {};
  const values = readFields(pair.value, where, fields, report, valueOf);
  return values === undefined ? undefined : assemble(name, values, pair.value, where, report);
}

type Values = Map<string, unknown>;

function readFields(node: unknown, path: string, fields: Fields, report: Report, valueOf: ValueOf): Values | undefined {
  const names = Object.keys(fields);
  const values: Values = new Map();
  if (isScalar(node) && names.length >= 1 && typeof node.value === 'string') {
    const [first = '', ...others] = names;
    if (others.every((other) => fields[other]?.optional === true)) return values.set(first, node.value);
  }
  if (!isMap(node)) {
    report(node, path, `expected a map with ${names.join(', ')}`);
    return undefined;
  }
  unknownKeys(node, path, names, report);
  for (const [name, field] of Object.entries(fields)) {
    const value = node.get(name, true) as unknown;
    if (value === undefined) {
      if (field.optional !== true) report(node, `${path}.${name}`, 'is needed');
      continue;
    }
    values.set(name, readField(value, field.type, `${path}.${name}`, report, valueOf));
  }
  return values;
}

function readField(node: unknown, type: FieldType, path: string, report: Report, valueOf: ValueOf): unknown {
  const scalar = isScalar(node) ? node.value : undefined;
  const expected = (ok: boolean, what: string): void => {
    if (!ok) report(node, path, `expected ${what}`);
  };
  switch (type) {
    case 'text':
      expected(typeof scalar === 'string' && scalar !== '', 'text; put it in quotes if it looks like a number');
      return scalar;
    case 'count':
      expected(Number.isInteger(scalar) && Number(scalar) > 0, 'a whole number above 0');
      return scalar;
    case 'flag':
      expected(typeof scalar === 'boolean', 'true or false');
      return scalar;
    case 'duration':
      return duration(scalar, node, path, report);
    case 'map':
      expected(isMap(node), 'a map');
      return valueOf(node) ?? {};
    case 'labels': {
      const labels = (valueOf(node) ?? {}) as { readonly [key: string]: unknown };
      expected(
        isMap(node) && Object.values(labels).every((value) => typeof value === 'string'),
        'labels, all of them text',
      );
      return labels;
    }
  }
}

function assemble(name: string, values: Values, node: unknown, path: string, report: Report): Action {
  if (name === 'taint') {
    const effect = String(values.get('effect'));
    if (!EFFECTS.includes(effect)) report(node, `${path}.effect`, `expected one of ${EFFECTS.join(', ')}`);
    const value = values.get('value') as string | undefined;
    const taint: Taint = { key: String(values.get('key')), effect, ...(value === undefined ? {} : { value }) };
    return { do: 'taint', node: String(values.get('node')), taint };
  }
  const propagation = values.get('propagation') as string | undefined;
  if (propagation !== undefined && !PROPAGATIONS.includes(propagation))
    report(node, `${path}.propagation`, `expected one of ${PROPAGATIONS.join(', ')}`);
  if (name === 'kill' && values.size === 0) report(node, path, 'expected a daemon, a node, or both');
  const { every, down, ...rest } = Object.fromEntries(values) as { [key: string]: Json };
  return {
    do: name,
    ...rest,
    ...(every === undefined ? {} : { everyMs: every }),
    ...(down === undefined ? {} : { downMs: down }),
  } as unknown as Action;
}
