/**
 * The filters once more, slow and plain: straight from the documented rules, walking every pod for every question.
 * Independent of placement on purpose; tests compare the two.
 */
import type {
  Node,
  NodeSelectorRequirement,
  Pod,
  PodAffinityTerm,
  Taint,
  Toleration,
} from '../../api/types/core-v1.ts';
import type { LabelSelector } from '../../kube/meta-v1.ts';
import type { SampleCluster } from './sample-cluster.ts';

type Labels = Readonly<Record<string, string>>;
export type Verdict =
  | 'ok'
  | 'unschedulable'
  | 'taint'
  | 'node-affinity'
  | 'spread'
  | 'affinity'
  | 'anti-affinity'
  | 'objection';

const labelsOf = (object: { metadata: { labels?: Labels } }): Labels => object.metadata.labels ?? {};
const has = (labels: Labels, key: string): boolean => Object.prototype.hasOwnProperty.call(labels, key);
const namespaceOf = (pod: Pod): string => pod.metadata.namespace ?? 'default';

function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels[key] !== value) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    if (operator === 'In') return has(labels, key) && values.includes(labels[key] as string);
    if (operator === 'NotIn') return !has(labels, key) || !values.includes(labels[key] as string);
    if (operator === 'Exists') return has(labels, key);
    return !has(labels, key);
  });
}

function expressionHolds({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean {
  if (operator !== 'Gt' && operator !== 'Lt') {
    return selects({ matchExpressions: [{ key, operator, values }] }, labels);
  }
  if (!has(labels, key) || !/^[+-]?\d+$/.test(labels[key] as string)) return false;
  const [value, limit] = [Number(labels[key]), Number(values[0])];
  return operator === 'Gt' ? value > limit : value < limit;
}

const readable = ({ operator, values = [] }: NodeSelectorRequirement): boolean =>
  operator === 'Gt' || operator === 'Lt' ? values.length === 1 && /^\d+$/.test(values[0] as string) : true;

export function nodeAffinityHolds(pod: Pod, node: Node): boolean {
  const labels = labelsOf(node);
  const selector = Object.entries(pod.spec.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labels[key] === value)) return false;
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return required.nodeSelectorTerms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    if (!matchExpressions.every(readable)) return false;
    const fieldsHold = matchFields.every(
      ({ operator, values = [] }) => (operator === 'In') === (values[0] === node.metadata.name),
    );
    return fieldsHold && matchExpressions.every((expression) => expressionHolds(expression, labels));
  });
}

function tolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some((toleration) => {
    const sameEffect = !toleration.effect || toleration.effect === taint.effect;
    const sameKey = !toleration.key || toleration.key === taint.key;
    const sameValue = toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '');
    return sameEffect && sameKey && sameValue;
  });
}

function taintsOk(pod: Pod, node: Node): boolean {
  const hard = (node.spec.taints ?? []).filter((taint) => taint.effect !== 'PreferNoSchedule');
  return hard.every((taint) => tolerated(taint, pod.spec.tolerations ?? []));
}

function cordonOk(pod: Pod, node: Node): boolean {
  const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  return node.spec.unschedulable !== true || tolerated(taint, pod.spec.tolerations ?? []);
}

/** Does the term of `owner` speak about `target`? */
function speaksOf(term: PodAffinityTerm, owner: Pod, target: Pod, sample: SampleCluster): boolean {
  const namespace = namespaceOf(target);
  const named = (term.namespaces ?? []).includes(namespace);
  const own = (term.namespaces ?? []).length === 0 && term.namespaceSelector === undefined;
  const found = sample.namespaces.find((each) => each.metadata.name === namespace);
  const byLabel = found !== undefined && selects(term.namespaceSelector, labelsOf(found));
  if (!(named || (own && namespace === namespaceOf(owner)) || byLabel)) return false;
  return selects(term.labelSelector, labelsOf(target));
}

const sameDomain = (a: Node, b: Node, key: string): boolean =>
  has(labelsOf(a), key) && has(labelsOf(b), key) && labelsOf(a)[key] === labelsOf(b)[key];

const antiTerms = (pod: Pod): readonly PodAffinityTerm[] =>
  pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

