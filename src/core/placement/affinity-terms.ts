/**
 * Pod affinity and anti-affinity terms, ready to match. A term selects pods by label within some namespaces and speaks
 * about the topology domain (a node label) those pods live in.
 */
import type { PodAffinityTerm, PodSpec, WeightedPodAffinityTerm } from '../api/types/core-v1.ts';
import { labelOf } from '../kube/labels.ts';
import type { Requirement, Selector } from '../kube/selector.ts';
import { type Labels, narrow, readSelector } from './label-match.ts';

export interface AffinityTerm {
  readonly topologyKey: string;
  readonly selector: Selector;
  /** Namespaces by name; the pod's own when the term names none and has no namespace selector. */
  readonly namespaces: ReadonlySet<string>;
  /** Namespaces by label, in addition. Absent selects none; empty selects every namespace. */
  readonly namespaceSelector: Selector;
}

interface WeightedTerm {
  readonly term: AffinityTerm;
  /** Negative for anti-affinity, so that scoring only adds. */
  readonly weight: number;
}

export interface AffinityTerms {
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferred: readonly WeightedTerm[];
  /** Set when some term cannot be read; kube-scheduler then refuses the pod everywhere. */
  readonly problem: string | undefined;
  /** Pods with equal keys have terms that mean the same. */
  readonly key: string;
}

const NONE: readonly never[] = Object.freeze([]);

/** Terms of one list, and the key that tells lists with the same meaning from others. */
interface CompiledList {
  readonly terms: readonly AffinityTerm[];
  readonly problem: boolean;
  readonly key: string;
}
const EMPTY_LIST: CompiledList = { terms: NONE, problem: false, key: '' };

type TermSource = readonly (PodAffinityTerm | WeightedPodAffinityTerm)[];
const termOf = (entry: PodAffinityTerm | WeightedPodAffinityTerm): PodAffinityTerm =>
  'podAffinityTerm' in entry ? entry.podAffinityTerm : entry;

/** Enough for every namespace a shared template is used in, while labels that differ per pod cannot grow it for ever. */
const MAX_CONTEXTS = 1000;
const compiledLists = new WeakMap<TermSource, Map<string, CompiledList>>();

/** Memoised per list object and what else decides its meaning: the namespace and the labels its keys refer to. */
function compileList(list: TermSource | undefined, namespace: string, labels: Labels): CompiledList {
  if (list === undefined || list.length === 0) return EMPTY_LIST;
  let context = namespace;
  for (const entry of list) {
    const { matchLabelKeys, mismatchLabelKeys } = termOf(entry);
    if (matchLabelKeys === undefined && mismatchLabelKeys === undefined) continue;
    for (const key of [...(matchLabelKeys ?? []), ...(mismatchLabelKeys ?? [])]) {
      context += `\n${labelOf(labels, key) ?? '\t'}`;
    }
  }
  let byContext = compiledLists.get(list);
  if (byContext === undefined) compiledLists.set(list, (byContext = new Map()));
  let compiled = byContext.get(context);
  if (compiled === undefined) {
    const terms = list.map((entry) => compileTerm(termOf(entry), namespace, labels));
    const readable = terms.filter((term) => term !== undefined);
    const problem = readable.length < terms.length;
    // One unreadable term takes its whole list with it, as upstream.
    compiled = { terms: problem ? NONE : readable, problem, key: `${context}\n${JSON.stringify(list)}` };
    if (byContext.size >= MAX_CONTEXTS) byContext.clear();
    byContext.set(context, compiled);
  }
  return compiled;
}

function compileTerm(term: PodAffinityTerm, namespace: string, labels: Labels): AffinityTerm | undefined {
  const written = readSelector(term.labelSelector);
  const namespaceSelector = readSelector(term.namespaceSelector);
  if (written === 'invalid' || namespaceSelector === 'invalid') return undefined;
  const { namespaces } = term;
  const ownOnly = (namespaces === undefined || namespaces.length === 0) && term.namespaceSelector === undefined;
  return {
    topologyKey: term.topologyKey,
    selector: withLabelKeys(term, written, labels),
    namespaces: new Set(ownOnly ? [namespace] : namespaces),
    namespaceSelector,
  };
}

/**
 * `matchLabelKeys` and `mismatchLabelKeys` compare with the pod's own labels. The API server writes them into the
 * selector when the pod is created; a term where that happened (it already speaks of the key) is left alone, because
 * the pod's labels may have changed since and the written values are the ones that count.
 */
function withLabelKeys(term: PodAffinityTerm, written: Selector, labels: Labels): Selector {
  const spoken = new Set(term.labelSelector?.matchExpressions?.map((expression) => expression.key));
  const extra: Requirement[] = [];
  for (const key of term.matchLabelKeys ?? []) {
    const value = labelOf(labels, key);
    if (value !== undefined && !spoken.has(key)) extra.push({ key, operator: '=', values: [value] });
  }
  for (const key of term.mismatchLabelKeys ?? []) {
    const value = labelOf(labels, key);
    if (value !== undefined && !spoken.has(key)) extra.push({ key, operator: 'notin', values: [value] });
  }
  return narrow(written, extra);
}

const weigh = (list: readonly WeightedPodAffinityTerm[] | undefined, compiled: CompiledList, sign: 1 | -1) =>
  compiled.terms.map((term, index) => ({ term, weight: sign * (list?.[index]?.weight ?? 0) }));

/** `undefined` for the many pods that have neither affinity nor anti-affinity. */
export function compileAffinityTerms(spec: PodSpec, namespace: string, labels: Labels): AffinityTerms | undefined {
  const affinity = spec.affinity?.podAffinity;
  const anti = spec.affinity?.podAntiAffinity;
  if (affinity === undefined && anti === undefined) return undefined;
  const soft = affinity?.preferredDuringSchedulingIgnoredDuringExecution;
  const softAnti = anti?.preferredDuringSchedulingIgnoredDuringExecution;
  const lists = [
    compileList(affinity?.requiredDuringSchedulingIgnoredDuringExecution, namespace, labels),
    compileList(anti?.requiredDuringSchedulingIgnoredDuringExecution, namespace, labels),
    compileList(soft, namespace, labels),
    compileList(softAnti, namespace, labels),
  ] as const;
  const unreadable = LIST_NAMES.filter((_, index) => lists[index]?.problem);
  return {
    requiredAffinity: lists[0].terms,
    requiredAntiAffinity: lists[1].terms,
    preferred:
      lists[2] === EMPTY_LIST && lists[3] === EMPTY_LIST
        ? NONE
        : [...weigh(soft, lists[2], 1), ...weigh(softAnti, lists[3], -1)],
    problem: unreadable.length === 0 ? undefined : `parsing pod: ${unreadable.join(', ')} cannot be read`,
    key: `${lists[0].key}\r${lists[1].key}\r${lists[2].key}\r${lists[3].key}`,
  };
}

const LIST_NAMES = [
  'requiredAffinityTerms',
  'requiredAntiAffinityTerms',
  'preferredAffinityTerms',
  'preferredAntiAffinityTerms',
] as const;

/**
 * Does a pod with these labels in this namespace fall under the term? `namespaceLabels` are those of that namespace;
 * an unknown namespace has no labels.
 */
export function termSelects(term: AffinityTerm, namespace: string, labels: Labels, namespaceLabels: Labels): boolean {
  if (!term.namespaces.has(namespace) && !term.namespaceSelector.matches(namespaceLabels)) return false;
  return term.selector.matches(labels);
}
