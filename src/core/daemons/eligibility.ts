/**
 * daemons/ — the shared heart of the house. A *daemon* is anything that puts one child on every eligible node:
 * DaemonSets (children are Pods), Orders in daemonSet mode (children are Tickets), other kinds by configuration.
 *
 * Here, all of it pure: which nodes a daemon wants and why not the others (this file), the engine that keeps track of
 * one child per node at the cost of what changed (engine.ts), on top of it the rules of DaemonSets (daemon-pod-rules.ts,
 * rollout-plan.ts) and those of Orders (ticket-rules.ts, ticket-work.ts), what a daemon is (classify.ts) and what daemons cost on
 * a node (overhead-ledger.ts).
 */
import type { Node, PodSpec, Taint, Toleration } from '../api/types/core-v1.ts';
import type { No } from '../placement/answer.ts';
import { compileRequiredNodeAffinity, type RequiredNodeAffinity } from '../placement/node-affinity.ts';
import { nodeNameMatches, nodeNameNo } from '../placement/node-name.ts';
import { type CompiledTolerations, compileTolerations, taintNo } from '../placement/taints.ts';
import { daemonTolerations, UNRESERVED_TOLERATION } from './daemon-tolerations.ts';
import { anchorsOf, labelKeysOf, type NodeAnchor, type PlacementSpec } from './node-anchors.ts';
import { explainForOrder, judgeForOrder, toleratedUntil } from './order-eligibility.ts';
import { SHOULD_CONTINUE, SHOULD_RUN } from './verdict.ts';

/** Requirements that a kind of daemon has of nodes beyond labels and taints. */
export interface DaemonPolicy {
  readonly name: string;
  /**
   * Only nodes that are Ready and not cordoned get a child, whatever it tolerates. An existing child stays for a grace period, and
   * under a NoExecute taint for as long as it tolerates that.
   */
  readonly requireSchedulable: boolean;
  /** Children get the tolerations Kubernetes gives to every daemon pod. */
  readonly automaticTolerations: boolean;
}

/** As upstream's controller: readiness and cordon do not count, taints do. */
export const DAEMON_SET_POLICY: DaemonPolicy = Object.freeze({
  name: 'DaemonSet',
  requireSchedulable: false,
  automaticTolerations: true,
});

/** Room is worth reserving only on nodes that other pods can be scheduled to. */
export const ORDER_POLICY: DaemonPolicy = Object.freeze({
  name: 'Order',
  requireSchedulable: true,
  automaticTolerations: false,
});

export interface Eligibility {
  readonly policy: DaemonPolicy;
  /** `SHOULD_RUN` and `SHOULD_CONTINUE`; for Orders also `TEMPORARY` and `FOR_A_TIME`. */
  judge(node: Node): number;
  /**
   * When the first toleration of the node's NoExecute taints ends (epoch ms); Infinity: none does. A taint that does not say when it
   * was added counts from `since` on.
   */
  toleratedUntil(node: Node, since: number): number;
  /** Why the node gets no child; empty when it does. */
  explain(node: Node): readonly No[];
  /** Label keys whose change may change the answer. */
  readonly labelKeys: ReadonlySet<string>;
  /** Only nodes that have one of these can be eligible; undefined where any may be. */
  readonly anchors: readonly NodeAnchor[] | undefined;
}

const bySpec = new WeakMap<PlacementSpec, Map<DaemonPolicy, Eligibility>>();
/** By placement: templates that differ in an image share the eligibility, so that a new image judges no node again. */
const byText = new Map<string, Eligibility>();
const MAX_KEPT = 2000;

export function compileEligibility(spec: PlacementSpec, policy: DaemonPolicy = DAEMON_SET_POLICY): Eligibility {
  let byPolicy = bySpec.get(spec);
  if (byPolicy === undefined) bySpec.set(spec, (byPolicy = new Map()));
  const known = byPolicy.get(policy);
  if (known !== undefined) return known;
  const tolerations = countedTolerations(spec, policy);
  const text = placementText(spec, tolerations, policy);
  let eligibility = byText.get(text);
  if (eligibility === undefined) {
    eligibility = compile(spec, tolerations, policy);
    if (byText.size >= MAX_KEPT) byText.delete(byText.keys().next().value ?? '');
    byText.set(text, eligibility);
  }
  byPolicy.set(policy, eligibility);
  return eligibility;
}

