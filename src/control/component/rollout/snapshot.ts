/** The progress of a rollout at one moment, from the DaemonSet, its pods and the nodes. Pure. */
import { CANARY_PASSED_ANNOTATION, ROLLOUT_ANNOTATIONS } from '../../../core/api/names.ts';
import type { ControllerRevision, DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Event, Node, Pod } from '../../../core/api/types/core-v1.ts';
import { templateGeneration } from '../../../core/daemons/daemon-pod.ts';
import { compileEligibility } from '../../../core/daemons/eligibility.ts';
import { SHOULD_RUN } from '../../../core/daemons/verdict.ts';
import {
  GENERATION_LABEL,
  isAvailable,
  isPodReady,
  isTerminating,
  podChild,
  REVISION_LABEL,
} from '../../../core/daemons/pod-child.ts';
import { findCondition } from '../../../core/kube/conditions.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isControlledBy } from '../../../core/kube/owner-references.ts';
import { isTerminal } from '../../../core/placement/pod-record.ts';
import { groupingBy, type Grouping } from './groups.ts';
import { whyNowhere } from './nowhere.ts';
import { approvalHint, lagOf, type Lag, type LagCode, type RolloutHold } from './lag.ts';

export interface Counts {
  readonly desired: number;
  /** Pods of the newest template. */
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
}

interface GroupProgress extends Counts {
  readonly group: string;
}

interface LaggingNode extends Lag {
  readonly node: string;
  readonly group: string;
  readonly pod?: string;
}

/** Nodes that lag for one reason. */
interface LagSummary {
  readonly code: LagCode;
  readonly count: number;
  /** Message of the first node with this reason. */
  readonly message: string;
  readonly node: string;
}

export type RolloutState =
  /** The controller has not seen the newest template yet. */
  | 'unobserved'
  | 'updating'
  | 'becoming-available'
  | 'complete'
  /** Pods are replaced when a user deletes them; there is nothing to wait for. */
  | 'on-delete';

export interface RolloutSnapshot extends Counts {
  readonly namespace: string;
  readonly name: string;
  readonly state: RolloutState;
  /** The sentence of `kubectl rollout status`. */
  readonly message: string;
  readonly groups: readonly GroupProgress[];
  /** The first of them; `reasons` counts all. */
  readonly lagging: readonly LaggingNode[];
  readonly reasons: readonly LagSummary[];
  /** Why it is for no node, where that is so: complete, and nothing runs. */
  readonly nowhere?: string;
}

export interface SnapshotFacts {
  readonly set: Stored<DaemonSet>;
  readonly now: number;
  /** Undefined where they may not be read. */
  readonly pods?: Iterable<Stored<Pod>>;
  readonly nodes?: readonly Node[];
  readonly revisions?: Iterable<Stored<ControllerRevision>>;
  /** Warnings in the namespace. */
  readonly events?: Iterable<Event>;
  readonly groupBy?: readonly string[];
  readonly mostLagging?: number;
}

const MOST_LAGGING = 100;

export function rolloutSnapshot(facts: SnapshotFacts): RolloutSnapshot {
  const { set } = facts;
  const { namespace = '', name } = set.metadata;
  const { state, message } = rolloutState(set);
  const {
    desiredNumberScheduled = 0,
    updatedNumberScheduled = 0,
    numberReady = 0,
    numberAvailable = 0,
  } = set.status ?? {};
  const told: Counts = {
    desired: desiredNumberScheduled,
    updated: updatedNumberScheduled,
    ready: numberReady,
    available: numberAvailable,
  };
  const nodes = byNode(facts);
  const isOver = state === 'complete' || state === 'on-delete';
  // Counts of the DaemonSet's status and counts of pods are of two moments; reasons belong to the counts of pods.
  const counts = isOver || facts.nodes === undefined || nodes.groups.length === 0 ? told : sumOf(nodes.groups);
  const isNowhere = state === 'complete' && told.desired === 0 && nodes.lagging.length === 0;
  const nowhere = isNowhere ? whyNowhere(set.spec.template.spec ?? { containers: [] }, facts.nodes) : undefined;
  return { namespace, name, state, message, ...counts, ...nodes, ...(nowhere === undefined ? {} : { nowhere }) };
}

const sumOf = (groups: readonly Counts[]): Counts => {
  const sum: Tally = { desired: 0, updated: 0, ready: 0, available: 0 };
  for (const { desired, updated, ready, available } of groups) {
    sum.desired += desired;
    sum.updated += updated;
    sum.ready += ready;
    sum.available += available;
  }
  return sum;
};

const isDriven = (set: DaemonSet): boolean => labelOf(set.metadata.annotations, ROLLOUT_ANNOTATIONS.driver) === 'true';

