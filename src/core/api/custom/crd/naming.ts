/** Which names a definition gets: within a group no resource and no kind is called the same twice. */
import { goQuote } from '../../../kube/go-text.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '../../types/apiextensions-v1.ts';
import { NOTHING_WITHHELD, type Withheld } from './held-names.ts';
import { hasCertificate } from './validate-conversion.ts';
import { type ConditionWords, findCondition, isConditionTrue, isSameCondition, withCondition } from './conditions.ts';

/** Names that definitions of a group hold already. */
export interface UsedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export function usedNames(definitions: Iterable<CustomResourceDefinition>, group: string): UsedNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { spec, status } of definitions) {
    const names = status?.acceptedNames;
    if (spec.group !== group || names === undefined) continue;
    for (const name of [names.plural, names.singular ?? '', ...(names.shortNames ?? [])]) resources.add(name);
    kinds.add(names.kind).add(names.listKind ?? '');
  }
  // Names that are not accepted yet are written as empty texts.
  resources.delete('');
  kinds.delete('');
  return { resources, kinds };
}

/**
 * The definition with the names it may have, and conditions that say so; the same object when nothing is new. Accepted
 * names stay its own, unless they are withheld: an earlier Established condition does not count then.
 */
export function withAcceptedNames<T extends CustomResourceDefinition>(
  definition: T,
  used: UsedNames,
  now: string,
  withheld: Withheld = NOTHING_WITHHELD,
): T {
  const wanted = definition.spec.names;
  const held = withoutNames(definition.status?.acceptedNames ?? {}, withheld);
  const isAccepted = findCondition(definition, 'NamesAccepted') !== undefined;
  if (isAccepted && sameNames(wanted, held)) return definition;
  const { conflict, names } = acceptNames(wanted, held, used, withheld);
  const accepted: ConditionWords = conflict ?? {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  };
  const before = definition.status?.acceptedNames ?? {};
  if (sameNames(names, before) && isSameCondition(accepted, findCondition(definition, 'NamesAccepted'))) {
    return definition;
  }
  const named: T = { ...definition, status: { ...definition.status, acceptedNames: names } };
  const told = withCondition(named, accepted, now);
  const established = findCondition(definition, 'Established');
  const hasLost = conflict !== undefined && (names.plural === '' || names.kind === '');
  if (established?.status === 'True' && !hasLost) return told;
  if (conflict === undefined) {
    const message = 'the initial names have been accepted';
    return withCondition(told, { type: 'Established', status: 'False', reason: 'Installing', message }, now);
  }
  if (established !== undefined && !hasLost) return told;
  const message = 'not all names are accepted';
  return withCondition(told, { type: 'Established', status: 'False', reason: 'NotAccepted', message }, now);
}

const sameNames = (a: Partial<CustomResourceDefinitionNames>, b: Partial<CustomResourceDefinitionNames>): boolean =>
  deepEqual(normalized(a), normalized(b));

const normalized = (names: Partial<CustomResourceDefinitionNames>): object => ({
  plural: names.plural ?? '',
  singular: names.singular ?? '',
  kind: names.kind ?? '',
  listKind: names.listKind ?? '',
  shortNames: names.shortNames ?? [],
  categories: names.categories ?? [],
});

function acceptNames(
  wanted: CustomResourceDefinitionNames,
  held: Partial<CustomResourceDefinitionNames>,
  used: UsedNames,
  withheld: Withheld,
): { readonly names: CustomResourceDefinitionNames; readonly conflict: ConditionWords | undefined } {
  let conflict: ConditionWords | undefined;
  const refuse = (reason: string, messages: readonly string[]): void => {
    // The message of the last conflict is reported.
    const message = messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
    conflict = { type: 'NamesAccepted', status: 'False', reason, message };
  };
  const isTaken = (what: 'resources' | 'kinds', name: string): boolean =>
    withheld[what].has(name) || used[what].has(name);
  const inUse = (what: 'resources' | 'kinds', name: string): string => {
    const why = withheld[what].get(name);
    return `${goQuote(name)} is already in use${why === undefined ? '' : `: ${why}`}`;
  };
  const take = (name: string, own: string, what: 'resources' | 'kinds', reason: string): string => {
    if (name === own || !isTaken(what, name)) return name;
    refuse(reason, [inUse(what, name)]);
    return own;
  };
  const plural = take(wanted.plural, held.plural ?? '', 'resources', 'PluralConflict');
  const singular = take(wanted.singular ?? '', held.singular ?? '', 'resources', 'SingularConflict');
  const taken = (wanted.shortNames ?? []).filter(
    (name) => held.shortNames?.includes(name) !== true && isTaken('resources', name),
  );
  if (taken.length > 0)
    refuse(
      'ShortNamesConflict',
      taken.map((name) => inUse('resources', name)),
    );
  const shortNames = taken.length > 0 ? held.shortNames : wanted.shortNames;
  const kind = take(wanted.kind, held.kind ?? '', 'kinds', 'KindConflict');
  const listKind = take(wanted.listKind ?? '', held.listKind ?? '', 'kinds', 'ListKindConflict');
  return {
    conflict,
    names: {
      plural,
      ...(singular === '' ? {} : { singular }),
      ...(shortNames === undefined || shortNames.length === 0 ? {} : { shortNames }),
      kind,
      ...(listKind === '' ? {} : { listKind }),
      ...(wanted.categories === undefined ? {} : { categories: wanted.categories }),
    },
  };
}

/** The names without those that are withheld from the definition. */
function withoutNames(
  { plural = '', singular = '', kind = '', listKind = '', shortNames, ...rest }: Partial<CustomResourceDefinitionNames>,
  { resources, kinds }: Withheld,
): Partial<CustomResourceDefinitionNames> {
  return {
    ...rest,
    plural: resources.has(plural) ? '' : plural,
    singular: resources.has(singular) ? '' : singular,
    kind: kinds.has(kind) ? '' : kind,
    listKind: kinds.has(listKind) ? '' : listKind,
    ...(shortNames === undefined ? {} : { shortNames: shortNames.filter((name) => !resources.has(name)) }),
  };
}

/** The definition with the Established condition, once its names are accepted. */
export function withEstablished<T extends CustomResourceDefinition>(definition: T, now: string): T {
  if (!isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, 'Established')) return definition;
  const { caBundle = '' } = definition.spec.conversion?.webhook?.clientConfig ?? {};
  if (caBundle !== '' && !hasCertificate(caBundle)) {
    const problem = 'The conversion webhook CABundle is invalid';
    return withCondition(
      definition,
      { type: 'Established', status: 'False', reason: 'InvalidCABundle', message: problem },
      now,
    );
  }
  const message = 'the initial names have been accepted';
  return withCondition(
    definition,
    { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message },
    now,
  );
}
