/**
 * The inventory on the server. A writer takes it first, under the version that was read: of two that begin at the same
 * time one is refused. A later writer takes it over, and the earlier one notices before its next write.
 */
import { CONFIG_MAPS } from '../../../core/api/registry/resources.ts';
import type { ConfigMap } from '../../../core/api/types/core-v1.ts';
import { COMPONENT_FIELD_MANAGERS } from '../../../core/api/names.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';
import type { Calls } from './calls.ts';
import { ComponentApplyError, type ApplyProblem } from './errors.ts';
import {
  inventoryData,
  inventoryObject,
  inventoryRef,
  parseInventory,
  type Inventory,
  type Phase,
  type Undone,
} from './inventory.ts';
import { keyOfRef, type ObjectRef } from './object-ref.ts';
import { identityText, type ComponentIdentity } from './rendered.ts';

export interface StoredInventory {
  readonly inventory: Inventory;
  readonly object: Stored<ConfigMap>;
}

export async function readInventory(calls: Calls, identity: ComponentIdentity): Promise<StoredInventory | undefined> {
  const object = await calls.find<ConfigMap>(inventoryRef(identity));
  return object === undefined ? undefined : { inventory: parseInventory(object, identity), object };
}

/** Problems that would keep the inventory from being written, found by a dry run. */
export async function mayWriteInventory(
  calls: Calls,
  identity: ComponentIdentity,
  found: StoredInventory | undefined,
): Promise<readonly ApplyProblem[]> {
  const { client } = calls.context;
  const object = inventoryObject({ identity, objects: [], phase: 'applying' });
  const verb = found === undefined ? 'create' : 'update';
  try {
    await calls.request(verb, inventoryRef(identity), (signal) => {
      const settings = { dryRun: true, ...(signal === undefined ? {} : { signal }) };
      return found === undefined
        ? client.create(CONFIG_MAPS, object, settings)
        : client.update(CONFIG_MAPS, found.object, settings);
    });
    return [];
  } catch (error) {
    if (!(error instanceof ComponentApplyError)) throw error;
    return error.problems;
  }
}

export interface Hold {
  /** Throws when another writer has taken over since. */
  check(): Promise<void>;
  /** Releases the inventory, with the objects that exist now. */
  settle(objects: readonly ObjectRef[], change?: Partial<Pick<Inventory, 'appliedAt'>>): Promise<void>;
  /** The inventory as it is held. */
  readonly current: Stored<ConfigMap>;
}

export interface HoldOptions {
  readonly identity: ComponentIdentity;
  readonly found: StoredInventory | undefined;
  readonly phase: Exclude<Phase, 'settled'>;
  readonly objects: readonly ObjectRef[];
}

export async function takeInventory(calls: Calls, options: HoldOptions): Promise<Hold> {
  const { identity, found, phase, objects } = options;
  const { client, clock, random } = calls.context;
  const ref = inventoryRef(identity);
  const applier = random.uuid();
  const { appliedAt, undone } = found?.inventory ?? {};
  const before = found?.inventory;
  if (before !== undefined && before.phase !== 'settled')
    calls.tell({
      type: 'note',
      message: `going on after ${before.phase === 'applying' ? 'an apply' : 'a deletion'} that began at ${before.since ?? 'an unknown time'} and was not finished`,
    });

  const superseded = (): ComponentApplyError =>
    new ComponentApplyError(
      'EN_COMPONENT_APPLY_SUPERSEDED',
      `somebody else began to apply or delete component ${identityText(identity)}; look at what came of it, then apply again`,
    );

  /** A request that seemed to fail may have been carried out; then the stored inventory bears our name. */
  async function write(next: Inventory, over: Stored<ConfigMap> | undefined): Promise<Stored<ConfigMap>> {
    const plain = inventoryObject(next);
    const isOurs = (object: ConfigMap): boolean =>
      object.data?.['applier'] === next.applier && object.data?.['phase'] === next.phase && next.applier !== undefined;
    const verb = over === undefined ? 'create' : 'update';
    return calls.request(verb, ref, async (signal) => {
      const settings = {
        fieldManager: COMPONENT_FIELD_MANAGERS.apply,
        ...(signal === undefined ? {} : { signal }),
      };
      try {
        if (over === undefined) return await client.create(CONFIG_MAPS, plain, settings);
        const { resourceVersion, uid } = over.metadata;
        const metadata = { ...over.metadata, labels: { ...over.metadata.labels, ...plain.metadata.labels } };
        return await client.update(
          CONFIG_MAPS,
          { ...plain, metadata: { ...metadata, resourceVersion, uid } },
          settings,
        );
      } catch (error) {
        if (wasAborted(error, signal)) throw error;
        const isRefused =
          isStatus(error, 'AlreadyExists') || isStatus(error, 'Conflict') || isStatus(error, 'NotFound');
        if (!isRefused || isInEndingNamespace(error)) throw error;
        const present = await calls.find<ConfigMap>(ref);
        if (present === undefined && over === undefined) throw error;
        if (present !== undefined && isOurs(present)) return present;
        if (present !== undefined && next.phase === 'settled' && isSettledAs(present, plain)) return present;
        throw superseded();
      }
    });
  }

  const held: Inventory = {
    identity,
    objects,
    phase,
    applier,
    since: formatTime(clock.now()),
    ...(appliedAt === undefined ? {} : { appliedAt }),
    ...(undone === undefined ? {} : { undone }),
  };
  let current = await write(held, found?.object);

  return {
    get current() {
      return current;
    },
    async check() {
      const present = await calls.find<ConfigMap>(ref);
      if (present?.data?.['applier'] !== applier) throw superseded();
      // Labels may have changed by another hand meanwhile; that does not make it another's.
      current = present;
    },
    async settle(rest, change = {}) {
      current = await write({ identity, objects: rest, phase: 'settled', ...change }, current);
    },
  };
}

const isInEndingNamespace = (error: unknown): boolean =>
  isStatus(error, 'NotFound') && /namespaces? "/.test(error.message);

const isSettledAs = (present: ConfigMap, wanted: ConfigMap): boolean =>
  present.data?.['phase'] === 'settled' && present.data?.['objects'] === wanted.data?.['objects'];

/** Records an undo, or that there is none any more; under the version that was read. */
export async function noteInInventory(
  calls: Calls,
  { inventory, object }: StoredInventory,
  undone: Undone | undefined,
): Promise<StoredInventory> {
  const { undone: _before, ...rest } = inventory;
  const next: Inventory = undone === undefined ? rest : { ...rest, undone };
  const updated = await calls.request('update', inventoryRef(inventory.identity), (signal) =>
    calls.context.client.update(
      CONFIG_MAPS,
      { ...object, data: inventoryData(next) },
      { fieldManager: COMPONENT_FIELD_MANAGERS.apply, ...(signal === undefined ? {} : { signal }) },
    ),
  );
  return { inventory: next, object: updated };
}

/** Takes the inventory itself away; the last thing a deletion does. */
export async function removeInventory(calls: Calls, identity: ComponentIdentity, { current }: Hold): Promise<void> {
  const ref = inventoryRef(identity);
  const preconditions = { uid: current.metadata.uid };
  await calls.request('delete', ref, async (signal) =>
    calls.context.client
      .delete(CONFIG_MAPS, keyOfRef(ref), { preconditions, ...(signal === undefined ? {} : { signal }) })
      .catch((error: unknown) => {
        if (!isStatus(error, 'NotFound')) throw error;
      }),
  );
}
