/** The one action of a step, field by field. */
import type { Taint } from '../../../core/api/types/core-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { Report } from '../../../core/kube/yaml/read-file.ts';
import { plainValue, type MapNode, type SourceNode } from '../../../core/kube/yaml/source-node.ts';
import { duration, readObject, scalarOf, unknownKeys, valueAt } from './read-values.ts';
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

/** The fields of each action. An action with a single field may be written short: `fail: worker-1`. */
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
  kill: { daemon: MAYBE_TEXT, order: MAYBE_TEXT, node: MAYBE_TEXT },
  jump: { forward: { type: 'duration', optional: true }, back: { type: 'duration', optional: true } },
  crash: { actor: TEXT, down: { type: 'duration' } },
};
const NAMES = ['apply', ...Object.keys(ACTIONS)];
const PROPAGATIONS = ['Background', 'Foreground', 'Orphan'];
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function readAction(step: MapNode, path: string, report: Report): Action | undefined {
  const named = step.entries.filter(({ key }) => NAMES.includes(key));
  unknownKeys(step, path, ['at', 'between', ...NAMES], report);
  const [entry] = named;
  if (named.length !== 1 || entry === undefined) {
    report(step, path, `expected one action; known are ${NAMES.join(', ')}`);
    return undefined;
  }
  const { key: name, value } = entry;
  const where = `${path}.${name}`;
  if (name === 'apply') {
    const [object] = readObject(value, where, report);
    return object === undefined ? undefined : { do: 'apply', object };
  }
  const fields = ACTIONS[name] ?? {};
  const values = readFields(value, where, fields, report);
  return values === undefined ? undefined : assemble(name, values, value, where, report);
}

type Values = Map<string, unknown>;

function readFields(node: SourceNode, path: string, fields: Fields, report: Report): Values | undefined {
  const names = Object.keys(fields);
  const values: Values = new Map();
  if (node.kind === 'scalar' && names.length >= 1 && typeof node.value === 'string') {
    const [first = '', ...others] = names;
    if (others.every((other) => fields[other]?.optional === true)) return values.set(first, node.value);
  }
  if (node.kind !== 'map') {
    report(node, path, `expected a map with ${names.join(', ')}`);
    return undefined;
  }
  unknownKeys(node, path, names, report);
  for (const [name, field] of Object.entries(fields)) {
    const value = valueAt(node, name);
    if (value === undefined) {
      if (field.optional !== true) report(node, `${path}.${name}`, 'is needed');
      continue;
    }
    values.set(name, readField(value, field.type, `${path}.${name}`, report));
  }
  return values;
}

function readField(node: SourceNode, type: FieldType, path: string, report: Report): unknown {
  const scalar = scalarOf(node);
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
      return duration(node, path, report);
    case 'map':
      expected(node.kind === 'map', 'a map');
      return plainValue(node) ?? {};
    case 'labels': {
      const labels = (plainValue(node) ?? {}) as { readonly [key: string]: unknown };
      expected(
        node.kind === 'map' && Object.values(labels).every((value) => typeof value === 'string'),
        'labels, all of them text',
      );
      return labels;
    }
  }
}

function assemble(name: string, values: Values, node: SourceNode, path: string, report: Report): Action {
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
  if (name === 'kill' && values.size === 0) report(node, path, 'expected a daemon or an order, a node, or both');
  if (name === 'jump') {
    if (values.size !== 1) report(node, path, 'expected either forward or back, with a duration');
    return { do: 'jump', byMs: Number(values.get('forward') ?? 0) - Number(values.get('back') ?? 0) };
  }
  const { every, down, ...rest } = Object.fromEntries(values) as { [key: string]: Json };
  return {
    do: name,
    ...rest,
    ...(every === undefined ? {} : { everyMs: every }),
    ...(down === undefined ? {} : { downMs: down }),
  } as unknown as Action;
}
