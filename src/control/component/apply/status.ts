/** The state of a component: its objects, which of them are missing or changed hands, and how its rollout stands. */
import {
  CONFIG_MAPS,
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  EVENTS,
  NAMESPACES,
  NODES,
  PODS,
} from '../../../core/api/registry/resources.ts';
import { COMPONENT_LABELS } from '../../../core/api/names.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { ConfigMap } from '../../../core/api/types/core-v1.ts';
import { formatLabelSelector } from '../../../core/kube/label-selector.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { KubeObject, Resource, Stored } from '../../../core/kube/objects.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import type { ListOptions } from '../../../machinery/client/client.ts';
import { createCalls, type Calls } from './calls.ts';
import { parseInventory, type Inventory } from './inventory.ts';
import { readInventory } from './inventory-store.ts';
import { isKind, refOf, type ObjectRef } from './object-ref.ts';
import { changesIn, type Change } from './managers.ts';
import { managedFieldsOf, ownerOf } from './ownership.ts';
import type { ApplyContext, ComponentIdentity } from './rendered.ts';
import { rolloutSnapshot, type RolloutSnapshot } from '../rollout/snapshot.ts';
import { scrubbed } from './wait.ts';
import { createScrubber } from './secrets.ts';

export interface ObjectStatus {
  readonly object: ObjectRef;
  readonly state: 'present' | 'missing' | 'ending' | 'not-ours';
  /** Field managers that have set fields of the object since the apply. */
  readonly changes?: readonly Change[];
}

export interface ComponentStatus {
  /** `absent`: there is no inventory; `applying` and `deleting`: a writer is at work, or was cut short. */
  readonly phase: 'absent' | Inventory['phase'];
  readonly inventory: Inventory | undefined;
  readonly objects: readonly ObjectStatus[];
  /** One for each DaemonSet that exists. */
  readonly rollouts: readonly RolloutSnapshot[];
  /** No object is missing, no apply or deletion is under way, every rollout is complete. */
  readonly isHealthy: boolean;
}

export interface StatusOptions {
  readonly groupBy?: readonly string[];
  readonly mostLagging?: number;
}

export async function componentStatus(
  context: ApplyContext,
  identity: ComponentIdentity,
  options: StatusOptions = {},
): Promise<ComponentStatus> {
  const scrubber = createScrubber();
  const calls = createCalls(context, scrubber);
  const found = await readInventory(calls, identity);
  if (found === undefined)
    return { phase: 'absent', inventory: undefined, objects: [], rollouts: [], isHealthy: false };
  const objects: ObjectStatus[] = [];
  const rollouts: RolloutSnapshot[] = [];
  for (const ref of found.inventory.objects) {
    const live = await calls.find(ref);
    const state = stateOf(live, identity);
    const changes = live === undefined || isKind(ref, NAMESPACES) ? [] : changesIn(managedFieldsOf(live));
    objects.push({ object: ref, state, ...(changes.length === 0 || state !== 'present' ? {} : { changes }) });
    if (live !== undefined && isKind(ref, DAEMON_SETS))
      rollouts.push(scrubbed(await snapshotNow(calls, live as Stored<DaemonSet>, options), scrubber));
  }
  const isHealthy =
    found.inventory.phase === 'settled' &&
    objects.every(({ state }) => state === 'present') &&
    rollouts.every(({ state }) => state === 'complete' || state === 'on-delete');
  return { phase: found.inventory.phase, inventory: found.inventory, objects, rollouts, isHealthy };
}

function stateOf(live: Stored | undefined, identity: ComponentIdentity): ObjectStatus['state'] {
  if (live === undefined) return 'missing';
  if (ownerOf(live, identity, true).owner !== 'ours') return 'not-ours';
  return live.metadata.deletionTimestamp === undefined ? 'present' : 'ending';
}

/** The rollout at this moment, without waiting. */
async function snapshotNow(
  calls: Calls,
  set: Stored<DaemonSet>,
  options: StatusOptions = {},
): Promise<RolloutSnapshot> {
  const { namespace = '' } = set.metadata;
  const own = { namespace, labelSelector: formatLabelSelector(set.spec.selector) };
  const [pods, nodes, revisions, events] = await Promise.all([
    listIfAllowed(calls, PODS, own),
    listIfAllowed(calls, NODES, {}),
    listIfAllowed(calls, CONTROLLER_REVISIONS, own),
    listIfAllowed(calls, EVENTS, { namespace, fieldSelector: 'type=Warning' }),
  ]);
  return rolloutSnapshot({
    set,
    now: calls.context.clock.now(),
    ...(pods === undefined ? {} : { pods }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(revisions === undefined ? {} : { revisions }),
    ...(events === undefined ? {} : { events }),
    ...options,
  });
}

const PAGE = 500;

async function listIfAllowed<T extends KubeObject>(
  calls: Calls,
  resource: Resource<T>,
  scope: ListOptions,
): Promise<readonly Stored<T>[] | undefined> {
  const items: Stored<T>[] = [];
  let token = '';
  try {
    do {
      const page = await calls.attempt('list', refOf(resource, scope.namespace ?? '', ''), (signal) =>
        calls.context.client.list(resource, {
          ...scope,
          limit: PAGE,
          ...(token === '' ? {} : { continue: token }),
          ...(signal === undefined ? {} : { signal }),
        }),
      );
      for (const item of page.items) items.push(item);
      token = page.continue ?? '';
    } while (token !== '');
    return items;
  } catch (error) {
    if (error instanceof StatusError && (error.code === 403 || error.code === 404)) return undefined;
    throw error;
  }
}

/** The components of a namespace, or of all of them. */
export async function listComponents(context: ApplyContext, namespace?: string): Promise<readonly Inventory[]> {
  const calls = createCalls(context, createScrubber());
  const items = await calls.request('list', refOf(CONFIG_MAPS, namespace ?? '', ''), (signal) =>
    context.client
      .list<ConfigMap>(CONFIG_MAPS, {
        labelSelector: `${COMPONENT_LABELS.inventory}=true`,
        ...(namespace === undefined ? {} : { namespace }),
        ...(signal === undefined ? {} : { signal }),
      })
      .then((page) => page.items),
  );
  return items.map((item) =>
    parseInventory(item, {
      name: labelOf(item.metadata.labels, COMPONENT_LABELS.component) ?? '',
      namespace: item.metadata.namespace ?? '',
    }),
  );
}
