/**
 * The conditions of a DaemonSet, for users who ask for them: does the rollout go on, are enough pods available, and if
 * not, is it the nodes or the rollout? Upstream defines none, so they are written only by annotation.
 */
import { ROLLOUT_ANNOTATIONS } from '../../core/api/names.ts';
import type { DaemonSetCondition } from '../../core/api/types/apps-v1.ts';
import { AVAILABLE, CRASHING, DESIRED, DOWN, UPDATED } from '../../core/daemons/daemon-pod-rules.ts';
import type { DaemonSetView, RolloutLimits, RolloutState } from '../../core/daemons/rollout-plan.ts';
import { setCondition } from '../../core/kube/conditions.ts';
import type { RolloutOptions } from './rollout-options.ts';
import type { NextConditions } from './status.ts';

type Condition = Pick<DaemonSetCondition, 'type' | 'status' | 'reason' | 'message'>;

const nodes = (count: number): string => `${count} ${count === 1 ? 'node' : 'nodes'}`;

export function daemonConditions(
  view: DaemonSetView,
  state: RolloutState,
  revision: number,
  limits: RolloutLimits,
  wishes: Pick<RolloutOptions, 'problems' | 'canaryForMs'>,
): readonly Condition[] {
  const desired = view.count(DESIRED);
  const available = view.count(AVAILABLE);
  return [
    progressing(state, view.count(UPDATED), desired, view.count(CRASHING), revision, wishes),
    enough(available, desired, limits.maxUnavailable),
    degraded(desired - available, view.count(DOWN), view.count(CRASHING), allowedBy(state, limits)),
  ];
}

function progressing(
  state: RolloutState,
  updated: number,
  desired: number,
  crashing: number,
  revision: number,
  wishes: Pick<RolloutOptions, 'problems' | 'canaryForMs'>,
): Condition {
  const so = `${updated} of ${nodes(desired)} on revision ${revision}`;
  const of = (status: string, reason: string, message: string): Condition => ({
    type: 'Progressing',
    status,
    reason,
    message,
  });
  const unread = wishes.problems.join('; ');
  switch (state) {
    case 'Complete':
      if (unread !== '') return of('True', 'InvalidRolloutAnnotation', `${so}; the next rollout will wait, ${unread}`);
      return updated === desired ? of('True', 'RolloutComplete', so) : of('True', 'RolloutProgressing', so);
    case 'Progressing':
      return of('True', 'RolloutProgressing', so);
    case 'Paused':
      return unread === ''
        ? of('Unknown', 'RolloutPaused', `${so}; paused`)
        : of('Unknown', 'InvalidRolloutAnnotation', `${so}; waits, ${unread}`);
    case 'Partitioned':
      return of('True', 'RolloutPartitioned', `${so}; the others are kept by the partition`);
    case 'Canary':
      return of('True', 'CanaryRunning', `${so}; waiting for the canary${approval(revision, wishes)}`);
    case 'Stopped':
      return of('False', 'RolloutStopped', `${so}; stopped, new pods do not come up on ${nodes(crashing)}`);
  }
}

/** A canary without a time after which it passes waits for approval, so the message says how to approve. */
const approval = (revision: number, { canaryForMs }: Pick<RolloutOptions, 'canaryForMs'>): string =>
  canaryForMs === undefined ? `; to go on, annotate ${ROLLOUT_ANNOTATIONS.canaryApproved}=${revision}` : '';

function enough(available: number, desired: number, maxUnavailable: number): Condition {
  const isEnough = desired - available <= maxUnavailable;
  return {
    type: 'Available',
    status: isEnough ? 'True' : 'False',
    reason: isEnough ? 'EnoughAvailable' : 'TooFewAvailable',
    message: `${available} of ${nodes(desired)} have an available pod`,
  };
}

/** Pods that a rollout under way may itself keep unavailable. */
const allowedBy = (state: RolloutState, { maxUnavailable }: RolloutLimits): number =>
  state === 'Progressing' || state === 'Canary' ? maxUnavailable : 0;

function degraded(unavailable: number, down: number, crashing: number, allowed: number): Condition {
  const of = (status: string, reason: string, message: string): Condition => ({
    type: 'Degraded',
    status,
    reason,
    message,
  });
  if (unavailable === 0) return of('False', 'AllAvailable', 'every desired pod is available');
  const waiting = Math.max(0, unavailable - down - crashing);
  const why =
    `${nodes(unavailable)} without an available pod: ${down} down, ` +
    `${crashing} where the new pod does not come up, ${waiting} where it waits to be scheduled or ready`;
  if (crashing > 0) return of('True', 'NewPodsFailing', why);
  if (waiting > allowed) return of('True', 'PodsUnavailable', why);
  return down > 0 ? of('True', 'NodesDown', why) : of('False', 'RollingOut', why);
}

export const setConditions =
  (wanted: readonly Condition[], now: string): NextConditions =>
  (conditions) => {
    let list = conditions;
    for (const condition of wanted) list = setCondition<DaemonSetCondition>(list, condition, now);
    return list;
  };

const OURS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'Progressing',
    new Set([
      'RolloutComplete',
      'RolloutProgressing',
      'RolloutPaused',
      'InvalidRolloutAnnotation',
      'RolloutPartitioned',
      'CanaryRunning',
      'RolloutStopped',
    ]),
  ],
  ['Available', new Set(['EnoughAvailable', 'TooFewAvailable'])],
  ['Degraded', new Set(['AllAvailable', 'RollingOut', 'NewPodsFailing', 'NodesDown', 'PodsUnavailable'])],
]);

const isOurs = ({ type, reason }: DaemonSetCondition): boolean => OURS.get(type)?.has(reason ?? '') ?? false;

/** The annotation does not ask for conditions (any more): ours are removed, those of other controllers stay. */
export const withoutConditions: NextConditions = (conditions) =>
  conditions?.some(isOurs) === true ? conditions.filter((condition) => !isOurs(condition)) : conditions;
