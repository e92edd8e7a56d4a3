/**
 * Which nodes a pod accepts by their labels and names: `nodeSelector` and node affinity. Compiled once per selector
 * object (pods of one template share it), then run against many nodes.
 *
 * The rules that surprise: terms are alternatives, and an empty term matches nothing; a term with anything invalid in
 * it never matches, but does not spoil the others; `matchFields` knows `metadata.name` only, In and NotIn with one value.
 */
import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  PreferredSchedulingTerm,
} from '../api/types/core-v1.ts';
import { labelOf } from '../kube/labels.ts';
import { EVERYTHING, type Selector } from '../kube/selector.ts';
import { createNo, type No } from './answer.ts';
import { type Labels, readExpressions } from './label-match.ts';

interface NodeMatcher {
  matches(node: Node): boolean;
}

interface CompiledTerm {
  /** False when a requirement of the term could not be read: the term then matches no node. */
  readonly valid: boolean;
  readonly labels: Selector;
  readonly nameTests: readonly NameTest[];
}

interface NameTest {
  /** The node's field that must (or must not) equal `value`; fields other than metadata.name read as empty. */
  readonly field: 'metadata.name' | 'other';
  readonly value: string;
  readonly wanted: boolean;
}

function compileField(requirement: NodeSelectorRequirement): NameTest | undefined {
  const { key, operator, values } = requirement;
  if (operator !== 'In' && operator !== 'NotIn') return undefined;
  const value = values?.[0];
  if (values?.length !== 1 || value === undefined) return undefined;
  return { field: key === NAME_FIELD ? NAME_FIELD : 'other', value, wanted: operator === 'In' };
}

const NAME_FIELD = 'metadata.name';
const HOSTNAME_LABEL = 'kubernetes.io/hostname';

function compileTerm(term: NodeSelectorTerm): CompiledTerm | undefined {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return undefined;
  const labels = readExpressions(expressions);
  const nameTests: NameTest[] = [];
  let valid = labels !== 'invalid';
  for (const requirement of fields) {
    const test = compileField(requirement);
    if (test === undefined) valid = false;
    else nameTests.push(test);
  }
  return { valid, labels: labels === 'invalid' ? EVERYTHING : labels, nameTests };
}

function termMatches(term: CompiledTerm, name: string, labels: Labels): boolean {
  if (!term.valid) return false;
  // A node without a name (a volume's view of a node) has no fields to judge.
  if (name !== '') {
    for (const test of term.nameTests) {
      if (((test.field === NAME_FIELD ? name : '') === test.value) !== test.wanted) return false;
    }
  }
  return term.labels.matches(labels);
}

const compiledSelectors = new WeakMap<NodeSelector, readonly CompiledTerm[]>();

function compileTerms(selector: NodeSelector): readonly CompiledTerm[] {
  let terms = compiledSelectors.get(selector);
  if (terms === undefined) compiledSelectors.set(selector, (terms = readTerms(selector)));
  return terms;
}

const readTerms = (selector: NodeSelector): readonly CompiledTerm[] =>
  selector.nodeSelectorTerms.map(compileTerm).filter((term) => term !== undefined);

/** For selectors that stand alone, such as a volume's node affinity. `name` may be empty: fields are then ignored. */
export function matchesNodeSelector(selector: NodeSelector, name: string, labels: Labels): boolean {
  for (const term of compileTerms(selector)) if (termMatches(term, name, labels)) return true;
  return false;
}

export interface RequiredNodeAffinity extends NodeMatcher {
  /** True when the pod says nothing about labels or names, so every node matches. */
  readonly anyNode: boolean;
  /**
   * The only nodes that can match, when every term names its nodes: kube-scheduler looks at no others. Empty when the
   * names contradict each other, and then no node matches at all.
   */
  readonly pinnedNodes: ReadonlySet<string> | undefined;
  explain(node: Node): No;
}

type NodeSelectorMap = { readonly [key: string]: string };
const EMPTY_MAP: NodeSelectorMap = Object.freeze({});
const NO_SELECTOR: NodeSelector = Object.freeze({ nodeSelectorTerms: Object.freeze([]) });
const compiledAffinities = new WeakMap<NodeSelectorMap, WeakMap<NodeSelector, RequiredNodeAffinity>>();

export function compileRequiredNodeAffinity(spec: PodSpec): RequiredNodeAffinity {
  const map = spec.nodeSelector ?? EMPTY_MAP;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  // A pinned pod's selector is its own and lives as long as the pod: what is remembered for it would be kept for
  // every daemon pod of the cluster, to be used once.
  const pinned = required === undefined ? undefined : pinnedBy(required.nodeSelectorTerms);
  if (required !== undefined && pinned !== undefined) return compileBoth(map, readTerms(required), required, pinned);
  let bySelector = compiledAffinities.get(map);
  if (bySelector === undefined) compiledAffinities.set(map, (bySelector = new WeakMap()));
  const key = required ?? NO_SELECTOR;
  let compiled = bySelector.get(key);
  if (compiled === undefined) {
    const terms = required === undefined ? undefined : compileTerms(required);
    bySelector.set(key, (compiled = compileBoth(map, terms, required, undefined)));
  }
  return compiled;
}