/**
 * Exactly kubectl's judgement, in its words. Only that it refuses OnDelete: there, old pods are nothing to wait for unless
 * our driver is at work, but missing ones are.
 */
export function rolloutState(set: DaemonSet): { readonly state: RolloutState; readonly message: string } {
  const { metadata, status, spec } = set;
  const { name } = metadata;
  if ((metadata.generation ?? 0) > (status?.observedGeneration ?? 0))
    return { state: 'unobserved', message: 'Waiting for daemon set spec update to be observed...' };
  const {
    desiredNumberScheduled: desired = 0,
    updatedNumberScheduled: updated = 0,
    numberAvailable: available = 0,
  } = status ?? {};
  const isOnDelete = spec.updateStrategy?.type === 'OnDelete' && !isDriven(set);
  if (updated < desired && !isOnDelete)
    return {
      state: 'updating',
      message: `Waiting for daemon set "${name}" rollout to finish: ${updated} out of ${desired} new pods have been updated...`,
    };
  if (available < desired)
    return {
      state: 'becoming-available',
      message: `Waiting for daemon set "${name}" rollout to finish: ${available} of ${desired} updated pods are available...`,
    };
  if (isOnDelete && updated < desired)
    return {
      state: 'on-delete',
      message: `daemon set "${name}" replaces its ${desired - updated} old pods only when they are deleted (OnDelete)`,
    };
  return { state: 'complete', message: `daemon set "${name}" successfully rolled out` };
}

interface NodeFacts {
  readonly node: Node | undefined;
  readonly name: string;
  updated: Stored<Pod> | undefined;
  old: Stored<Pod> | undefined;
}

type ByNode = Pick<RolloutSnapshot, 'groups' | 'lagging' | 'reasons'>;

function byNode(facts: SnapshotFacts): ByNode {
  const { set, pods, nodes, now } = facts;
  if (pods === undefined) return { groups: [], lagging: [], reasons: [] };
  const revision = currentRevision(facts);
  const isUpdated = updatedTest(set, revision);
  const places = new Map<string, NodeFacts>();
  const eligibility = compileEligibility(set.spec.template.spec ?? { containers: [] });
  const wanted = (nodes ?? []).filter((node) => (eligibility.judge(node) & SHOULD_RUN) !== 0);
  for (const node of wanted)
    places.set(node.metadata.name, { node, name: node.metadata.name, updated: undefined, old: undefined });
  for (const pod of pods) {
    if (!isControlledBy(pod, set) || podChild.isOver(pod)) continue;
    const pin = podChild.pin(pod);
    const at = pin?.by === 'name' ? pin.value : '';
    let place = places.get(at);
    if (place === undefined) {
      // Of nodes that may be looked at, one that is not wanted counts for nothing.
      if (nodes !== undefined || at === '') continue;
      places.set(at, (place = { node: undefined, name: at, updated: undefined, old: undefined }));
    }
    if (isUpdated(pod)) place.updated = better(place.updated, pod);
    else place.old = better(place.old, pod);
  }
  return summary(facts, places, groupingBy(facts.groupBy, wanted), revision, now);
}

/** The pod that stays, of two on one node that are both of the new or both of the old template. */
function better(known: Stored<Pod> | undefined, pod: Stored<Pod>): Stored<Pod> {
  if (known === undefined) return pod;
  const isEnding = (each: Stored<Pod>): number => Number(isTerminating(each) || isTerminal(each));
  return isEnding(pod) < isEnding(known) ? pod : known;
}

interface Tally {
  desired: number;
  updated: number;
  ready: number;
  available: number;
}

function summary(
  facts: SnapshotFacts,
  places: ReadonlyMap<string, NodeFacts>,
  groupOf: Grouping,
  revision: Stored<ControllerRevision> | undefined,
  now: number,
): ByNode {
  const { set, mostLagging = MOST_LAGGING } = facts;
  const minReady = set.spec.minReadySeconds ?? 0;
  const groups = new Map<string, Tally>();
  const reasons = new Map<string, { code: LagCode; count: number; message: string; node: string }>();
  const lagging: LaggingNode[] = [];
  const hold = holdOf(set, revision);
  const warnings = warningsIn(facts);
  const createFailure = warnings.get(set.metadata.uid);
  const warningOf = (pod: Pod): string | undefined => warnings.get(pod.metadata.uid ?? '');
  for (const { node, name, updated, old } of places.values()) {
    const group = groupOf(node);
    let tally = groups.get(group);
    if (tally === undefined) groups.set(group, (tally = { desired: 0, updated: 0, ready: 0, available: 0 }));
    tally.desired += 1;
    if (updated !== undefined) tally.updated += 1;
    const isNewAvailable = updated !== undefined && isAvailable(updated, minReady, now);
    if ((updated !== undefined && isPodReady(updated)) || (old !== undefined && isPodReady(old))) tally.ready += 1;
    if (isNewAvailable || (old !== undefined && isAvailable(old, minReady, now))) tally.available += 1;
    if (isNewAvailable && !isTerminating(updated)) continue;
    const lag = lagOf({ node, updated, old, hold, createFailure, warningOf });
    const pod = (updated ?? old)?.metadata.name;
    if (lagging.length < mostLagging)
      lagging.push({ node: name, group, ...(pod === undefined ? {} : { pod }), ...lag });
    const known = reasons.get(lag.code);
    if (known === undefined) reasons.set(lag.code, { ...lag, count: 1, node: name });
    else known.count += 1;
  }
  return {
    groups: [...groups].map(([group, tally]) => ({ group, ...tally })).toSorted((a, b) => (a.group < b.group ? -1 : 1)),
    lagging: lagging.toSorted((a, b) => (a.node < b.node ? -1 : 1)),
    reasons: [...reasons.values()].toSorted((a, b) => b.count - a.count),
  };
}

