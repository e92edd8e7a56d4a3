/**
 * Goes back to an earlier template, as `kubectl rollout undo` does: the DaemonSet gets the revision's template. Secrets
 * and ConfigMaps have no history, and the manifest is unchanged; both are reported, and the inventory records the undo,
 * so that `status` shows it and a controller does not at once undo the undoing.
 */
import { COMPONENT_FIELD_MANAGERS } from '../../../core/api/names.ts';
import { DAEMON_SETS } from '../../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { createCalls } from './calls.ts';
import { customResourceOf, customResourceText } from './custom-resource.ts';
import { ComponentApplyError } from './errors.ts';
import { daemonSetOf, revisionsOf, storedRevisions, type Revision } from './history.ts';
import { noteInInventory, readInventory } from './inventory-store.ts';
import { keyOfRef, refOf, refText } from './object-ref.ts';
import type { ApplyContext, ComponentIdentity } from './rendered.ts';
import { createScrubber } from './secrets.ts';

export interface UndoOptions {
  /** The number of a revision; the one before the current if not given. */
  readonly toRevision?: number;
  /** The DaemonSet, where it is not called as the component. */
  readonly daemonSet?: string;
  readonly dryRun?: boolean;
}

export interface UndoResult {
  readonly outcome: 'undone' | 'unchanged';
  readonly from: Revision | undefined;
  readonly to: Revision;
  /** As the server has it now. */
  readonly daemonSet: Stored<DaemonSet>;
  readonly warnings: readonly string[];
}

export async function undoComponent(
  context: ApplyContext,
  identity: ComponentIdentity,
  options: UndoOptions = {},
): Promise<UndoResult> {
  const calls = createCalls(context, createScrubber());
  const { namespace } = identity;
  const set = await daemonSetOf(calls, { namespace, name: options.daemonSet ?? identity.name });
  const ref = refOf(DAEMON_SETS, namespace, set.metadata.name);
  const stored = await storedRevisions(calls, set);
  const known = revisionsOf(stored);
  const from = known.at(-1);
  const to = options.toRevision === undefined ? known.at(-2) : known.find((r) => r.revision === options.toRevision);
  const kept = stored.find(({ revision }) => revision === to?.revision);
  if (to === undefined || kept === undefined) {
    const wanted = options.toRevision === undefined ? 'no revision to go back to' : `no revision ${options.toRevision}`;
    const have = known.length === 0 ? 'it has none' : `it has ${known.map((r) => r.revision).join(', ')}`;
    throw new ComponentApplyError('EN_COMPONENT_APPLY_NOT_FOUND', `${refText(ref)} has ${wanted}: ${have}`);
  }
  if (to === from) return { outcome: 'unchanged', from, to, daemonSet: set, warnings: [] };

  const found = await readInventory(calls, identity);
  const keeper = found?.inventory.identity.uid;
  const resource = keeper === undefined ? undefined : await customResourceOf(calls, identity.name, keeper);
  const said = from?.images.join(', ') ?? 'something else';
  const warnings = [
    keeper === undefined
      ? `the last apply said ${said}: the next one brings that back, unless the manifest or what it is given changes`
      : `${resource === undefined ? 'its custom resource' : customResourceText(resource)} said ${said}: this stays until its spec changes`,
    'Secrets and ConfigMaps have no history and stay as they are',
  ];
  const isDry = options.dryRun === true;
  // First the record: a controller that saw the template change and knew nothing of it would change it back.
  const undone = { revision: to.revision, at: formatTime(context.clock.now()) };
  const noted = isDry || found === undefined ? undefined : await noteInInventory(calls, found, undone);
  let daemonSet: Stored<DaemonSet>;
  try {
    daemonSet = await calls.request('patch', ref, (signal) =>
      calls.context.client.patch(
        DAEMON_SETS,
        keyOfRef(ref),
        { type: 'strategic', body: kept.data as Json },
        {
          fieldManager: COMPONENT_FIELD_MANAGERS.undo,
          ...(isDry ? { dryRun: true } : {}),
          ...(signal === undefined ? {} : { signal }),
        },
      ),
    );
  } catch (error) {
    // As far as that can be done; the next apply forgets it in any case.
    if (noted !== undefined) await noteInInventory(calls, noted, undefined).catch(() => undefined);
    throw error;
  }
  for (const message of warnings) calls.tell({ type: 'note', message });
  return { outcome: 'undone', from, to, daemonSet, warnings };
}