function compileBoth(
  map: NodeSelectorMap,
  terms: readonly CompiledTerm[] | undefined,
  required: NodeSelector | undefined,
  pinnedNodes: ReadonlySet<string> | undefined,
): RequiredNodeAffinity {
  const pairs = Object.entries(map);
  const missingPair = (labels: Labels): readonly [string, string] | undefined => {
    for (const pair of pairs) if (labelOf(labels, pair[0]) !== pair[1]) return pair;
    return undefined;
  };
  const matches = (node: Node): boolean => {
    const { labels, name } = node.metadata;
    if (pairs.length > 0 && missingPair(labels) !== undefined) return false;
    if (terms === undefined) return true;
    for (const term of terms) if (termMatches(term, name, labels)) return true;
    return false;
  };
  return {
    anyNode: pairs.length === 0 && terms === undefined,
    pinnedNodes,
    matches,
    explain: (node) =>
      createNo('NodeAffinityMismatch', () => {
        const pair = missingPair(node.metadata.labels);
        if (pair !== undefined)
          return `label the node \`${pair[0]}=${pair[1]}\` or drop it from the pod's nodeSelector`;
        return explainTerms(required?.nodeSelectorTerms ?? []);
      }),
  };
}

const printRequirement = ({ key, operator, values }: NodeSelectorRequirement): string => {
  if (values === undefined || values.length === 0) return `\`${key} ${operator}\``;
  return `\`${key} ${operator} ${values.length === 1 ? values[0] : `[${values.join(', ')}]`}\``;
};

function explainTerms(terms: readonly NodeSelectorTerm[]): string {
  const readable = terms
    .map((term) => [...(term.matchExpressions ?? []), ...(term.matchFields ?? [])].map(printRequirement).join(' and '))
    .filter((text) => text !== '');
  if (readable.length === 0) return 'an empty node affinity term matches no node; give it an expression or remove it';
  return `make the node satisfy ${readable.join(', or ')}, or change the pod's required node affinity`;
}

/** Within a term every `metadata.name In` must hold; the terms are alternatives; one term without a name frees them all. */
function pinnedBy(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  let names: Set<string> | undefined;
  for (const term of terms) {
    const ofTerm = intersectIn(term.matchFields, NAME_FIELD);
    if (ofTerm === undefined) return undefined;
    names = names === undefined ? ofTerm : names.union(ofTerm);
  }
  return names;
}

function intersectIn(
  requirements: readonly NodeSelectorRequirement[] | undefined,
  key: string,
): Set<string> | undefined {
  let names: Set<string> | undefined;
  for (const requirement of requirements ?? []) {
    if (requirement.key !== key || requirement.operator !== 'In') continue;
    const values = new Set(requirement.values ?? []);
    names = names === undefined ? values : names.intersection(values);
  }
  return names;
}

export function nodeAffinityConflictNo(): No {
  return createNo(
    'NodeAffinityConflict',
    () => 'the required node affinity names nodes that contradict each other; keep one metadata.name a term',
  );
}

export function notPinnedHereNo(pinned: ReadonlySet<string>): No {
  return createNo(
    'NotPinnedHere',
    () => `the pod is pinned to ${[...pinned].map((name) => `\`${name}\``).join(', ')} by its required node affinity`,
  );
}

/** How a pod says which node it was made for, before it is bound. */
export type NodePin =
  | { readonly by: 'name'; readonly value: string }
  /** Older daemon controllers pin by the hostname label, which usually, not always, equals the node's name. */
  | { readonly by: 'hostname'; readonly value: string };

/**
 * The node a daemon pod belongs to: `spec.nodeName`, else the single `metadata.name In` of its affinity, else a single
 * hostname label. A pod that may go to several nodes has no pin.
 */
export function pinOf(spec: PodSpec): NodePin | undefined {
  if (spec.nodeName) return { by: 'name', value: spec.nodeName };
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const term of terms) {
    const names = intersectIn(term.matchFields, NAME_FIELD);
    const name = names?.size === 1 ? [...names][0] : undefined;
    if (name !== undefined) return { by: 'name', value: name };
  }
  const bySelector = labelOf(spec.nodeSelector, HOSTNAME_LABEL);
  if (bySelector !== undefined) return { by: 'hostname', value: bySelector };
  const [onlyTerm] = terms;
  if (terms.length !== 1 || onlyTerm === undefined) return undefined;
  const hostnames = intersectIn(onlyTerm.matchExpressions, HOSTNAME_LABEL);
  const hostname = hostnames?.size === 1 ? [...hostnames][0] : undefined;
  return hostname === undefined ? undefined : { by: 'hostname', value: hostname };
}

export type NodeScore = (node: Node) => number;

const compiledPreferences = new WeakMap<readonly PreferredSchedulingTerm[], NodeScore | 'invalid'>();

/**
 * The sum of the weights of the preferred terms a node meets. `undefined` when the pod prefers nothing; `'invalid'`
 * when a term cannot be read, which upstream treats as an error of the whole scheduling attempt.
 */
export function compilePreferredNodeAffinity(spec: PodSpec): NodeScore | 'invalid' | undefined {
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  if (preferred === undefined) return undefined;
  let score = compiledPreferences.get(preferred);
  if (score === undefined) compiledPreferences.set(preferred, (score = compilePreferences(preferred)));
  return score;
}

function compilePreferences(preferred: readonly PreferredSchedulingTerm[]): NodeScore | 'invalid' {
  const weighted: { readonly term: CompiledTerm; readonly weight: number }[] = [];
  for (const { weight, preference } of preferred) {
    const term = weight === 0 ? undefined : compileTerm(preference);
    if (term === undefined) continue;
    if (!term.valid) return 'invalid';
    weighted.push({ term, weight });
  }
  return (node) => {
    let score = 0;
    for (const { term, weight } of weighted) {
      if (termMatches(term, node.metadata.name, node.metadata.labels)) score += weight;
    }
    return score;
  };
}
