/** Events of note about a component: when a condition turns, or says something else. Pure but for the recorder. */
import { COMPONENT_CONDITIONS as TYPES, COMPONENT_EVENTS as REASONS } from '../../../core/api/names.ts';
import { findCondition } from '../../../core/kube/conditions.ts';
import type { EventNote } from '../../../machinery/events/event-recorder.ts';
import type { AppliedStep } from '../apply/apply.ts';
import { refText } from '../apply/object-ref.ts';
import type { ComponentObjectStatus } from './component-object.ts';

const WARNINGS: readonly (readonly [type: string, reason: string])[] = [
  [TYPES.invalid, REASONS.invalid],
  [TYPES.conflict, REASONS.conflict],
  [TYPES.degraded, REASONS.degraded],
];

/** What the new status says that the old one did not. */
export function eventsOf(
  before: ComponentObjectStatus | undefined,
  after: ComponentObjectStatus,
): readonly EventNote[] {
  const notes: EventNote[] = [];
  for (const [type, reason] of WARNINGS) {
    const now = findCondition(after.conditions, type);
    const then = findCondition(before?.conditions, type);
    if (now?.status !== 'True') continue;
    // Which nodes lag changes all the time; that some do, and why, does not.
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

/** What an apply or a deletion did, in one line; undefined where it did nothing. */
export function workNote(reason: string, steps: readonly AppliedStep[]): EventNote | undefined {
  const left = reason === REASONS.deleted ? steps.filter(({ outcome }) => outcome === 'kept') : [];
  const done = [...left, ...steps.filter(({ outcome }) => !RESTING.has(outcome))].map(
    ({ object, outcome, why, fields }) =>
      `${outcome} ${refText(object)}${why === undefined ? '' : `: ${why}`}${fieldsText(fields)}`,
  );
  if (done.length === 0) return undefined;
  const more = done.length > MOST ? ` and ${done.length - MOST} more` : '';
  return { type: 'Normal', reason, note: `${done.slice(0, MOST).join(', ')}${more}` };
}

const MOST_FIELDS = 5;

/** What had to change: of what somebody changed by hand, the fields that they changed. */
function fieldsText(fields: readonly string[] = []): string {
  if (fields.length === 0) return '';
  const more = fields.length > MOST_FIELDS ? ` and ${fields.length - MOST_FIELDS} more` : '';
  return ` (${fields.slice(0, MOST_FIELDS).join(', ')}${more})`;
}

/** What an apply leaves alone it leaves alone every time; what stays behind for good is worth a word. */
const RESTING: ReadonlySet<string> = new Set(['unchanged', 'shared', 'kept', 'gone']);
