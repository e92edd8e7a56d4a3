/** Brings a component to the cluster: server-side apply in order, prune in reverse, whatever interrupted the last one. */
import { COMPONENT_FIELD_MANAGERS } from '../../../core/api/names.ts';
import { DAEMON_SETS, NAMESPACES } from '../../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Namespace } from '../../../core/api/types/core-v1.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { createCalls, type Calls } from './calls.ts';
import { changedFields } from './changed-fields.ts';
import { ComponentApplyError, type FieldConflict } from './errors.ts';
import { takeInventory, type Hold } from './inventory-store.ts';
import { isKind, refKey, refText, type ObjectRef } from './object-ref.ts';
import { otherPredecessors } from './managers.ts';
import { applyObject, deleteObject, takeOverFields, untilEstablished, untilGone } from './objects.ts';
import { managedFieldsOf, marked, markedAsCreated, wasCreatedBy } from './ownership.ts';
import { isWrite, type Step } from './plan.ts';
import type { StepOutcome } from './progress.ts';
import type { ApplyContext, ComponentIdentity, RenderedComponent } from './rendered.ts';
import { createScrubber } from './secrets.ts';
import { survey, type Survey, type SurveyOptions } from './survey.ts';

export interface ApplyOptions extends SurveyOptions {
  /** How long to wait for something to be gone or served before going on (default: five minutes). */
  readonly waitMs?: number;
}

export interface AppliedStep {
  readonly object: ObjectRef;
  readonly outcome: StepOutcome;
  readonly why?: string;
  /** The paths of fields changed in place; no values. */
  readonly fields?: readonly string[];
}

export interface ApplyResult {
  readonly steps: readonly AppliedStep[];
  /** Anything was written. */
  readonly changed: boolean;
  /** Fields that were taken from their owners by force. */
  readonly taken: readonly FieldConflict[];
  /** DaemonSets as the server returned them last; caches of other watches may be behind. */
  readonly daemonSets: readonly Stored<DaemonSet>[];
}

export const DEFAULT_WAIT_MS = 300_000;

export async function applyComponent(
  context: ApplyContext,
  component: RenderedComponent,
  options: ApplyOptions = {},
): Promise<ApplyResult> {
  const calls = createCalls(context, createScrubber(component.secretPaths));
  const found = await survey(calls, component, options);
  if (found.problems.length > 0) throw ComponentApplyError.of(found.problems);
  const { plan } = found;
  calls.tell({ type: 'planned', steps: plan.steps.length, writes: plan.steps.filter(isWrite).length });
  const done: AppliedStep[] = [];
  const live = new Map(found.live);
  await execute({ calls, identity: component.identity, found, options, done, live });
  return {
    steps: done,
    changed: !plan.isSettled,
    taken: options.force === true ? found.conflicts : [],
    daemonSets: found.prepared
      .filter(({ ref }) => isKind(ref, DAEMON_SETS))
      .flatMap(({ key }) => (live.get(key) as Stored<DaemonSet> | undefined) ?? []),
  };
}

interface Run {
  readonly calls: Calls;
  readonly identity: ComponentIdentity;
  readonly found: Survey;
  readonly options: ApplyOptions;
  readonly done: AppliedStep[];
  /** Live objects by `refKey`, as far as the server has returned them. */
  readonly live: Map<string, Stored>;
}

async function execute(run: Run): Promise<void> {
  const { calls, identity } = run;
  const { plan, found } = run.found;
  if (plan.isSettled) {
    for (const step of plan.steps) report(run, step.ref, restingOutcome(step), whyOf(step));
    return;
  }
  // The list lives in the namespace, so that is the one thing made before the list is written; it bears its own mark.
  const namespace = plan.steps.find(({ ref, action }) => action === 'create' && isHome(ref, identity));
  const home = namespace === undefined ? undefined : await createNamespace(run, namespace.ref);
  const hold = await takeInventory(calls, { identity, found, phase: 'applying', objects: plan.during });
  for (const step of plan.steps) await carryOut(run, step, hold, home);
  await hold.settle(plan.after, { appliedAt: formatTime(calls.context.clock.now()) });
}

