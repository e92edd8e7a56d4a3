/**
 * Owners of fields that conflict with ours by history only. An object that `kubectl apply` (client side), `kubectl
 * create` or another tool made has fields that their manager will never give up: they would stay for ever though our
 * manifest has dropped them. Such a manager's fields are handed to us, so that the next apply removes those that the
 * manifest lacks.
 */
import { COMPONENT_FIELD_MANAGERS } from '../../../core/api/names.ts';
import { describePath, pathsOf, union } from '../../../core/api/apply/field-set.ts';
import { decodeFields, encodeFields } from '../../../core/api/apply/fields-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { ManagedFieldsEntry } from '../../../core/kube/meta-v1.ts';
import type { StatusError } from '../../../core/kube/status-error.ts';
import type { FieldConflict } from './errors.ts';
import type { ObjectRef } from './object-ref.ts';

/** kubectl's ways of making an object without server-side apply, and our own of beginning one and of turning one back. */
const PREDECESSORS: readonly string[] = [
  'kubectl-client-side-apply',
  'kubectl-create',
  'kubectl-last-applied',
  COMPONENT_FIELD_MANAGERS.create,
  COMPONENT_FIELD_MANAGERS.undo,
];

/** Says of a manager whether its fields become ours. A name that ends with `*` stands for all that begin so. */
export function predecessorTest(more: readonly string[] = []): (manager: string) => boolean {
  const names = new Set([...PREDECESSORS, ...more.filter((name) => !name.endsWith('*'))]);
  const prefixes = more.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (manager) => names.has(manager) || prefixes.some((prefix) => manager.startsWith(prefix));
}

const OWN: ReadonlySet<string> = new Set([COMPONENT_FIELD_MANAGERS.create, COMPONENT_FIELD_MANAGERS.undo]);

/** Managers of other tools whose fields are taken over, each once; our own are no news. */
export const otherPredecessors = (
  entries: readonly ManagedFieldsEntry[],
  isPredecessor: (manager: string) => boolean,
): readonly string[] => {
  const taken = entries.filter((entry) => isTakenFrom(entry, isPredecessor)).map(({ manager = '' }) => manager);
  return [...new Set(taken)].filter((manager) => !OWN.has(manager));
};

const isTakenFrom = (
  { manager = '', subresource = '' }: ManagedFieldsEntry,
  isPredecessor: (manager: string) => boolean,
): boolean => isPredecessor(manager) && subresource === '';

export interface Change {
  readonly manager: string;
  /** `.spec.template.spec.containers[name="app"].image` */
  readonly fields: readonly string[];
}

/** Managers that keep bookkeeping of their own in all objects. */
const HOUSEKEEPERS: ReadonlySet<string> = new Set(['kube-controller-manager', 'kube-apiserver']);
const FIRST: ReadonlySet<string> = new Set(['f:metadata', 'f:status']);

/** Other field managers of an applied object: those that changed our fields, or added their own. */
export function changesIn(entries: readonly ManagedFieldsEntry[]): readonly Change[] {
  const changes: Change[] = [];
  for (const { manager = '', subresource = '', fieldsV1, operation } of entries) {
    const isSelf = OWN.has(manager) || (manager === COMPONENT_FIELD_MANAGERS.apply && operation === 'Apply');
    if (isSelf || HOUSEKEEPERS.has(manager) || subresource !== '') continue;
    const paths = [...pathsOf(decodeFields(fieldsV1))].filter(([first = '']) => !FIRST.has(first));
    // A path that is the parent of another reported path is left out.
    const fields = paths.map(describePath).filter((path, _, all) => !all.some((other) => isBelow(other, path)));
    if (fields.length > 0) changes.push({ manager, fields });
  }
  return changes;
}

const isBelow = (path: string, above: string): boolean =>
  path !== above && path.startsWith(above) && /^[.[]/.test(path.slice(above.length));

const isOurs = ({ manager, operation, subresource = '' }: ManagedFieldsEntry): boolean =>
  manager === COMPONENT_FIELD_MANAGERS.apply && operation === 'Apply' && subresource === '';

/** The owners after the handing over; undefined where there is nothing to hand over. */
export function handedOver(
  entries: readonly ManagedFieldsEntry[],
  isPredecessor: (manager: string) => boolean,
  apiVersion: string,
): readonly ManagedFieldsEntry[] | undefined {
  const isTaken = (entry: ManagedFieldsEntry): boolean => isTakenFrom(entry, isPredecessor);
  const taken = entries.filter((entry) => isTaken(entry));
  if (taken.length === 0) return undefined;
  const own = entries.find(isOurs);
  let set = decodeFields(own?.fieldsV1);
  for (const { fieldsV1 } of taken) set = union(set, decodeFields(fieldsV1));
  const latest = [own, ...taken].reduce((time, entry) => ((entry?.time ?? '') > time ? (entry?.time ?? '') : time), '');
  const ours: ManagedFieldsEntry = {
    manager: COMPONENT_FIELD_MANAGERS.apply,
    operation: 'Apply',
    apiVersion: own?.apiVersion ?? apiVersion,
    ...(latest === '' ? {} : { time: latest }),
    fieldsType: 'FieldsV1',
    fieldsV1: JSON.parse(encodeFields(set)) as Json,
  };
  return [ours, ...entries.filter((entry) => !isTaken(entry) && entry !== own)];
}

const OWNER = /^conflict with ("(?:[^"\\]|\\.)*".*)$/s;
const QUOTED = /^"(?:[^"\\]|\\.)*"/;

/** Field managers whose fields an apply would have changed, from the server's conflict. */
export function conflictsIn(error: StatusError, object: ObjectRef): readonly FieldConflict[] {
  const causes = error.status.details?.causes ?? [];
  return causes
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ field = '', message = '' }) => {
      const owner = OWNER.exec(message)?.[1] ?? message;
      return { object, field, owner, manager: unquoted(QUOTED.exec(owner)?.[0] ?? owner) };
    });
}

/** For a manager that updates, servers report version and time; for one that applies, only the name. */
export const wasUpdate = ({ owner }: Pick<FieldConflict, 'owner'>): boolean =>
  owner.replace(QUOTED, '').includes(' using ');

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.replace(/^"|"$/g, '');
  }
}
