/** One step of a rollout: the users' wishes (annotations), the canary, the plan for now, and the events. */
import { CANARY_PASSED_ANNOTATION } from '../../core/api/names.ts';
import { AVAILABLE, DESIRED, OLD_AVAILABLE, OLD_DESIRED, UPDATED } from '../../core/daemons/daemon-pod-rules.ts';
import { readySince, isTerminating, REVISION_LABEL } from '../../core/daemons/pod-child.ts';
import { createRolloutOrder, type RolloutOrder } from '../../core/daemons/rollout-order.ts';
import {
  planRollout,
  type RolloutLimits,
  type RolloutPlan,
  type RolloutState,
  scaled,
} from '../../core/daemons/rollout-plan.ts';
import { labelOf } from '../../core/kube/labels.ts';
import type { DaemonRegistry } from './daemon-registry.ts';
import type { History, KnownDaemon } from './known-daemon.ts';
import type { PodEvents } from './pod-events.ts';
import type { RolloutOptions } from './rollout-options.ts';

interface RolloutStep {
  readonly plan: RolloutPlan;
  /** When the canary will have been available for long enough. */
  readonly canaryDueMs: number | undefined;
  /** The canary has just passed: the revision is to be marked. */
  readonly canaryPassed: boolean;
}

export interface Rollouts {
  step(daemon: KnownDaemon, history: History, limits: RolloutLimits, options: RolloutOptions, now: number): RolloutStep;
}

export function createRollouts(registry: DaemonRegistry, events: PodEvents): Rollouts {
  function lineOf(daemon: KnownDaemon, label: string | undefined): RolloutOrder {
    if (daemon.rollout.order.label !== label) {
      const line = createRolloutOrder(registry.engine, label);
      line.add(registry.view(daemon).listed(OLD_AVAILABLE));
      daemon.rollout.order = { label, line };
    }
    return daemon.rollout.order.line;
  }

  /** Since when all canary pods are available; undefined while they are not. */
  function canarySince(daemon: KnownDaemon, hash: string): number | undefined {
    let since = 0;
    for (const pod of registry.view(daemon).allChildren()) {
      if (labelOf(pod.metadata.labels, REVISION_LABEL) !== hash || isTerminating(pod)) continue;
      const ready = readySince(pod);
      if (ready === undefined) return undefined;
      since = Math.max(since, ready + daemon.definition.minReadySeconds * 1000);
    }
    return since === 0 ? undefined : since;
  }

  function judgeCanary(
    daemon: KnownDaemon,
    history: History,
    options: RolloutOptions,
    now: number,
  ): { readonly passed: boolean; readonly justNow: boolean; readonly dueMs: number | undefined } {
    const { current } = history;
    const isMarked = labelOf(current.metadata.annotations, CANARY_PASSED_ANNOTATION) === 'true';
    const isApproved = options.canaryApproved === current.revision;
    const isFirst = history.old.length === 0;
    if (options.canary === undefined || isMarked || isApproved || isFirst)
      return { passed: true, justNow: isApproved && !isMarked && options.canary !== undefined, dueMs: undefined };
    const view = registry.view(daemon);
    const size = scaled(options.canary, view.count(DESIRED), 'up');
    const moved = view.count(DESIRED) - view.count(OLD_DESIRED);
    if (
      options.canaryForMs === undefined ||
      moved < size ||
      Math.min(view.count(UPDATED), view.count(AVAILABLE)) < size
    )
      return { passed: false, justNow: false, dueMs: undefined };
    const since = canarySince(daemon, history.hash);
    if (since === undefined) return { passed: false, justNow: false, dueMs: undefined };
    const dueMs = since + options.canaryForMs - now;
    return dueMs <= 0 ? { passed: true, justNow: true, dueMs: undefined } : { passed: false, justNow: false, dueMs };
  }

  function tell(daemon: KnownDaemon, state: RolloutState, revision: number): void {
    const text = `${state} ${revision}`;
    if (daemon.rollout.toldState === text) return;
    const isFirst = daemon.rollout.toldState === undefined;
    daemon.rollout.toldState = text;
    if (state === 'Stopped')
      events.note(
        daemon.object,
        'Warning',
        'RolloutStopped',
        `Rollout of revision ${revision} stopped: new pods do not come up`,
      );
    else if (state === 'Paused')
      events.note(daemon.object, 'Normal', 'RolloutPaused', `Rollout of revision ${revision} is paused`);
    else if (state === 'Canary')
      events.note(daemon.object, 'Normal', 'CanaryRunning', `Rollout of revision ${revision} waits for its canary`);
    else if (state === 'Progressing' && !isFirst)
      events.note(daemon.object, 'Normal', 'RolloutProgressing', `Rollout of revision ${revision} goes on`);
  }

  return {
    step(daemon, history, limits, options, now) {
      const canary = judgeCanary(daemon, history, options, now);
      const hasWishes = options.canary !== undefined || options.paused || options.problems.length > 0;
      const plan = planRollout(registry.engine, registry.view(daemon), limits, lineOf(daemon, options.orderBy), {
        paused: options.paused || options.problems.length > 0,
        partition: options.partition,
        canary: options.canary,
        canaryPassed: canary.passed,
        stopAfterCrashes: options.stopAfterCrashes,
      });
      if (hasWishes || options.stopAfterCrashes !== undefined) tell(daemon, plan.state, history.current.revision);
      if (canary.justNow)
        events.note(
          daemon.object,
          'Normal',
          'CanaryPassed',
          `The canary of revision ${history.current.revision} has passed`,
        );
      return { plan, canaryDueMs: canary.dueMs, canaryPassed: canary.justNow };
    },
  };
}
