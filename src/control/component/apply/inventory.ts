/**
 * The inventory of a component, the objects that it has brought to the cluster: a ConfigMap in the component's
 * namespace, one line an object, readable for people. Written before the first object of an apply (with everything old
 * and new) and shrunk after the last prune, it never misses an object, whatever was interrupted.
 */
import { CONFIG_MAPS } from '../../../core/api/registry/resources.ts';
import { COMPONENT_LABELS } from '../../../core/api/names.ts';
import type { ConfigMap } from '../../../core/api/types/core-v1.ts';
import { inventoryName } from '../../../core/component/inventory-name.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import { apiVersionOf, type KubeObject } from '../../../core/kube/objects.ts';
import { ComponentApplyError } from './errors.ts';
import { refKey, refOf, type ObjectRef } from './object-ref.ts';
import { inOrder } from './prepare.ts';
import { marked } from './ownership.ts';
import { identityText, type ComponentIdentity } from './rendered.ts';

export type Phase = 'settled' | 'applying' | 'deleting';

export interface Undone {
  /** The revision whose template the DaemonSet was given back. */
  readonly revision: number;
  readonly at: string;
}

export interface Inventory {
  readonly identity: ComponentIdentity;
  readonly objects: readonly ObjectRef[];
  readonly phase: Phase;
  /** Name of the apply or deletion under way; absent when settled. */
  readonly applier?: string;
  readonly since?: string;
  /** When an apply was last carried through. */
  readonly appliedAt?: string;
  /** An undo since the last apply: the cluster has another template than the manifest. */
  readonly undone?: Undone;
}

export const inventoryRef = ({ name, namespace }: ComponentIdentity): ObjectRef =>
  refOf(CONFIG_MAPS, namespace, inventoryName(name));

const VERSION = '1';

export function inventoryData(inventory: Inventory): { readonly [key: string]: string } {
  const { identity, objects, phase, applier, since, appliedAt, undone } = inventory;
  return {
    version: VERSION,
    component: identityText(identity),
    ...(identity.uid === undefined ? {} : { uid: identity.uid }),
    objects: inOrder(objects, (ref) => ref)
      .map((ref) => `${lineOf(ref)}\n`)
      .join(''),
    phase,
    ...(applier === undefined ? {} : { applier }),
    ...(since === undefined ? {} : { since }),
    ...(appliedAt === undefined ? {} : { appliedAt }),
    ...(undone === undefined ? {} : { undone: `${undone.revision} ${undone.at}` }),
  };
}

export function inventoryObject(inventory: Inventory): ConfigMap {
  const { name, namespace } = inventory.identity;
  const metadata = { name: inventoryName(name), namespace, labels: { [COMPONENT_LABELS.inventory]: 'true' } };
  const plain: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: inventoryData(inventory) };
  return marked(plain, inventory.identity);
}

/** `apps/v1 DaemonSet daemonsets logging/agent`; no part of it can have a blank or a slash of its own. */
const lineOf = (ref: ObjectRef): string =>
  `${apiVersionOf(ref)} ${ref.kind} ${ref.resource} ${ref.namespace === '' ? '' : `${ref.namespace}/`}${ref.name}`;

const LINE = /^(?:([a-z0-9.-]+)\/)?([a-z0-9]+) ([A-Za-z0-9]+) ([a-z0-9.-]+) (?:([a-z0-9-]+)\/)?([^/\n]+)$/;

function refOfLine(line: string): ObjectRef | undefined {
  const [whole, group = '', version = '', kind = '', resource = '', namespace = '', name = ''] = LINE.exec(line) ?? [];
  return whole === undefined ? undefined : { group, version, resource, kind, namespace, name };
}

const PHASES: ReadonlySet<string> = new Set<Phase>(['settled', 'applying', 'deleting']);

/**
 * Parses an inventory; anything unexpected is an error, because an object that is not listed would be taken for gone.
 */
export function parseInventory(object: ConfigMap, identity: Omit<ComponentIdentity, 'uid'>): Inventory {
  const damaged = (what: string): never => {
    const { namespace = '', name } = object.metadata;
    throw new ComponentApplyError(
      'EN_COMPONENT_APPLY_INVENTORY',
      `the inventory in ConfigMap ${namespace}/${name} cannot be read: ${what}; repair or delete it, then apply again`,
    );
  };
  const at = (key: string): string | undefined => labelOf(object.data, key);
  const version = at('version');
  if (version !== VERSION) return damaged(`its version is ${JSON.stringify(version ?? '')}, not "${VERSION}"`);
  if (at('component') !== identityText(identity))
    return damaged(`it belongs to ${JSON.stringify(at('component') ?? '')}`);
  const phase = at('phase') ?? '';
  if (!PHASES.has(phase)) return damaged(`its phase is ${JSON.stringify(phase)}`);
  const text = at('objects');
  if (text === undefined) return damaged('it has no objects');
  const objects = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => refOfLine(line) ?? damaged(`${JSON.stringify(line.slice(0, 200))} names no object`));
  const uid = at('uid');
  const [applier, since, appliedAt] = [at('applier'), at('since'), at('appliedAt')];
  const undone = undoneOf(at('undone'));
  return {
    identity: { name: identity.name, namespace: identity.namespace, ...(uid === undefined ? {} : { uid }) },
    objects,
    phase: phase as Phase,
    ...(applier === undefined ? {} : { applier }),
    ...(since === undefined ? {} : { since }),
    ...(appliedAt === undefined ? {} : { appliedAt }),
    ...(undone === undefined ? {} : { undone }),
  };
}

function undoneOf(text: string | undefined): Undone | undefined {
  const [, revision, at] = /^(\d{1,15}) (\S+)$/.exec(text ?? '') ?? [];
  return revision === undefined || at === undefined ? undefined : { revision: Number(revision), at };
}

/** Everything on either list, once; the first list's order comes first. */
export function unionOf(a: readonly ObjectRef[], b: readonly ObjectRef[]): readonly ObjectRef[] {
  const known = new Set(a.map(refKey));
  const more = b.filter((ref) => !known.has(refKey(ref)));
  return more.length === 0 ? a : [...a, ...more];
}

export function sameObjects(a: readonly ObjectRef[], b: readonly ObjectRef[]): boolean {
  const known = new Set(a.map(refKey));
  return a.length === b.length && b.every((ref) => known.has(refKey(ref)));
}

export const isInventory = (object: KubeObject): boolean =>
  labelOf(object.metadata.labels, COMPONENT_LABELS.inventory) === 'true';
