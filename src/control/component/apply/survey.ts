/**
 * Reads before anything is written: the live objects under the component's names, and the server's prediction of each
 * object. A dry run meets everything a real one would (owners, validation, rights, quotas, policies), so all obstacles
 * are known before the first write.
 */
import { COMPONENT_ANNOTATIONS, COMPONENT_FIELD_MANAGERS } from '../../../core/api/names.ts';
import { NAMESPACES } from '../../../core/api/registry/resources.ts';
import type { RoleBinding } from '../../../core/api/types/rbac-v1.ts';
import { withMetadata } from '../../../core/kube/immutable.ts';
import type { KubeObject, Resource, Stored } from '../../../core/kube/objects.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import { linkAbort, wasAborted, type LinkedAbort } from '../../../machinery/time/abort.ts';
import { throughWindow } from '../../../machinery/structures/window.ts';
import { createCalls, isSameDenial, type Calls } from './calls.ts';
import { ComponentApplyError, isApplyError, type ApplyProblem, type FieldConflict } from './errors.ts';
import { mayWriteInventory, readInventory, type StoredInventory } from './inventory-store.ts';
import { conflictsIn, predecessorTest, wasUpdate } from './managers.ts';
import {
  isCustomResourceDefinition,
  isKind,
  definedBy,
  refKey,
  refOf,
  refText,
  resourceOf,
  type ObjectRef,
} from './object-ref.ts';
import { customResourceOf, customResourceText } from './custom-resource.ts';
import { ownerOf } from './ownership.ts';
import { planApply, type Adoption, type Plan } from './plan.ts';
import { prepare, type PreparedObject } from './prepare.ts';
import { identityText, type RenderedComponent } from './rendered.ts';

export interface SurveyOptions {
  /** Take fields from their owners. */
  readonly force?: boolean;
  readonly adopt?: Adoption;
  /** Delete and create anew objects that cannot be changed in place. */
  readonly recreate?: boolean;
  /** False keeps objects that are no longer in the component; the next apply that prunes finds them. */
  readonly prune?: boolean;
  /**
   * Take fields of our own objects back from managers that changed them by hand (an update). A manager that applies
   * fields lays claim to them, and is never overruled so.
   */
  readonly reclaim?: boolean;
  /** Leave a component alone that was undone; for a controller, which applies again and again. */
  readonly keepsUndone?: boolean;
  /** Managers whose fields become ours, beside kubectl's; `name*` for all that begin so. */
  readonly migrateFrom?: readonly string[];
  /** Resources of custom kinds that the component uses but does not define. */
  readonly resources?: readonly Resource[];
}

export interface Survey {
  readonly prepared: readonly PreparedObject[];
  readonly found: StoredInventory | undefined;
  readonly live: ReadonlyMap<string, Stored>;
  readonly predicted: ReadonlyMap<string, KubeObject>;
  readonly plan: Plan;
  /** Everything that stands in the way, refusals of the plan included. */
  readonly problems: readonly ApplyProblem[];
  /** Fields of other managers that would change, also where they are taken by force. */
  readonly conflicts: readonly FieldConflict[];
  /** Objects of which fields are taken back. */
  readonly reclaimed: ReadonlySet<string>;
  readonly isPredecessor: (manager: string) => boolean;
}

/** Requests under way at a time. */
const CONCURRENCY = 8;