/** By `create`, which fails where another writer was faster: only the creator of a namespace may delete it one day. */
async function createNamespace({ calls, identity }: Run, ref: ObjectRef): Promise<Stored> {
  const plain: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ref.name }, spec: {} };
  const object = markedAsCreated(marked(plain, identity), identity);
  return calls.request('create', ref, async (signal) => {
    const settings = { fieldManager: COMPONENT_FIELD_MANAGERS.create, ...(signal === undefined ? {} : { signal }) };
    try {
      return await calls.context.client.create(NAMESPACES, object, settings);
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error;
      const present = await calls.find(ref);
      // An attempt of ours that seemed to fail, or the namespace of another creator, which we then share.
      if (present === undefined) throw error;
      return present;
    }
  });
}

async function carryOut(run: Run, step: Step, hold: Hold, home: Stored | undefined): Promise<void> {
  const { calls, identity, options } = run;
  if (isWrite(step)) await hold.check();
  switch (step.action) {
    case 'create': {
      const present = isHome(step.ref, identity) ? home : undefined;
      if (present !== undefined && !wasCreatedBy(present, identity)) {
        report(run, step.ref, 'shared');
        return;
      }
      await apply(run, step.ref, step.object, present);
      report(run, step.ref, 'created');
      return;
    }
    case 'apply':
    case 'adopt': {
      const applied = await apply(run, step.ref, step.object, step.live);
      const isSame = applied.metadata.resourceVersion === step.live.metadata.resourceVersion;
      const outcome = step.action === 'adopt' ? 'adopted' : 'applied';
      if (isSame) report(run, step.ref, 'unchanged');
      else report(run, step.ref, outcome, undefined, changedFields(step.live, applied));
      return;
    }
    case 'recreate':
      await deleteObject(calls, step.ref, step.live);
      await untilGone(calls, step.ref, step.live.metadata.uid, options.waitMs ?? DEFAULT_WAIT_MS);
      await hold.check();
      await apply(run, step.ref, step.object, undefined);
      report(run, step.ref, 'recreated');
      return;
    case 'prune':
      await deleteObject(calls, step.ref, step.live);
      report(run, step.ref, 'pruned');
      return;
    case 'unchanged':
    case 'share':
    case 'keep':
      report(run, step.ref, restingOutcome(step), whyOf(step));
  }
}

async function apply(run: Run, ref: ObjectRef, object: KubeObject, live: Stored | undefined): Promise<Stored> {
  const { calls, found, options } = run;
  if (live !== undefined) {
    const taken = await takeOverFields(calls, ref, live, found.isPredecessor);
    const tools = otherPredecessors(managedFieldsOf(live), found.isPredecessor);
    const isTold = tools.length > 0 && !isKind(ref, NAMESPACES);
    if (isTold && taken.metadata.resourceVersion !== live.metadata.resourceVersion)
      calls.tell({
        type: 'note',
        message: `${refText(ref)}: fields of ${tools.join(', ')} are now owned by ${COMPONENT_FIELD_MANAGERS.apply}; what the component does not have goes`,
      });
  }
  const isForced = options.force === true || found.reclaimed.has(refKey(ref));
  const applied = await applyObject(calls, ref, object, live, isForced);
  run.live.set(refKey(ref), applied);
  await untilEstablished(calls, ref, options.waitMs ?? DEFAULT_WAIT_MS);
  return applied;
}

function report(run: Run, object: ObjectRef, outcome: StepOutcome, why?: string, fields: readonly string[] = []): void {
  const step = { object, outcome, ...(why === undefined ? {} : { why }) };
  run.done.push(fields.length === 0 ? step : { ...step, fields });
  run.calls.tell({ type: 'step', ...step });
}

const isHome = (ref: ObjectRef, { namespace }: ComponentIdentity): boolean =>
  isKind(ref, NAMESPACES) && ref.name === namespace;

const restingOutcome = ({ action }: Step): StepOutcome =>
  action === 'share' ? 'shared' : action === 'keep' ? 'kept' : 'unchanged';

const whyOf = (step: Step): string | undefined => (step.action === 'keep' ? step.why : undefined);
