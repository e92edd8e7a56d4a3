/** The status of a custom resource. Pure. Fields that an unreadable spec leaves unknown keep their former values. */
import { COMPONENT_ANNOTATIONS, COMPONENT_CONDITIONS as TYPES } from '../../../core/api/names.ts';
import type { Component } from '../../../core/api/component/types.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import { setCondition, withoutCondition } from '../../../core/kube/conditions.ts';
import { rolloutState } from '../rollout/snapshot.ts';
import type { RolloutSnapshot } from '../rollout/snapshot.ts';
import type { LagCode } from '../rollout/lag.ts';
import { componentOutputs } from '../../../core/component/render/outputs.ts';
import type { Problem } from '../../../core/component/problem.ts';
import type { ComponentCondition, ComponentObjectStatus } from './component-object.ts';
import type { Outcome } from './outcome.ts';

export interface StatusFacts {
  readonly generation: number;
  readonly now: string;
  readonly outcome: Outcome;
  readonly before: ComponentObjectStatus | undefined;
  /** Absent where the spec could not be read. */
  readonly component?: Component;
  readonly set?: DaemonSet;
  /** Absent where the rollout is complete. */
  readonly snapshot?: RolloutSnapshot;
  /** `namespace/name` of the inventory; absent where there is none. */
  readonly inventory?: string;
}

export function statusOf(facts: StatusFacts): ComponentObjectStatus {
  const { generation, outcome, before, component, set, now } = facts;
  const { inventory: _inventory, undone, conditions, outputs, ...rest } = before ?? {};
  const inventory = facts.inventory ?? before?.inventory;
  const counted = set === undefined ? withoutCounts(rest) : { ...rest, ...countsOf(set) };
  const judged = judgement(facts);
  const known = component === undefined ? outputs : componentOutputs(component, 'safe', set);
  const noted =
    outcome.is === 'undone'
      ? {
          revision: outcome.revision,
          at: outcome.at,
          generation: undone?.at === outcome.at ? undone.generation : generation,
        }
      : // Only a completed apply ends an undo.
        outcome.is === 'applied' || outcome.is === 'deleting'
        ? undefined
        : undone;
  return {
    ...counted,
    observedGeneration: generation,
    phase: phaseOf(facts, judged),
    ...(known === undefined ? {} : { outputs: known }),
    ...(inventory === undefined ? {} : { inventory }),
    ...(noted === undefined ? {} : { undone: noted }),
    conditions: withConditions(conditions, judged, outcome.is === 'paused', generation, now),
  };
}

const COUNTS = [
  'desiredNumberScheduled',
  'currentNumberScheduled',
  'updatedNumberScheduled',
  'numberReady',
  'numberAvailable',
  'numberUnavailable',
] as const;

const countsOf = ({ status }: DaemonSet): ComponentObjectStatus =>
  Object.fromEntries(COUNTS.map((name) => [name, status?.[name] ?? 0]));

const withoutCounts = (status: ComponentObjectStatus): ComponentObjectStatus =>
  Object.fromEntries(Object.entries(status).filter(([name]) => !COUNTS.some((each) => each === name)));

interface Words {
  readonly holds: boolean;
  readonly reason: string;
  readonly message: string;
}

interface Judgement {
  readonly ready: Words;
  readonly progressing: Words;
  readonly available: Words;
  readonly degraded: Words;
  readonly invalid: Words;
  readonly conflict: Words;
}

const words = (holds: boolean, reason: string, message: string): Words => ({ holds, reason, message });

function judgement(facts: StatusFacts): Judgement {
  const { outcome, set } = facts;
  const available = availability(set);
  const degraded = degradation(facts);
  const invalid =
    outcome.is === 'invalid'
      ? words(true, 'Invalid', shortened(outcome.problems.map(problemLine).join('\n')))
      : words(false, 'Valid', 'the spec can be read');
  const conflict =
    outcome.is === 'conflict'
      ? words(true, outcome.reason, shortened(outcome.message))
      : words(false, 'NoConflict', 'no other owner has objects or fields of this component');
  const progressing = progress(facts);
  return { ready: readiness(facts, progressing, degraded), progressing, available, degraded, invalid, conflict };
}

function availability(set: DaemonSet | undefined): Words {
  if (set === undefined) return words(false, 'NotApplied', 'there is no DaemonSet yet');
  const { desiredNumberScheduled: desired = 0, numberAvailable: available = 0 } = set.status ?? {};
  const message = `${available} of ${desired} nodes have an available pod`;
  return available >= desired && isCounted(set)
    ? words(true, 'EveryNode', message)
    : words(false, 'NodesLack', message);
}

/** The DaemonSet controller has counted the pods at least once. */
const isCounted = ({ status }: DaemonSet): boolean => (status?.observedGeneration ?? 0) > 0;