export async function survey(outer: Calls, component: RenderedComponent, options: SurveyOptions): Promise<Survey> {
  // Requests under way are aborted when the survey ends or fails: their answers are not needed any more.
  using link = linkAbort(outer.context.signal);
  const calls = createCalls({ ...outer.context, signal: link.signal }, outer.scrubber);
  const { identity } = component;
  const prepared = prepare(component, options.resources);
  for (const { object } of prepared) calls.scrubber.learn(object);
  /** Objects that the user may not read. The survey goes on, so that one error names every denied right. */
  const denials: ApplyProblem[] = [];
  const ifAllowed = async <T>(look: Promise<T>): Promise<T | undefined> => {
    try {
      return await look;
    } catch (error) {
      if (!isApplyError(error, 'EN_COMPONENT_APPLY_FORBIDDEN')) throw error;
      denials.push(...error.problems);
      return undefined;
    }
  };
  const namespace = await ifAllowed(namespaceOf(calls, component, prepared));
  // A hidden namespace is treated as existing: a server denies requests in it before it checks whether it exists.
  const isNamespaceHidden = denials.length > 0;
  const found = await ifAllowed(readInventory(calls, identity));
  const otherOwner = await ownerProblem(calls, component, found, options.adopt);
  const { undone } = found?.inventory ?? {};
  if (options.keepsUndone === true && undone !== undefined && otherOwner.length === 0)
    throw new ComponentApplyError(
      'EN_COMPONENT_APPLY_UNDONE',
      `somebody went back to revision ${undone.revision} at ${undone.at}`,
    );
  const refs = new Map<string, ObjectRef>(prepared.map(({ key, ref }) => [key, ref]));
  for (const ref of found?.inventory.objects ?? []) if (!refs.has(refKey(ref))) refs.set(refKey(ref), ref);
  const coming = comingKinds(prepared);

  const live = new Map<string, Stored>();
  const hidden = new Set<string>();
  await forEach([...refs], link, async ([key, ref]) => {
    const before = denials.length;
    const object = await ifAllowed(calls.find(ref));
    if (object !== undefined) live.set(key, object);
    else if (denials.slice(before).some((problem) => problem.object === ref)) hidden.add(key);
  });
  const seen = prepared.filter(({ key }) => !hidden.has(key));

  /** The role that a binding names comes with the same component, and is not there yet. */
  const isRoleComing = (binding: KubeObject): boolean =>
    prepared.some(({ key, object }) => !live.has(key) && isRoleOf(binding, object));

  const isPredecessor = predecessorTest(options.migrateFrom);
  const first = planApply({ identity, objects: seen, inventory: found?.inventory, live, ...planSettings(options) });
  const refused = new Set(first.refusals.map(({ object }) => (object === undefined ? '' : refKey(object))));
  const predicted = new Map<string, KubeObject>();
  const recreate = new Set<string>();
  const reclaimed = new Set<string>();
  const listed = new Set((found?.inventory.objects ?? []).map(refKey));
  const conflicts: FieldConflict[] = [];
  const problems: ApplyProblem[] = [];

  await forEach(prepared, link, async ({ ref, key, object }) => {
    const present = live.get(key);
    const cannotAsk =
      refused.has(key) ||
      (isKind(ref, NAMESPACES) &&
        present !== undefined &&
        first.steps.some((s) => s.ref === ref && s.action === 'share')) ||
      (ref.namespace !== '' && namespace === undefined && !isNamespaceHidden) ||
      (present === undefined && coming.has(`${ref.group}/${ref.resource}`));
    if (cannotAsk) return;
    const isOurs = present !== undefined && ownerOf(present, identity, listed.has(key)).owner === 'ours';
    const mayReclaim = (conflict: FieldConflict): boolean => options.reclaim === true && isOurs && wasUpdate(conflict);
    const claims = { force: options.force === true, isPredecessor, mayReclaim, isRoleComing: isRoleComing(object) };
    const answer = await ask(calls, ref, object, present, claims);
    conflicts.push(...answer.conflicts);
    if (answer.isReclaimed === true) reclaimed.add(key);
    if (answer.object !== undefined) predicted.set(key, answer.object);
    if (answer.isImmutable && options.recreate === true) recreate.add(key);
    else problems.push(...answer.problems);
  });
  if (denials.length > 0 || problems.some(isDenied)) {
    // Nothing is written: problems of the inventory belong into the same error, not into the one after these are fixed.
    denials.push(...(await mayWriteInventory(calls, identity, found)).filter(isDenied));
    if (namespace === undefined && !isNamespaceHidden)
      await forEach(prepared, link, async ({ ref, key, object }) => {
        if (ref.namespace === '' || refused.has(key)) return;
        const claims = { force: false, isPredecessor, mayReclaim: () => false, isRoleComing: false };
        // Rights come before the question whether the namespace is there.
        denials.push(...(await ask(calls, ref, object, undefined, claims)).problems.filter(isDenied));
      });
  }

  const order = new Map(prepared.map(({ key }, i) => [key, i]));
  const place = ({ object }: { readonly object?: ObjectRef }): number =>
    object === undefined ? -1 : (order.get(refKey(object)) ?? 0);
  const plan = planApply({
    identity,
    objects: seen,
    inventory: found?.inventory,
    live,
    predicted,
    recreate,
    ...planSettings(options),
  });
  return {
    prepared,
    found,
    live,
    predicted,
    plan,
    problems: [
      ...otherOwner,
      ...[
        ...plan.refusals,
        ...toldOnce([...denials, ...(isNamespaceHidden ? problems.filter(isDenied) : problems)]),
      ].toSorted((a, b) => place(a) - place(b)),
    ],
    conflicts: conflicts.toSorted((a, b) => place(a) - place(b)),
    reclaimed,
    isPredecessor,
  };
}

const isDenied = ({ code }: ApplyProblem): boolean => code === 'EN_COMPONENT_APPLY_FORBIDDEN';

