/** Progress of an apply or a deletion. No report holds the value of a secret. */
import type { ObjectRef } from './object-ref.ts';
import type { RolloutSnapshot } from '../rollout/snapshot.ts';

export type StepOutcome =
  | 'created'
  | 'applied'
  | 'adopted'
  | 'unchanged'
  | 'recreated'
  /** A namespace of another creator: used, not changed. */
  | 'shared'
  | 'pruned'
  | 'deleted'
  /** No longer this component's, but left where it is. */
  | 'kept'
  | 'gone';

export type Progress =
  | { readonly type: 'planned'; readonly steps: number; readonly writes: number }
  | { readonly type: 'step'; readonly object: ObjectRef; readonly outcome: StepOutcome; readonly why?: string }
  /** `what`: to go, to be served. */
  | { readonly type: 'waiting'; readonly object: ObjectRef; readonly what: string }
  | { readonly type: 'retry'; readonly what: string; readonly delayMs: number; readonly reason: string }
  /** Something a person should know, though nothing failed. */
  | { readonly type: 'note'; readonly message: string }
  | { readonly type: 'rollout'; readonly snapshot: RolloutSnapshot };
