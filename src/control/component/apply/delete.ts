/**
 * Deletes a component: by its inventory, in reverse order, the DaemonSet and its pods first. The namespace goes only if
 * the component created it and nothing else lives there; where that is unknown, the namespace stays.
 */
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  EVENTS,
  EVENTS_IN_EVENTS_GROUP,
  LEASES,
  NAMESPACES,
  SERVICE_ACCOUNTS,
} from '../../../core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../../core/api/types/apiextensions-v1.ts';
import type { KubeObject, Resource, Stored } from '../../../core/kube/objects.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';
import { createCalls, type Calls } from './calls.ts';
import { customResourceOf, customResourceText } from './custom-resource.ts';
import { DEFAULT_WAIT_MS, type AppliedStep } from './apply.ts';
import { ComponentApplyError } from './errors.ts';
import { inventoryName } from '../../../core/component/inventory-name.ts';
import { unionOf } from './inventory.ts';
import { readInventory, removeInventory, takeInventory } from './inventory-store.ts';
import { servedBy, isKind, NAMESPACED, refKey, refOf, type ObjectRef } from './object-ref.ts';
import { deleteObject, untilGone } from './objects.ts';
import { mustBeKept, wasCreatedBy } from './ownership.ts';
import { reasonToLeave } from './plan.ts';
import { inOrder } from './prepare.ts';
import { recoverObjects } from './recover.ts';
import type { StepOutcome } from './progress.ts';
import { identityText, type ApplyContext, type ComponentIdentity } from './rendered.ts';
import { createScrubber } from './secrets.ts';

export interface DeleteComponentOptions {
  /** How long to wait for everything to be gone (default: five minutes); 0 does not wait. */
  readonly waitMs?: number;
  /** Never wait: where something has to be gone before the next, say so and leave the rest to the next call. */
  readonly isBrief?: boolean;
  /** Report the steps, and do nothing. */
  readonly dryRun?: boolean;
}

export interface DeleteResult {
  /** `absent`: there was no such component. `pending`: only without waiting. */
  readonly outcome: 'deleted' | 'absent' | 'pending';
  /** The object that must be gone before the deletion goes on. */
  readonly pending?: ObjectRef;
  readonly steps: readonly AppliedStep[];
}

export async function deleteComponent(
  context: ApplyContext,
  identity: ComponentIdentity,
  options: DeleteComponentOptions = {},
): Promise<DeleteResult> {
  const calls = createCalls(context, createScrubber());
  const waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
  const steps: AppliedStep[] = [];
  const report = (object: ObjectRef, outcome: StepOutcome, why?: string): void => {
    const step: AppliedStep = { object, outcome, ...(why === undefined ? {} : { why }) };
    steps.push(step);
    calls.tell({ type: 'step', ...step });
  };

  const found = await readInventory(calls, identity);
  const home = refOf(NAMESPACES, '', identity.namespace);
  // Without a list the marks tell; an apply that was cut short before its list may have left a namespace.
  const recovered = found === undefined ? await recoverObjects(calls, identity) : [];
  const objects = unionOf(found?.inventory.objects ?? [], recovered);
  if (found === undefined && objects.length === 0) return { outcome: 'absent', steps };
  await refuseForeign(calls, identity, found?.inventory.identity.uid, found !== undefined);

  const isDry = options.dryRun === true;
  const hold =
    isDry || found === undefined
      ? undefined
      : await takeInventory(calls, { identity, found, phase: 'deleting', objects });
  const going: { readonly ref: ObjectRef; readonly uid: string }[] = [];
  /** Waits for the end of an object, or tells that it would have to. */
  const isGone = async (ref: ObjectRef, uid: string): Promise<boolean> => {
    if (options.isBrief === true) return (await calls.find(ref))?.metadata.uid !== uid;
    return waitMs <= 0 || (await untilGone(calls, ref, uid, waitMs));
  };
  const pending = (ref: ObjectRef): DeleteResult => ({ outcome: 'pending', steps, pending: ref });
  for (const ref of inOrder(objects, (each) => each).toReversed()) {
    if (isKind(ref, NAMESPACES)) continue;
    const live = await calls.find(ref);
    const why = live === undefined ? undefined : reasonToLeave(ref, live, identity);
    if (live === undefined) report(ref, 'gone');
    else if (why !== undefined) report(ref, 'kept', why);
    else {
      await hold?.check();
      if (!isDry) {
        await deleteObject(calls, ref, live);
        // Pods of the DaemonSet use the objects that are deleted next.
        if (!isKind(ref, DAEMON_SETS)) going.push({ ref, uid: live.metadata.uid });
        else if (!(await isGone(ref, live.metadata.uid))) return pending(ref);
      }
      report(ref, 'deleted');
    }
  }
  for (const { ref, uid } of going) if (!(await isGone(ref, uid))) return pending(ref);

  const namespaces = objects.filter((ref) => isKind(ref, NAMESPACES));
  const isHomeListed = namespaces.some((ref) => refKey(ref) === refKey(home));
  for (const ref of namespaces) {
    const live = await calls.find(ref);
    if (live === undefined) {
      report(ref, 'gone');
      continue;
    }
    const leaving = isDry
      ? new Set(steps.filter(({ outcome }) => outcome === 'deleted').map(({ object }) => refKey(object)))
      : NONE;
    const why = await reasonToKeepNamespace(calls, ref, live, identity, leaving);
    if (why !== undefined) {
      report(ref, 'kept', why);
      continue;
    }
    await hold?.check();
    if (!isDry) {
      await deleteObject(calls, ref, live);
      if (!(await isGone(ref, live.metadata.uid))) return pending(ref);
    }
    report(ref, 'deleted');
  }
  // A deleted namespace takes the inventory with it.
  const isHomeGone = isHomeListed && steps.some((s) => refKey(s.object) === refKey(home) && s.outcome === 'deleted');
  if (hold !== undefined && !isHomeGone) await removeInventory(calls, identity, hold);
  return { outcome: 'deleted', steps };
}

