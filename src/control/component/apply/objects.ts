/** Single objects on the server: applied under our name, handed over to us, deleted and seen to be gone. */
import { COMPONENT_FIELD_MANAGERS } from '../../../core/api/names.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, DAEMON_SETS } from '../../../core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../../core/api/types/apiextensions-v1.ts';
import { isConditionTrue } from '../../../core/kube/conditions.ts';
import type { Json } from '../../../core/kube/json.ts';
import { apiVersionOf, type KubeObject, type Stored } from '../../../core/kube/objects.ts';
import { isStatus, StatusError } from '../../../core/kube/status-error.ts';
import type { DeleteOptions } from '../../../machinery/client/client.ts';
import type { Calls } from './calls.ts';
import { ComponentApplyError } from './errors.ts';
import { conflictsIn, handedOver } from './managers.ts';
import { isKind, keyOfRef, refText, resourceOf, type ObjectRef } from './object-ref.ts';
import { managedFieldsOf } from './ownership.ts';
import { ofSame } from './survey.ts';

const signalled = (signal: AbortSignal | undefined): { readonly signal?: AbortSignal } =>
  signal === undefined ? {} : { signal };

export async function applyObject(
  calls: Calls,
  ref: ObjectRef,
  object: KubeObject,
  live: Stored | undefined,
  force: boolean,
): Promise<Stored> {
  return calls.request('patch', ref, async (signal) => {
    try {
      return await calls.context.client.apply(resourceOf(ref), ofSame(object, live), {
        fieldManager: COMPONENT_FIELD_MANAGERS.apply,
        force,
        ...signalled(signal),
      });
    } catch (error) {
      const conflicts = error instanceof StatusError ? conflictsIn(error, ref) : [];
      if (conflicts.length === 0) throw error;
      const fields = conflicts.map(({ field, owner }) => `${field} is owned by ${owner}`).join('; ');
      const message = `${refText(ref)}: ${fields}`;
      throw ComponentApplyError.of([{ code: 'EN_COMPONENT_APPLY_CONFLICT', object: ref, message, conflicts }]);
    }
  });
}

/** The object with its predecessors' fields in our name; itself where there are none. */
export async function takeOverFields(
  calls: Calls,
  ref: ObjectRef,
  live: Stored,
  isPredecessor: (manager: string) => boolean,
): Promise<Stored> {
  let present: Stored | undefined = live;
  return calls.request('patch', ref, async (signal) => {
    present ??= await calls.find(ref);
    const object = present ?? live;
    const managed = handedOver(managedFieldsOf(object), isPredecessor, apiVersionOf(ref));
    if (managed === undefined) return object;
    const body: Json[] = [
      { op: 'replace', path: '/metadata/managedFields', value: managed as unknown as Json },
      // Fails if another writer changed the object meanwhile, whose fields would be lost.
      { op: 'replace', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
    ];
    // After a failed attempt the next one begins with a fresh read.
    present = undefined;
    return calls.context.client.patch(resourceOf(ref), keyOfRef(ref), { type: 'json', body }, signalled(signal));
  });
}

export async function deleteObject(calls: Calls, ref: ObjectRef, live: Stored): Promise<void> {
  const options: DeleteOptions = {
    preconditions: { uid: live.metadata.uid },
    // Pods first: no pod is left behind, and none runs twice when the DaemonSet is created again.
    propagationPolicy: isKind(ref, DAEMON_SETS) ? 'Foreground' : 'Background',
  };
  await calls.request('delete', ref, async (signal) =>
    calls.context.client
      .delete(resourceOf(ref), keyOfRef(ref), { ...options, ...signalled(signal) })
      .catch((error: unknown) => {
        // Gone, or another of the same name: either way it is not there any more.
        if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error;
      }),
  );
}

const FIRST_LOOK_MS = 50;
const LATER_LOOKS_MS = 1000;

/** Asks again and again, less and less often, until there is an answer. */
async function until<T>(
  calls: Calls,
  ref: ObjectRef,
  what: string,
  withinMs: number,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const { clock, signal } = calls.context;
  const end = clock.monotonic() + withinMs;
  let pause = FIRST_LOOK_MS;
  let isTold = false;
  for (;;) {
    const answer = await look();
    if (answer !== undefined) return answer;
    if (clock.monotonic() + pause > end)
      throw new ComponentApplyError(
        'EN_COMPONENT_APPLY_TIMEOUT',
        `waited ${Math.round(withinMs / 1000)} s for ${refText(ref)} ${what}, in vain`,
      );
    if (!isTold) calls.tell({ type: 'waiting', object: ref, what });
    isTold = true;
    await clock.sleep(pause, signal);
    pause = Math.min(LATER_LOOKS_MS, pause * 2);
  }
}

export const untilGone = (calls: Calls, ref: ObjectRef, uid: string, withinMs: number): Promise<true> =>
  until(calls, ref, 'to go', withinMs, async () => {
    const present = await calls.find(ref);
    return present === undefined || present.metadata.uid !== uid ? true : undefined;
  });

/** Objects of a kind can be made once its definition is established. */
export async function untilEstablished(calls: Calls, ref: ObjectRef, withinMs: number): Promise<void> {
  if (!isKind(ref, CUSTOM_RESOURCE_DEFINITIONS)) return;
  await until(calls, ref, 'to be served', withinMs, async () => {
    const definition = await calls.find<CustomResourceDefinition>(ref);
    return isConditionTrue(definition?.status?.conditions, 'Established') ? true : undefined;
  });
}