function currentRevision({ set, revisions }: SnapshotFacts): Stored<ControllerRevision> | undefined {
  let current: Stored<ControllerRevision> | undefined;
  for (const revision of revisions ?? [])
    if (isControlledBy(revision, set) && revision.revision >= (current?.revision ?? 0)) current = revision;
  return current;
}

/** As the controllers judge: by the revision's hash, or by the generation of the template. */
function updatedTest(set: DaemonSet, revision: Stored<ControllerRevision> | undefined): (pod: Pod) => boolean {
  const hash = labelOf(revision?.metadata.labels, REVISION_LABEL);
  const generation = templateGeneration(set);
  return ({ metadata: { labels } }) =>
    (hash !== undefined && labelOf(labels, REVISION_LABEL) === hash) ||
    (generation !== undefined && labelOf(labels, GENERATION_LABEL) === generation);
}

/** Why pods that are still old are. */
function holdOf(set: DaemonSet, revision: Stored<ControllerRevision> | undefined): RolloutHold {
  const annotation = (key: string): string | undefined => labelOf(set.metadata.annotations, key);
  const said = findCondition(set.status?.conditions, 'Progressing');
  if (said?.reason === 'RolloutStopped') return { code: 'stopped', message: said.message ?? 'the rollout has stopped' };
  if (said?.reason === 'InvalidRolloutAnnotation')
    return { code: 'paused', message: said.message ?? 'an annotation cannot be read' };
  if (annotation(ROLLOUT_ANNOTATIONS.paused) === 'true')
    return { code: 'paused', message: `the rollout is paused (${ROLLOUT_ANNOTATIONS.paused})` };
  const hasPassed = labelOf(revision?.metadata.annotations, CANARY_PASSED_ANNOTATION) === 'true';
  const approved = annotation(ROLLOUT_ANNOTATIONS.canaryApproved);
  const isApproved = revision !== undefined && approved === String(revision.revision);
  if (annotation(ROLLOUT_ANNOTATIONS.canary) !== undefined && !hasPassed && !isApproved) {
    const isTimed = annotation(ROLLOUT_ANNOTATIONS.canaryFor) !== undefined;
    const hint = isTimed ? '' : approvalHint(revision?.revision);
    return { code: 'canary', message: `the rollout waits for its canary${hint}` };
  }
  if (annotation(ROLLOUT_ANNOTATIONS.partition) !== undefined)
    return { code: 'partition', message: `it may be kept back by ${ROLLOUT_ANNOTATIONS.partition}` };
  if (set.spec.updateStrategy?.type === 'OnDelete' && !isDriven(set))
    return { code: 'on-delete', message: 'its pod is replaced when somebody deletes it (OnDelete)' };
  return { code: 'waiting', message: 'its turn has not come' };
}

/** The latest warning about each object. */
function warningsIn({ events }: SnapshotFacts): ReadonlyMap<string, string> {
  const latest = new Map<string, { readonly at: string; readonly message: string }>();
  for (const event of events ?? []) {
    const uid = event.involvedObject.uid ?? '';
    const about = event.involvedObject.kind;
    if (uid === '' || event.type !== 'Warning' || !isTold(about, event.reason)) continue;
    const at = event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
    if (at >= (latest.get(uid)?.at ?? '')) latest.set(uid, { at, message: event.message ?? event.reason ?? '' });
  }
  return new Map([...latest].map(([uid, { message }]) => [uid, message]));
}

/** Of a DaemonSet only events that pods cannot be created; a kubelet's warnings about a pod are always reported. */
const isTold = (kind: string | undefined, reason: string | undefined): boolean =>
  kind === 'DaemonSet' ? reason === 'FailedCreate' : kind === 'Pod' && reason !== 'FailedScheduling';
