/**
 * daemons/ — the shared heart of the house. A *daemon* is anything that puts one child on every eligible node:
 * DaemonSets (children are Pods), Orders in daemonSet mode (children are Tickets), other kinds by configuration.
 *
 * Here, all of it pure: which nodes a daemon wants and why not the others (this file), the engine that keeps track of
 * one child per node at the cost of what changed (engine.ts), the rules of DaemonSets on top of it (daemon-pod-rules.ts,
 * rollout-plan.ts), what a daemon is (classify.ts) and what daemons cost on a node (overhead-ledger.ts).
 */
import type { Node, PodSpec, Taint, Toleration } from '../api/types/core-v1.ts';
import { describeNo, type No } from '../placement/answer.ts';
import { compileRequiredNodeAffinity, type RequiredNodeAffinity } from '../placement/node-affinity.ts';
import { nodeNameMatches, nodeNameNo } from '../placement/node-name.ts';
import { type CompiledTolerations, compileTolerations, taintNo } from '../placement/taints.ts';
import { unschedulableNo } from '../placement/unschedulable.ts';
import { daemonTolerations } from './daemon-tolerations.ts';
import { anchorsOf, labelKeysOf, type NodeAnchor, type PlacementSpec } from './node-anchors.ts';

/** The node should have a child: one is created if there is none. */
export const SHOULD_RUN = 1;
/** A child on the node may stay. */
export const SHOULD_CONTINUE = 2;
/** The node exists. */
export const NODE_KNOWN = 4;
/** The node itself says that it is not ready. */
export const NODE_DOWN = 8;

/** Requirements that a kind of daemon has of nodes beyond labels and taints. */
export interface DaemonPolicy {
  readonly name: string;
  /** Only nodes that are Ready get a child; an existing child stays. */
  readonly requireReady: boolean;
  /** Cordoned nodes get no child; an existing child stays. */
  readonly requireSchedulable: boolean;
  /** Children get the tolerations Kubernetes gives to every daemon pod. */
  readonly automaticTolerations: boolean;
}

/** As upstream's controller: readiness and cordon do not count, taints do. */
export const DAEMON_SET_POLICY: DaemonPolicy = Object.freeze({
  name: 'DaemonSet',
  requireReady: false,
  requireSchedulable: false,
  automaticTolerations: true,
});

/** Room is worth reserving only on nodes that other pods can be scheduled to. */
export const ORDER_POLICY: DaemonPolicy = Object.freeze({
  name: 'Order',
  requireReady: true,
  requireSchedulable: true,
  automaticTolerations: false,
});

export interface Eligibility {
  readonly policy: DaemonPolicy;
  /** `SHOULD_RUN` and `SHOULD_CONTINUE`. */
  judge(node: Node): number;
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
  const all = policy.automaticTolerations ? daemonTolerations(spec) : (spec.tolerations ?? []);
  const tolerations = all.some(isForNoTime) ? all.filter((toleration) => !isForNoTime(toleration)) : all;
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

function compile(spec: PlacementSpec, list: readonly Toleration[], policy: DaemonPolicy): Eligibility {
  const tolerations = compileTolerations(list);
  const affinity = compileRequiredNodeAffinity(spec as PodSpec);
  const { nodeName } = spec;
  return {
    policy,
    labelKeys: labelKeysOf(spec),
    anchors: anchorsOf(spec),
    judge(node) {
      if (!fits(node, nodeName, affinity)) return 0;
      const { taints } = node.spec ?? NO_SPEC;
      if (taints !== undefined && tolerations.firstUntolerated(taints) !== undefined)
        return evicts(tolerations, taints) ? 0 : SHOULD_CONTINUE;
      if (policy.requireSchedulable && node.spec?.unschedulable === true) return SHOULD_CONTINUE;
      if (policy.requireReady && !isReady(node)) return SHOULD_CONTINUE;
      return SHOULD_RUN | SHOULD_CONTINUE;
    },
    explain: (node) => explain(node, nodeName, affinity, tolerations, policy),
  };
}

const NO_SPEC: NonNullable<Node['spec']> = Object.freeze({});

const fits = (node: Node, nodeName: string | undefined, affinity: RequiredNodeAffinity): boolean =>
  nodeNameMatches(nodeName, node.metadata.name) && (affinity.anyNode || affinity.matches(node));

const evicts = (tolerations: CompiledTolerations, taints: readonly Taint[]): boolean =>
  taints.some((taint) => taint.effect === 'NoExecute' && !tolerations.tolerates(taint));

function explain(
  node: Node,
  nodeName: string | undefined,
  affinity: RequiredNodeAffinity,
  tolerations: CompiledTolerations,
  policy: DaemonPolicy,
): readonly No[] {
  const nos: No[] = [];
  if (nodeName !== undefined && !nodeNameMatches(nodeName, node.metadata.name)) nos.push(nodeNameNo(nodeName));
  if (!affinity.anyNode && !affinity.matches(node)) nos.push(affinity.explain(node));
  const taint = tolerations.firstUntolerated(node.spec?.taints);
  if (taint !== undefined) nos.push(taintNo(taint));
  if (policy.requireSchedulable && node.spec?.unschedulable === true) nos.push(unschedulableNo(node.metadata.name));
  if (policy.requireReady && !isReady(node)) nos.push(notReadyNo(node.metadata.name));
  return nos;
}

const notReadyNo = (name: string): No =>
  describeNo('NodeNotReady', policyPlugin, 'node(s) were not ready', false, () => {
    return `wait for node \`${name}\` to become Ready, or look at \`kubectl describe node ${name}\``;
  });
const policyPlugin = 'DaemonPolicy';

/** The status of the node's Ready condition, if it has one. */
export function readiness(node: Node): string | undefined {
  const conditions = node.status?.conditions;
  if (conditions === undefined) return undefined;
  for (const condition of conditions) if (condition.type === 'Ready') return condition.status;
  return undefined;
}

const isReady = (node: Node): boolean => readiness(node) === 'True';

/** Says of itself that it is not ready. A node that says nothing (none has reported yet) is not called down. */
export function isDown(node: Node): boolean {
  const status = readiness(node);
  return status !== undefined && status !== 'True';
}