/** Lag reasons that do not pass with time alone. */
const TROUBLES: ReadonlySet<LagCode> = new Set<LagCode>([
  'create-failed',
  'unschedulable',
  'node-not-ready',
  'image',
  'crash-loop',
  'config',
  'failed',
  'stopped',
]);
const MOST_NODES = 5;

function degradation({ outcome, snapshot }: StatusFacts): Words {
  if (outcome.is === 'failed') return words(true, outcome.reason, shortened(outcome.message));
  const troubles = (snapshot?.reasons ?? []).filter(({ code }) => TROUBLES.has(code));
  const [worst] = troubles;
  if (snapshot === undefined || worst === undefined)
    return words(false, 'NoTrouble', 'no node and no apply reports a problem');
  const lines = troubles.map(({ code, count, message }) => {
    const names = snapshot.lagging.filter((each) => each.code === code).map(({ node }) => node);
    const more = count > MOST_NODES ? ` and ${count - MOST_NODES} more` : '';
    return `${names.slice(0, MOST_NODES).join(', ')}${more}: ${message}`;
  });
  return words(true, reasonOf(worst.code), shortened(lines.join('\n')));
}

/** `crash-loop` → `CrashLoop`, as reasons are written. */
const reasonOf = (code: string): string =>
  code
    .split('-')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');

function progress({ outcome, set }: StatusFacts): Words {
  switch (outcome.is) {
    case 'invalid':
      return words(false, 'Invalid', 'the spec has mistakes; the objects applied before stay as they are');
    case 'conflict':
      return words(false, 'Conflict', 'other owners have objects or fields that the spec would change');
    case 'failed':
      return words(false, outcome.reason, 'the last apply failed; everynode retries with growing delays');
    case 'paused':
      return words(false, 'Paused', PAUSED);
    case 'waiting':
      return words(true, outcome.reason, shortened(outcome.message));
    case 'deleting':
      return words(true, 'Deleting', outcome.message);
    case 'undone':
      return words(
        false,
        'Undone',
        `an undo went back to revision ${outcome.revision} at ${outcome.at}; that revision stays until the spec changes`,
      );
    case 'applied': {
      if (set === undefined) return words(true, 'Applied', 'the DaemonSet was applied and is not cached yet');
      const { state, message } = rolloutState(set);
      return words(state !== 'complete' && state !== 'on-delete', isDone(state) ? 'Complete' : 'RollingOut', message);
    }
  }
}

const isDone = (state: ReturnType<typeof rolloutState>['state']): boolean =>
  state === 'complete' || state === 'on-delete';

const PAUSED = `everynode changes nothing while the component is annotated ${COMPONENT_ANNOTATIONS.paused}: "true"`;

function readiness({ outcome, set }: StatusFacts, progressing: Words, degraded: Words): Words {
  if (outcome.is === 'applied' && set !== undefined && isCounted(set) && isDone(rolloutState(set).state))
    return words(true, 'RolledOut', progressing.message);
  const { reason, message } = degraded.holds ? degraded : progressing;
  return words(false, reason, message);
}

function phaseOf({ outcome }: StatusFacts, { ready, degraded }: Judgement): string {
  if (outcome.is !== 'applied') return outcome.is.slice(0, 1).toUpperCase() + outcome.is.slice(1);
  if (ready.holds) return 'Ready';
  return degraded.holds ? 'Degraded' : 'Progressing';
}

function withConditions(
  before: readonly ComponentCondition[] | undefined,
  judged: Judgement,
  isPaused: boolean,
  observedGeneration: number,
  now: string,
): readonly ComponentCondition[] {
  let list = before ?? [];
  const set = (type: string, { holds, reason, message }: Words): void => {
    const condition = { type, status: holds ? 'True' : 'False', reason, message, observedGeneration };
    list = setCondition<ComponentCondition>(list, condition, now);
  };
  set(TYPES.ready, judged.ready);
  set(TYPES.progressing, judged.progressing);
  set(TYPES.available, judged.available);
  set(TYPES.degraded, judged.degraded);
  set(TYPES.invalid, judged.invalid);
  set(TYPES.conflict, judged.conflict);
  if (isPaused) set(TYPES.paused, words(true, 'Annotated', PAUSED));
  else list = withoutCondition(list, TYPES.paused);
  return list;
}

/** Safe to publish: no problem quotes the value of a secret. */
export function problemLine({ path, message, suggestion, code }: Problem): string {
  const hint = suggestion === undefined ? '' : ` (${suggestion})`;
  return `${path === '' ? '' : `${path}: `}${message}${hint} [${code}]`;
}

/** API servers take messages of 32768 characters; people do not read that much. */
const LONGEST = 8_000;
const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
