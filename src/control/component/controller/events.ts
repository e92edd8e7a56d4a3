/** Events of a component: one for each condition that turns or gives another reason, one for the steps of an apply or a deletion. */
import { COMPONENT_CONDITIONS as TYPES, COMPONENT_EVENTS as REASONS } from '../../../core/api/names.ts';
import { findCondition } from '../../../core/kube/conditions.ts';
import type { EventNote, EventRecorder } from '../../../machinery/events/event-recorder.ts';
import type { AppliedStep } from '../apply/apply.ts';
import { refText } from '../apply/object-ref.ts';
import type { ComponentObject, ComponentObjectStatus } from './component-object.ts';

const WARNINGS: readonly (readonly [type: string, reason: string])[] = [
  [TYPES.invalid, REASONS.invalid],
  [TYPES.conflict, REASONS.conflict],
  [TYPES.degraded, REASONS.degraded],
];

/** Events for the conditions that are in the new status and were not in the old one. */
export function conditionEvents(
  before: ComponentObjectStatus | undefined,
  after: ComponentObjectStatus,
): readonly EventNote[] {
  const notes: EventNote[] = [];
  for (const [type, reason] of WARNINGS) {
    const now = findCondition(after.conditions, type);
    const then = findCondition(before?.conditions, type);
    if (now?.status !== 'True') continue;
    // The message of Degraded names the lagging nodes and changes all the time; its reason does not.
    const isNews =
      then?.status !== 'True' ||
      then.reason !== now.reason ||
      (type !== TYPES.degraded && then.message !== now.message);
    if (isNews)
      notes.push({ type: 'Warning', reason: after.phase === 'Failed' ? REASONS.failed : reason, note: now.message });
  }
  const turned = (type: string): string | undefined => {
    const now = findCondition(after.conditions, type);
    return now?.status === 'True' && findCondition(before?.conditions, type)?.status !== 'True'
      ? now.message
      : undefined;
  };
  const ready = turned(TYPES.ready);
  if (ready !== undefined) notes.push({ type: 'Normal', reason: REASONS.ready, note: ready });
  const paused = turned(TYPES.paused);
  if (paused !== undefined) notes.push({ type: 'Normal', reason: REASONS.paused, note: paused });
  if (after.undone !== undefined && after.undone.at !== before?.undone?.at)
    notes.push({
      type: 'Normal',
      reason: REASONS.undone,
      note: findCondition(after.conditions, TYPES.progressing)?.message ?? '',
    });
  return notes;
}

const MOST = 8;

/** Emits nothing where no step changed anything. */
export function emitSteps(
  recorder: EventRecorder,
  object: ComponentObject,
  reason: string,
  steps: readonly AppliedStep[],
): void {
  const event = stepsEvent(reason, steps);
  if (event !== undefined) recorder.event(object, event);
}

/** The steps of an apply or a deletion in one line; undefined where none changed anything. */
function stepsEvent(reason: string, steps: readonly AppliedStep[]): EventNote | undefined {
  const kept = reason === REASONS.deleted ? steps.filter(({ outcome }) => outcome === 'kept') : [];
  const done = [...kept, ...steps.filter(({ outcome }) => !UNWRITTEN.has(outcome))].map(
    ({ object, outcome, why, fields }) =>
      `${outcome} ${refText(object)}${why === undefined ? '' : `: ${why}`}${fieldsText(fields)}`,
  );
  if (done.length === 0) return undefined;
  const more = done.length > MOST ? ` and ${done.length - MOST} more` : '';
  return { type: 'Normal', reason, note: `${done.slice(0, MOST).join(', ')}${more}` };
}

const MOST_FIELDS = 5;

/** The fields that an apply had to correct. */
function fieldsText(fields: readonly string[] = []): string {
  if (fields.length === 0) return '';
  const more = fields.length > MOST_FIELDS ? ` and ${fields.length - MOST_FIELDS} more` : '';
  return ` (${fields.slice(0, MOST_FIELDS).join(', ')}${more})`;
}

/** Outcomes of steps that wrote nothing: every apply repeats them. A deletion still reports the objects that it keeps. */
const UNWRITTEN: ReadonlySet<string> = new Set(['unchanged', 'shared', 'kept', 'gone']);
