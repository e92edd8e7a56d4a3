/** The state of a component in one word, for scripts that wait for it or stop at it. Pure. */
import type { LagCode } from '../rollout/lag.ts';
import type { ComponentStatus } from './status.ts';

export type Verdict =
  /** Everything is there and on every node that should have it. */
  | 'rolled-out'
  /** An apply, a deletion or a rollout is under way, or a user holds it (paused, canary): time or approval ends it. */
  | 'progressing'
  /** The rollout does not complete by itself: objects are missing or another's, or nodes cannot run the pods. */
  | 'failed'
  | 'absent';

/** Reasons that a user must do something about. A node that is not ready may come back. */
const STUCK: ReadonlySet<LagCode> = new Set([
  'create-failed',
  'unschedulable',
  'image',
  'crash-loop',
  'config',
  'failed',
  'stopped',
]);

export function verdictOf({ phase, isHealthy, objects, rollouts }: ComponentStatus): Verdict {
  if (phase === 'absent') return 'absent';
  if (isHealthy) return 'rolled-out';
  if (phase !== 'settled') return 'progressing';
  const isBroken = objects.some(({ state }) => state === 'missing' || state === 'not-ours');
  const isStuck = rollouts.some(({ reasons }) => reasons.some(({ code }) => STUCK.has(code)));
  return isBroken || isStuck ? 'failed' : 'progressing';
}

/** From the least to the most grave; of several components the gravest counts. */
export const VERDICTS = ['rolled-out', 'progressing', 'failed', 'absent'] as const satisfies readonly Verdict[];
