/** How the rollout of a component is, from caches; events are asked for only where pods do not come up, and not often. */
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
import type { Known } from './tracked-component.ts';
import type { World } from './child-caches.ts';

/** For these a warning may know more than the pod does. */
const UNEXPLAINED: ReadonlySet<LagCode> = new Set<LagCode>(['no-pod', 'starting', 'not-ready']);
const LOOK_EVERY_MS = 10_000;
const MOST_EVENTS = 500;

/** Undefined where the rollout is complete: then nobody lags. */
export async function rolloutOf(
  { client, clock, logger }: { readonly client: Client; readonly clock: Clock; readonly logger: Logger },
  world: World,
  known: Known,
  set: Stored<DaemonSet>,
  signal: AbortSignal,
): Promise<RolloutSnapshot | undefined> {
  const { state } = rolloutState(set);
  if (state === 'complete' || state === 'on-delete') return undefined;
  const { namespace = '', name } = set.metadata;
  const facts = {
    set,
    now: clock.now(),
    nodes: world.nodes(),
    pods: world.podsOf(identityText({ namespace, name })),
  };
  const plain = rolloutSnapshot(facts);
  if (!plain.reasons.some(({ code }) => UNEXPLAINED.has(code))) return plain;
  const events = await warningsIn({ client, clock, logger }, namespace, known, signal);
  return events.length === 0 ? plain : rolloutSnapshot({ ...facts, events });
}

async function warningsIn(
  { client, clock, logger }: { readonly client: Client; readonly clock: Clock; readonly logger: Logger },
  namespace: string,
  known: Known,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const now = clock.monotonic();
  if (known.warnings !== undefined && now - known.warnings.at < LOOK_EVERY_MS) return known.warnings.events;
  try {
    const { items } = await client.list(EVENTS, {
      namespace,
      fieldSelector: 'type=Warning',
      limit: MOST_EVENTS,
      signal,
    });
    known.warnings = { at: now, events: items };
  } catch (error) {
    // Reasons are a service; without them the rest is still true.
    if (!(error instanceof StatusError)) throw error;
    if (known.warnings === undefined)
      logger.warn('Events cannot be read: why nodes lag is told without them', { namespace, error });
    known.warnings = { at: now, events: [] };
  }
  return known.warnings.events;
}