/**
 * A controller deletes its own component; a deletion by hand is refused, with the custom resource that would restore
 * it.
 */
async function refuseForeign(
  calls: Calls,
  identity: ComponentIdentity,
  owner: string | undefined,
  isListed: boolean,
): Promise<void> {
  if (!isListed || owner === identity.uid) return;
  const message = `component ${identityText(identity)} is reconciled from`;
  if (identity.uid !== undefined)
    throw new ComponentApplyError('EN_COMPONENT_APPLY_OTHER_OWNER', `${message} somewhere else, and stays`);
  const resource = await customResourceOf(calls, identity.name, owner ?? '');
  if (resource === undefined) return;
  throw new ComponentApplyError(
    'EN_COMPONENT_APPLY_OTHER_OWNER',
    `${message} ${customResourceText(resource)}, which would bring it back; delete that instead`,
  );
}

const NONE: ReadonlySet<string> = new Set();

async function reasonToKeepNamespace(
  calls: Calls,
  ref: ObjectRef,
  live: Stored,
  identity: ComponentIdentity,
  leaving: ReadonlySet<string>,
): Promise<string | undefined> {
  if (!wasCreatedBy(live, identity)) return 'the component did not make this namespace';
  if (mustBeKept(live)) return 'it is annotated to be kept';
  if (live.metadata.deletionTimestamp !== undefined) return undefined;
  return inhabitantOf(calls, ref.name, identity, leaving);
}

/** Objects that come and go with others, or exist in every namespace. */
const HOUSEHOLD: ReadonlySet<Resource> = new Set<Resource>([
  EVENTS,
  EVENTS_IN_EVENTS_GROUP,
  ENDPOINTS,
  ENDPOINT_SLICES,
  LEASES,
]);

const isHousehold = ({ group, resource }: Resource, { metadata }: KubeObject, component: string): boolean => {
  if (group !== '') return false;
  if (resource === SERVICE_ACCOUNTS.resource) return metadata.name === 'default';
  return (
    resource === CONFIG_MAPS.resource &&
    (metadata.name === 'kube-root-ca.crt' || metadata.name === inventoryName(component))
  );
};

/** Enough to see one that is not of the household. */
const FEW = 20;

/** Names objects of others in the namespace; undefined where there are certainly none. */
async function inhabitantOf(
  calls: Calls,
  namespace: string,
  identity: ComponentIdentity,
  leaving: ReadonlySet<string>,
): Promise<string | undefined> {
  const { client, signal } = calls.context;
  const settings = signal === undefined ? {} : { signal };
  const definitions = await listed<CustomResourceDefinition>(calls, CUSTOM_RESOURCE_DEFINITIONS, () =>
    client.list(CUSTOM_RESOURCE_DEFINITIONS, settings).then(({ items }) => items),
  );
  if (definitions === undefined) return 'it could not be seen whether custom resources live in it';
  const custom = definitions.flatMap((definition) => servedBy(definition).slice(0, 1)).filter((r) => r.namespaced);
  for (const resource of [...NAMESPACED.filter((each) => !HOUSEHOLD.has(each)), ...custom]) {
    const items = await listed(calls, resource, () =>
      client.list(resource, { namespace, limit: FEW, ...settings }).then((page) => page.items),
    );
    if (items === undefined) return `it could not be seen whether ${resource.resource} live in it`;
    const other = items.find(
      (item) =>
        !isHousehold(resource, item, identity.name) &&
        !leaving.has(refKey(refOf(resource, namespace, item.metadata.name))),
    );
    if (other !== undefined) return `${resource.kind} ${other.metadata.name} lives in it`;
  }
  return undefined;
}

/** Undefined where one may not look. A kind that is not served has no objects. */
async function listed<T extends KubeObject>(
  calls: Calls,
  resource: Resource<T>,
  list: () => Promise<readonly Stored<T>[]>,
): Promise<readonly Stored<T>[] | undefined> {
  try {
    return await calls.attempt('list', refOf(resource, '', ''), list);
  } catch (error) {
    if (wasAborted(error, calls.context.signal) || !(error instanceof StatusError)) throw error;
    if (error.code === 404 || error.code === 405) return [];
    if (error.code === 403) return undefined;
    throw error;
  }
}
