/** The rollout of a component, from caches. Events are listed only where pods do not start for no cached reason, and not often. */
import { EVENTS } from '../../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Event } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { Logger } from '../../../machinery/logging/logger.ts';
import type { LagCode } from '../rollout/lag.ts';
import { rolloutSnapshot, rolloutState, type RolloutSnapshot } from '../rollout/snapshot.ts';
import { identityText } from '../apply/rendered.ts';
import type { TrackedComponent } from './tracked-component.ts';
import type { ChildCaches } from './child-caches.ts';

/** Reasons to which a Warning event may add more than the pod's status says. */
const UNEXPLAINED: ReadonlySet<LagCode> = new Set<LagCode>(['no-pod', 'starting', 'not-ready']);
const LIST_EVERY_MS = 10_000;
const MOST_EVENTS = 500;

/** Undefined where the rollout is complete: no node lags. */
export async function rolloutOf(
  { client, clock, logger }: { readonly client: Client; readonly clock: Clock; readonly logger: Logger },
  children: ChildCaches,
  tracked: TrackedComponent,
  set: Stored<DaemonSet>,
  signal: AbortSignal,
): Promise<RolloutSnapshot | undefined> {
  const { state } = rolloutState(set);
  if (state === 'complete' || state === 'on-delete') return undefined;
  const { namespace = '', name } = set.metadata;
  const facts = {
    set,
    now: clock.now(),
    nodes: children.nodes(),
    pods: children.podsOf(identityText({ namespace, name })),
  };
  const plain = rolloutSnapshot(facts);
  if (!plain.reasons.some(({ code }) => UNEXPLAINED.has(code))) return plain;
  const events = await warningsIn({ client, clock, logger }, namespace, tracked, signal);
  return events.length === 0 ? plain : rolloutSnapshot({ ...facts, events });
}

async function warningsIn(
  { client, clock, logger }: { readonly client: Client; readonly clock: Clock; readonly logger: Logger },
  namespace: string,
  tracked: TrackedComponent,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const now = clock.monotonic();
  if (tracked.warnings !== undefined && now - tracked.warnings.at < LIST_EVERY_MS) return tracked.warnings.events;
  try {
    const { items } = await client.list(EVENTS, {
      namespace,
      fieldSelector: 'type=Warning',
      limit: MOST_EVENTS,
      signal,
    });
    tracked.warnings = { at: now, events: items };
  } catch (error) {
    // Without events the snapshot is still right; only its reasons say less.
    if (!(error instanceof StatusError)) throw error;
    if (tracked.warnings === undefined)
      logger.warn('Events cannot be listed: the reasons why nodes lag are computed without them', { namespace, error });
    tracked.warnings = { at: now, events: [] };
  }
  return tracked.warnings.events;
}
