/**
 * Names of a group that a controller of this server keeps. Definitions of users do not get them, whether the kind is
 * built in or defined by a definition of ours; with the controller off, the names are free.
 */
import { deepEqual } from '../../../kube/immutable.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
} from '../../types/apiextensions-v1.ts';
import { type ConditionWords, findCondition, isConditionTrue } from './conditions.ts';

export interface HeldNames {
  readonly group: string;
  readonly names: CustomResourceDefinitionNames;
  /** The controller that keeps the names, and how to switch it off; follows `"x" is already in use: `. */
  readonly why: string;
  /** The spec of our definition, with its defaults, where the kind is defined by one. Absent: the kind is built in. */
  readonly spec?: CustomResourceDefinitionSpec;
}

/** Whether the definition has the spec of ours, whichever client wrote it. */
const isOurs = ({ spec }: CustomResourceDefinition, held: HeldNames): boolean =>
  held.spec !== undefined && deepEqual(spec, held.spec);

/** Names that this definition may not have, with the reason. */
export interface Withheld {
  readonly resources: ReadonlyMap<string, string>;
  readonly kinds: ReadonlyMap<string, string>;
}

export const NOTHING_WITHHELD: Withheld = { resources: new Map(), kinds: new Map() };

export function withheldFrom(definition: CustomResourceDefinition, all: readonly HeldNames[]): Withheld {
  const held = all.filter((each) => each.group === definition.spec.group && !isOurs(definition, each));
  if (held.length === 0) return NOTHING_WITHHELD;
  const resources = new Map<string, string>();
  const kinds = new Map<string, string>();
  for (const { names, why } of held) {
    for (const name of [names.plural, names.singular ?? '', ...(names.shortNames ?? [])]) resources.set(name, why);
    kinds.set(names.kind, why).set(names.listKind ?? '', why);
  }
  resources.delete('');
  kinds.delete('');
  return { resources, kinds };
}

/**
 * The definition that is served under the name of a stored one: ours where the name is held for it, though the stored
 * one has another spec or is not Established yet. A client that overwrites our definition neither breaks the controller
 * that reads its objects nor makes them unreadable.
 */
export function servedDefinition<T extends CustomResourceDefinition>(definition: T, all: readonly HeldNames[]): T {
  const held = all.find(
    ({ group, names, spec }) =>
      spec !== undefined && group === definition.spec.group && names.plural === definition.spec.names.plural,
  );
  if (held?.spec === undefined) return definition;
  // Our definition need not be Established: its controller follows the kind as soon as there is a definition.
  if (isOurs(definition, held) && isConditionTrue(definition, 'Established')) return definition;
  const terminating = findCondition(definition, 'Terminating');
  return {
    ...definition,
    spec: held.spec,
    status: {
      ...definition.status,
      acceptedNames: held.names,
      conditions: [ESTABLISHED, ...(terminating === undefined ? [] : [terminating])],
    },
  };
}

const ESTABLISHED: ConditionWords = { type: 'Established', status: 'True', reason: 'Held', message: '' };