/** A right that is missing for ten objects is reported once. */
const toldOnce = (problems: readonly ApplyProblem[]): readonly ApplyProblem[] =>
  problems.filter((problem, index) => !problems.slice(0, index).some((other) => isSameDenial(other, problem)));

const planSettings = ({ adopt, prune }: SurveyOptions): { readonly adopt?: Adoption; readonly prune?: boolean } => ({
  ...(adopt === undefined ? {} : { adopt }),
  ...(prune === undefined ? {} : { prune }),
});

/** The namespace the component lives in; undefined where it will make it. */
async function namespaceOf(
  calls: Calls,
  { identity }: RenderedComponent,
  prepared: readonly PreparedObject[],
): Promise<Stored | undefined> {
  const ref = refOf(NAMESPACES, '', identity.namespace);
  const isMade = prepared.some(({ key }) => key === refKey(ref));
  let namespace: Stored | undefined;
  try {
    namespace = await calls.find(ref);
  } catch (error) {
    // Users of a namespace often may not read the Namespace itself. If it does not exist, the first write fails and says so.
    const isDenied = error instanceof ComponentApplyError && error.code === 'EN_COMPONENT_APPLY_FORBIDDEN';
    if (!isDenied || isMade) throw error;
    return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: identity.namespace } } as Stored;
  }
  if (namespace === undefined && !isMade)
    throw new ComponentApplyError(
      'EN_COMPONENT_APPLY_NO_NAMESPACE',
      `namespace ${identity.namespace} does not exist; make it, or let the component do so (createNamespace: true)`,
    );
  if (namespace?.metadata.deletionTimestamp !== undefined)
    throw new ComponentApplyError(
      'EN_COMPONENT_APPLY_NAMESPACE_ENDS',
      `namespace ${identity.namespace} is being deleted; wait until it is gone, then apply again`,
    );
  return namespace;
}

async function ownerProblem(
  calls: Calls,
  { identity }: RenderedComponent,
  found: StoredInventory | undefined,
  adopt: Adoption | undefined,
): Promise<readonly ApplyProblem[]> {
  if (found === undefined || adopt === 'any') return [];
  const { uid } = found.inventory.identity;
  if (uid === identity.uid) return [];
  if (uid === undefined && adopt === 'unowned') return [];
  if (uid === undefined)
    return [
      {
        code: 'EN_COMPONENT_APPLY_OTHER_OWNER',
        message: `component ${identityText(identity)} was applied by hand (everynode apply)`,
        fix: `to take it over, annotate the custom resource with ${COMPONENT_ANNOTATIONS.adopt}: unowned`,
      },
    ];
  const resource = await customResourceOf(calls, identity.name, uid);
  const isByHand = identity.uid === undefined;
  const keeper = `${isByHand ? 'a' : 'another'} custom resource${
    resource === undefined ? `, which is gone or not to be seen (uid ${uid})` : `, ${customResourceText(resource)}`
  }`;
  return [
    {
      code: 'EN_COMPONENT_APPLY_OTHER_OWNER',
      message: `component ${identityText(identity)} is reconciled from ${keeper}`,
      fix: isByHand
        ? `change ${resource === undefined ? 'that, if it is there' : 'that instead'}, or take the component from it`
        : `to take it over, annotate the custom resource with ${COMPONENT_ANNOTATIONS.adopt}: any`,
      ...(isByHand ? { adopt: 'any' as const } : {}),
    },
  ];
}

/** Kinds the component itself brings: before it has, nothing can be asked about them. */
function comingKinds(prepared: readonly PreparedObject[]): ReadonlySet<string> {
  const kinds = new Set<string>();
  for (const { object } of prepared)
    if (isCustomResourceDefinition(object))
      for (const { group, resource } of definedBy(object)) kinds.add(`${group}/${resource}`);
  return kinds;
}

interface Answer {
  readonly object?: KubeObject;
  readonly problems: readonly ApplyProblem[];
  readonly conflicts: readonly FieldConflict[];
  readonly isImmutable: boolean;
  readonly isReclaimed?: boolean;
}

interface Claims {
  readonly force: boolean;
  readonly isPredecessor: (manager: string) => boolean;
  readonly mayReclaim: (conflict: FieldConflict) => boolean;
  readonly isRoleComing: boolean;
}

const isRoleOf = (binding: KubeObject, role: KubeObject): boolean => {
  const { roleRef } = binding as RoleBinding;
  return roleRef?.kind === role.kind && roleRef?.name === role.metadata.name && isRbac(binding) && isRbac(role);
};
const isRbac = ({ apiVersion }: KubeObject): boolean => apiVersion.startsWith('rbac.authorization.k8s.io/');