function podAffinityVerdict(sample: SampleCluster, placed: readonly (readonly [Pod, Node])[], node: Node): Verdict {
  const { incoming } = sample;
  const terms = incoming.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (!terms.every((term) => has(labelsOf(node), term.topologyKey))) return 'affinity';
  const friends = placed.filter(([pod]) => terms.every((term) => speaksOf(term, incoming, pod, sample)));
  const near = terms.every((term) => friends.some(([, at]) => sameDomain(at, node, term.topologyKey)));
  if (!near) {
    const anywhere = friends.some(([, at]) => terms.some((term) => has(labelsOf(at), term.topologyKey)));
    const self = terms.every((term) => speaksOf(term, incoming, incoming, sample));
    if (anywhere || !self) return 'affinity';
  }
  for (const term of antiTerms(incoming)) {
    const foe = placed.some(
      ([pod, at]) => speaksOf(term, incoming, pod, sample) && sameDomain(at, node, term.topologyKey),
    );
    if (foe) return 'anti-affinity';
  }
  const objection = placed.some(([pod, at]) =>
    antiTerms(pod).some((term) => speaksOf(term, pod, incoming, sample) && sameDomain(at, node, term.topologyKey)),
  );
  return objection ? 'objection' : 'ok';
}

function spreadOk(sample: SampleCluster, placed: readonly (readonly [Pod, Node])[], node: Node): boolean {
  const { incoming, nodes } = sample;
  const hard = (incoming.spec.topologySpreadConstraints ?? []).filter(
    (each) => each.whenUnsatisfiable === 'DoNotSchedule',
  );
  return hard.every((constraint) => {
    const { topologyKey: key } = constraint;
    if (!has(labelsOf(node), key)) return false;
    const ownKeys = (constraint.matchLabelKeys ?? []).filter((each) => has(labelsOf(incoming), each));
    const counts = (pod: Pod): boolean =>
      selects(constraint.labelSelector, labelsOf(pod)) &&
      ownKeys.every((each) => labelsOf(pod)[each] === labelsOf(incoming)[each]);
    const everything =
      ownKeys.length === 0 &&
      Object.keys(constraint.labelSelector?.matchLabels ?? {}).length +
        (constraint.labelSelector?.matchExpressions ?? []).length ===
        0;
    const takesPart = (each: Node): boolean =>
      hard.every((other) => has(labelsOf(each), other.topologyKey)) &&
      ((constraint.nodeAffinityPolicy ?? 'Honor') !== 'Honor' || nodeAffinityHolds(incoming, each)) &&
      (constraint.nodeTaintsPolicy !== 'Honor' || taintsOk(incoming, each));
    const pods = new Map<string, number>();
    for (const each of nodes) if (takesPart(each)) pods.set(labelsOf(each)[key] as string, 0);
    for (const [pod, at] of placed) {
      if (pod.metadata.deletionTimestamp !== undefined || namespaceOf(pod) !== namespaceOf(incoming)) continue;
      if (everything || !counts(pod) || !takesPart(at)) continue;
      const value = labelsOf(at)[key] as string;
      pods.set(value, (pods.get(value) ?? 0) + 1);
    }
    const least = pods.size < (constraint.minDomains ?? 1) ? 0 : Math.min(...pods.values());
    const here = pods.get(labelsOf(node)[key] as string) ?? 0;
    return here + (counts(incoming) ? 1 : 0) - least <= constraint.maxSkew;
  });
}

/** The verdict of the filters on labels, taints and other pods; resources, ports and volumes are not judged here. */
export function oracleVerdict(sample: SampleCluster, node: Node): Verdict {
  const placed = sample.pods.flatMap((pod) => {
    const at = sample.nodes.find((each) => each.metadata.name === pod.spec.nodeName);
    return at === undefined ? [] : [[pod, at] as const];
  });
  if (!cordonOk(sample.incoming, node)) return 'unschedulable';
  if (!taintsOk(sample.incoming, node)) return 'taint';
  if (!nodeAffinityHolds(sample.incoming, node)) return 'node-affinity';
  if (!spreadOk(sample, placed, node)) return 'spread';
  return podAffinityVerdict(sample, placed, node);
}
