/** Emits events about annotations that cannot be read, or are unknown: once, and again when that has changed. */
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { PodEvents } from './pod-events.ts';
import { rolloutOptions } from './rollout-options.ts';

/** The notes of the events emitted so far. */
export interface ToldAnnotations {
  readonly problems: string;
  readonly unknown: string;
}

export const NOTHING_TOLD: ToldAnnotations = Object.freeze({ problems: '', unknown: '' });

/** Returns the notes emitted so far. `isUnderWay`: there are pods that the rollout would replace. */
export function tellAnnotations(
  set: DaemonSet,
  isUnderWay: boolean,
  told: ToldAnnotations,
  events: Pick<PodEvents, 'note'>,
): ToldAnnotations {
  const options = rolloutOptions(set);
  if (options.problems.length === 0 && options.unknown.length === 0) return NOTHING_TOLD;
  const what = isUnderWay ? 'The rollout waits' : 'An annotation cannot be read, the next rollout will wait';
  const problems = options.problems.length === 0 ? '' : `${what}: ${options.problems.join('; ')}`;
  if (problems !== '' && problems !== told.problems) events.note(set, 'Warning', 'InvalidRolloutAnnotation', problems);
  const unknown = options.unknown.join(' ');
  if (unknown !== '' && unknown !== told.unknown) events.note(set, 'Warning', 'UnknownRolloutAnnotation', unknown);
  return { problems, unknown };
}