/**
 * The tolerations by which nodes are judged. The taint of nodes that wait for Orders counts as tolerated: pods get the toleration on
 * nodes that have it (daemon-pod.ts), guardians always. Orders read tolerations of no time as what they are.
 */
function countedTolerations(spec: PlacementSpec, policy: DaemonPolicy): readonly Toleration[] {
  if (policy.requireSchedulable) return [...(spec.tolerations ?? []), UNRESERVED_TOLERATION];
  const all = policy.automaticTolerations ? daemonTolerations(spec) : (spec.tolerations ?? []);
  return [...all.filter((toleration) => !isForNoTime(toleration)), UNRESERVED_TOLERATION];
}

/** A pod with such a toleration is evicted the moment it is bound, so the taint counts as not tolerated: no endless loop. */
const isForNoTime = ({ tolerationSeconds }: Toleration): boolean =>
  tolerationSeconds !== undefined && tolerationSeconds <= 0;

const placementText = (spec: PlacementSpec, tolerations: readonly Toleration[], policy: DaemonPolicy): string =>
  JSON.stringify([
    policy,
    spec.nodeName ?? '',
    spec.nodeSelector ?? null,
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? null,
    tolerations,
  ]);

function compile(spec: PlacementSpec, tolerations: readonly Toleration[], policy: DaemonPolicy): Eligibility {
  const place: Place = { nodeName: spec.nodeName, affinity: compileRequiredNodeAffinity(spec as PodSpec) };
  const judge = policy.requireSchedulable ? forOrders(place, tolerations) : forDaemonSets(place, tolerations);
  return { policy, labelKeys: labelKeysOf(spec), anchors: anchorsOf(spec), ...judge };
}

interface Place {
  readonly nodeName: string | undefined;
  readonly affinity: RequiredNodeAffinity;
}

type Judge = Pick<Eligibility, 'judge' | 'toleratedUntil' | 'explain'>;

const NO_SPEC: NonNullable<Node['spec']> = Object.freeze({});

const fits = (node: Node, { nodeName, affinity }: Place): boolean =>
  nodeNameMatches(nodeName, node.metadata.name) && (affinity.anyNode || affinity.matches(node));

function forDaemonSets(place: Place, list: readonly Toleration[]): Judge {
  const tolerations = compileTolerations(list);
  return {
    judge(node) {
      if (!fits(node, place)) return 0;
      const { taints } = node.spec ?? NO_SPEC;
      if (taints !== undefined && tolerations.firstUntolerated(taints) !== undefined)
        return evicts(tolerations, taints) ? 0 : SHOULD_CONTINUE;
      return SHOULD_RUN | SHOULD_CONTINUE;
    },
    toleratedUntil: () => Infinity,
    explain(node) {
      const taint = tolerations.firstUntolerated(node.spec?.taints);
      return [...explainPlace(node, place), ...(taint === undefined ? [] : [taintNo(taint)])];
    },
  };
}

const forOrders = (place: Place, tolerations: readonly Toleration[]): Judge => ({
  judge: (node) => (fits(node, place) ? judgeForOrder(node, tolerations) : 0),
  toleratedUntil: (node, since) => toleratedUntil(node, tolerations, since),
  explain: (node) => [...explainPlace(node, place), ...explainForOrder(node, tolerations)],
});

const evicts = (tolerations: CompiledTolerations, taints: readonly Taint[]): boolean =>
  taints.some((taint) => taint.effect === 'NoExecute' && !tolerations.tolerates(taint));

function explainPlace(node: Node, { nodeName, affinity }: Place): readonly No[] {
  const nos: No[] = [];
  if (nodeName !== undefined && !nodeNameMatches(nodeName, node.metadata.name)) nos.push(nodeNameNo(nodeName));
  if (!affinity.anyNode && !affinity.matches(node)) nos.push(affinity.explain(node));
  return nos;
}