async function ask(
  calls: Calls,
  ref: ObjectRef,
  object: KubeObject,
  present: Stored | undefined,
  claims: Claims,
  known: readonly FieldConflict[] = [],
): Promise<Answer> {
  const { client } = calls.context;
  const { force, isPredecessor, mayReclaim } = claims;
  try {
    const answer = await calls.attempt('patch', ref, (signal) =>
      client.apply(resourceOf(ref), ofSame(object, present), {
        fieldManager: COMPONENT_FIELD_MANAGERS.apply,
        dryRun: true,
        force: force && known.length > 0,
        ...(signal === undefined ? {} : { signal }),
      }),
    );
    calls.scrubber.learn(answer);
    return { object: answer, problems: [], conflicts: known, isImmutable: false };
  } catch (error) {
    if (wasAborted(error, calls.context.signal)) throw error;
    if (error instanceof StatusError) {
      const all = conflictsIn(error, ref);
      const foreign = all.filter((each) => !isPredecessor(each.manager) && !mayReclaim(each));
      if (all.length > 0 && known.length === 0 && (force || foreign.length === 0)) {
        // The fields of predecessors will be ours by then; those of other managers are taken because of `force` or
        // `reclaim`.
        const isReclaimed = all.some((each) => !isPredecessor(each.manager) && mayReclaim(each));
        const forced = await ask(calls, ref, object, present, { ...claims, force: true }, all);
        return { ...forced, conflicts: foreign, isReclaimed };
      }
      if (foreign.length > 0)
        return { problems: [conflictProblem(ref, foreign)], conflicts: foreign, isImmutable: false };
      if (isImmutableChange(error))
        return { problems: [immutableProblem(calls, error, ref)], conflicts: known, isImmutable: true };
      // A user without the verb bind must hold the rights of the role, and in a dry run the role does not exist yet.
      if (claims.isRoleComing && error.reason === 'NotFound')
        return { problems: [], conflicts: known, isImmutable: false };
      // A webhook that takes no dry run says nothing about the real one.
      if (error.message.includes('does not support dry run'))
        return { problems: [], conflicts: known, isImmutable: false };
    }
    return { problems: [calls.problemOf(error, 'patch', ref)], conflicts: known, isImmutable: false };
  }
}

/** With the identity of the object that was looked at: a namesake that came since is refused. */
export const ofSame = (object: KubeObject, live: Stored | undefined): KubeObject =>
  live === undefined ? object : withMetadata(object, 'uid', live.metadata.uid);

function conflictProblem(ref: ObjectRef, conflicts: readonly FieldConflict[]): ApplyProblem {
  const fields = conflicts.map(({ field, owner }) => `${field} is owned by ${owner}`);
  return {
    code: 'EN_COMPONENT_APPLY_CONFLICT',
    object: ref,
    conflicts,
    message: `${refText(ref)}: ${fields.join('; ')}`,
    fix: 'leave the fields to their owner by taking them out of the manifest, or take them by force',
  };
}

const IMMUTABLE = /\bimmutable\b|cannot change roleRef/i;

const isImmutableChange = (error: StatusError): boolean =>
  error.code === 422 &&
  (IMMUTABLE.test(error.message) ||
    (error.status.details?.causes?.some(({ message = '' }) => IMMUTABLE.test(message)) ?? false));

function immutableProblem(calls: Calls, error: StatusError, ref: ObjectRef): ApplyProblem {
  const fields = (error.status.details?.causes ?? [])
    .filter(({ message = '' }) => IMMUTABLE.test(message))
    .map(({ field = '' }) => field)
    .filter((field) => field !== '');
  const what = fields.length === 0 ? 'a field that cannot change' : fields.join(', ');
  const pods = ref.kind === 'DaemonSet' ? '; its pods are all stopped before new ones start' : '';
  return {
    code: 'EN_COMPONENT_APPLY_IMMUTABLE',
    object: ref,
    message: calls.scrubber.scrub(`${refText(ref)}: ${what} would change, which the API does not allow`),
    fix: `keep it as it is, or recreate the object${pods}`,
  };
}

/** A few at a time, so that a large component does not flood the server. With the first failure all of them end. */
async function forEach<T>(items: readonly T[], link: LinkedAbort, run: (item: T) => Promise<void>): Promise<void> {
  const attempt = (item: T): Promise<void> =>
    run(item).catch((error: unknown) => {
      link.abort();
      throw error;
    });
  await throughWindow(items, attempt, { first: CONCURRENCY, most: CONCURRENCY, signal: link.signal });
}
