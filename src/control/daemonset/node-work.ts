/** The pods to create and to delete node by node, apart from any rollout. */
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import { manage, WORK } from '../../core/daemons/daemon-pod-rules.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { DaemonRegistry } from './daemon-registry.ts';
import type { FailedPodBackoff } from './failed-pod-backoff.ts';
import type { KnownDaemon } from './known-daemon.ts';
import { waitAfterRelease } from './pod-claims.ts';
import type { PodEvents } from './pod-events.ts';
import type { Creation, PodWriter } from './pod-writer.ts';

export interface NodeWork {
  readonly creations: readonly Creation[];
  readonly remove: readonly Stored<Pod>[];
  /** More pods are to be created than one reconcile does. */
  readonly more: boolean;
  /** When the first waiting node may be looked at again; undefined where none waits. */
  readonly retryMs: number | undefined;
}

export interface NodeWorkOptions {
  readonly clock: Clock;
  readonly registry: DaemonRegistry;
  readonly writer: PodWriter;
  readonly events: PodEvents;
  readonly backoff: FailedPodBackoff;
}

/** Pods created before the status is written again and other DaemonSets are reconciled. */
const CREATIONS_PER_SYNC = 2000;

export function planNodes(
  { clock, registry, writer, events, backoff }: NodeWorkOptions,
  daemon: KnownDaemon,
): NodeWork {
  const { engine } = registry;
  const view = registry.view(daemon);
  const now = clock.now();
  const create: number[] = [];
  const remove: Stored<Pod>[] = [];
  let retryMs: number | undefined;
  for (const place of view.listed(WORK)) {
    const work = manage(daemon.definition, view.verdict(place), engine.node(place), view.children(place), now);
    if (work.create) {
      const waitMs = waitAfterRelease(daemon, engine.nodeName(place), backoff);
      if (waitMs > 0) retryMs = Math.min(retryMs ?? waitMs, waitMs);
      else create.push(place);
    }
    remove.push(...work.remove);
    for (const pod of work.succeeded) {
      events.foundSucceeded(daemon.object, fullName(pod), engine.nodeName(place));
      remove.push(pod);
    }
    for (const pod of work.failed) {
      const waitMs = backoff.attempt(backoffKey(daemon.object, engine.nodeName(place)));
      if (waitMs > 0) {
        retryMs = Math.min(retryMs ?? waitMs, waitMs);
        continue;
      }
      events.foundFailed(daemon.object, fullName(pod), engine.nodeName(place));
      remove.push(pod);
    }
  }
  const creations = writer.plan(daemon, create, CREATIONS_PER_SYNC);
  return { creations, remove, more: create.length > CREATIONS_PER_SYNC, retryMs };
}

const fullName = (pod: Pod): string => `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;

const backoffKey = (set: Stored<DaemonSet>, node: string): string =>
  `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`;
