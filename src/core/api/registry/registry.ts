/**
 * The registry: every kind this API server serves, found by resource, by kind or by where it is stored. It is a value
 * with a change hook, so that kinds may come and go while the server runs. Nothing here parses a schema; that happens
 * when the first object of a kind is decoded (schema/).
 */
import type { KindDefinition } from '../kind/kind-definition.ts';
import { builtInKinds } from './built-in-kinds.ts';

export interface GroupVersions {
  readonly group: string;
  /** The preferred version first. */
  readonly versions: readonly string[];
}

export interface Registry {
  /** Counts changes; documents derived from the registry (discovery, OpenAPI) are cached by it. */
  readonly generation: number;
  byResource(group: string, version: string, resource: string): KindDefinition | undefined;
  byKind(group: string, version: string, kind: string): KindDefinition | undefined;
  /** The definition whose form is stored, for a collection of the store. */
  byStorage(group: string, resource: string): KindDefinition | undefined;
  /** All definitions over one storage, the stored form first. */
  formsOf(storage: { readonly group: string; readonly resource: string }): readonly KindDefinition[];
  /** In discovery order. */
  all(): readonly KindDefinition[];
  inGroupVersion(group: string, version: string): readonly KindDefinition[];
  groups(): readonly GroupVersions[];
  hasGroupVersion(group: string, version: string): boolean;
  add(definitions: readonly KindDefinition[]): void;
  /** Removes exactly these definitions (by group, version and resource). */
  remove(definitions: readonly KindDefinition[]): void;
  /** Both in one change: no reader sees a registry in which a kind that stays is missing. */
  replace(gone: readonly KindDefinition[], come: readonly KindDefinition[]): void;
  /** Called after every change, with the registry already changed. Returns the way to stop listening. */
  onChange(listener: () => void): () => void;
}

/** Begins with Kubernetes' own kinds by default; ours join where a controller keeps them (`ownKinds`). */
export function createRegistry(initial: readonly KindDefinition[] = builtInKinds()): Registry {
  let state = indexed(initial);
  let generation = 0;
  const listeners = new Set<() => void>();
  const change = (definitions: readonly KindDefinition[]): void => {
    state = indexed(definitions);
    generation++;
    for (const listener of listeners) listener();
  };
  return {
    get generation() {
      return generation;
    },
    byResource: (group, version, resource) => among(state.resources.get(resource), group, version),
    byKind: (group, version, kind) => among(state.kinds.get(kind), group, version),
    byStorage: (group, resource) => state.resources.get(resource)?.find((d) => isPrincipal(d) && d.group === group),
    formsOf: (storage) =>
      state.all
        .filter((d) => d.storage.group === storage.group && d.storage.resource === storage.resource)
        .toSorted((a, b) => Number(isPrincipal(b)) - Number(isPrincipal(a))),
    all: () => state.all,
    inGroupVersion: (group, version) => state.all.filter((d) => d.group === group && d.version === version),
    groups: () => state.groups,
    hasGroupVersion: (group, version) =>
      state.groups.some((entry) => entry.group === group && entry.versions.includes(version)),
    add: (definitions) => change([...state.all, ...definitions]),
    remove: (definitions) => change(without(state.all, definitions)),
    replace: (gone, come) => change([...without(state.all, gone), ...come]),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

interface Index {
  readonly all: readonly KindDefinition[];
  readonly resources: ReadonlyMap<string, readonly KindDefinition[]>;
  readonly kinds: ReadonlyMap<string, readonly KindDefinition[]>;
  readonly groups: readonly GroupVersions[];
}

/** The form that stands for a kind where each kind counts once: the stored one, or the best that is served. */
export const isPrincipal = ({ conversion, secondary }: KindDefinition): boolean =>
  conversion === undefined && secondary !== true;

function without(all: readonly KindDefinition[], gone: readonly KindDefinition[]): readonly KindDefinition[] {
  const keys = new Set(gone.map(keyOf));
  return all.filter((definition) => !keys.has(keyOf(definition)));
}

const keyOf = (definition: KindDefinition): string =>
  `${definition.group}/${definition.version}/${definition.resource}`;

/** Few groups share a resource or kind name, so a walk over them beats building a key for every request. */
function among(
  candidates: readonly KindDefinition[] | undefined,
  group: string,
  version: string,
): KindDefinition | undefined {
  if (candidates === undefined) return undefined;
  for (const definition of candidates) {
    if (definition.group === group && definition.version === version) return definition;
  }
  return undefined;
}

function indexed(definitions: readonly KindDefinition[]): Index {
  const seen = new Set<string>();
  for (const definition of definitions) {
    const key = keyOf(definition);
    if (seen.has(key)) throw new Error(`${key} is registered twice`);
    seen.add(key);
  }
  return {
    all: definitions,
    resources: Map.groupBy(definitions, (definition) => definition.resource),
    kinds: Map.groupBy(definitions, (definition) => definition.kind),
    groups: [...Map.groupBy(definitions, (definition) => definition.group)].map(([group, members]) => ({
      group,
      versions: [...new Set(members.map((member) => member.version))].toSorted(byVersionPriority),
    })),
  };
}

const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

const stability = (match: RegExpExecArray): number => (match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0);

/** GA before beta before alpha, newer before older, anything else last by name. */
export function byVersionPriority(a: string, b: string): number {
  const left = VERSION.exec(a);
  const right = VERSION.exec(b);
  if (left === null || right === null) {
    if (left === right) return a < b ? -1 : Number(a > b);
    return left === null ? 1 : -1;
  }
  return (
    stability(right) - stability(left) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  );
}
