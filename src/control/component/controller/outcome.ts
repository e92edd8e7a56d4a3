/** The outcome of a reconcile, and which outcome an error of an apply or a deletion is. Pure. */
import type { Problem } from '../../../core/component/problem.ts';
import { ComponentApplyError, type ComponentApplyErrorCode } from '../apply/errors.ts';
import type { Undone } from '../apply/inventory.ts';

/** The result of a reconcile, from which the status is written. */
export type Outcome =
  /** The API server holds every object as desired; pods may still be rolling out. */
  | { readonly is: 'applied' }
  | { readonly is: 'invalid'; readonly problems: readonly Problem[] }
  /** A dependency or a namespace is not there yet; `reason` says which. */
  | { readonly is: 'waiting'; readonly reason: string; readonly message: string }
  | { readonly is: 'conflict'; readonly reason: string; readonly message: string }
  | { readonly is: 'failed'; readonly reason: string; readonly message: string }
  | { readonly is: 'paused' }
  | { readonly is: 'undone'; readonly revision: number; readonly at: string }
  | { readonly is: 'deleting'; readonly message: string };

type Sort = Exclude<Outcome['is'], 'applied' | 'invalid' | 'paused' | 'deleting' | 'undone'> | 'again';

const SORTS: { readonly [code in ComponentApplyErrorCode]: readonly [sort: Sort, reason: string] } = {
  EN_COMPONENT_APPLY_CONFLICT: ['conflict', 'FieldOwnedByOthers'],
  EN_COMPONENT_APPLY_NOT_OURS: ['conflict', 'ObjectOwnedByOthers'],
  EN_COMPONENT_APPLY_OTHER_OWNER: ['conflict', 'ComponentOwnedByOthers'],
  EN_COMPONENT_APPLY_IMMUTABLE: ['failed', 'Immutable'],
  EN_COMPONENT_APPLY_FORBIDDEN: ['failed', 'Forbidden'],
  EN_COMPONENT_APPLY_INVALID: ['failed', 'RefusedAsInvalid'],
  EN_COMPONENT_APPLY_REFUSED: ['failed', 'Refused'],
  EN_COMPONENT_APPLY_INVENTORY: ['failed', 'InventoryUnreadable'],
  EN_COMPONENT_APPLY_UNKNOWN_KIND: ['failed', 'UnknownKind'],
  EN_COMPONENT_APPLY_DUPLICATE: ['failed', 'Duplicate'],
  EN_COMPONENT_APPLY_NAMESPACE_ENDS: ['waiting', 'NamespaceTerminating'],
  EN_COMPONENT_APPLY_NO_NAMESPACE: ['waiting', 'NamespaceMissing'],
  // Errors that pass by themselves: no condition reports them.
  EN_COMPONENT_APPLY_UNREACHABLE: ['again', ''],
  EN_COMPONENT_APPLY_SUPERSEDED: ['again', ''],
  EN_COMPONENT_APPLY_TIMEOUT: ['again', ''],
  EN_COMPONENT_APPLY_NOT_FOUND: ['again', ''],
  EN_COMPONENT_APPLY_UNDONE: ['again', ''],
};

/** Undefined for errors that the queue retries soon and no condition reports. */
export function outcomeOf(error: unknown, undone?: Undone): Outcome | undefined {
  if (!(error instanceof ComponentApplyError)) return undefined;
  if (error.code === 'EN_COMPONENT_APPLY_UNDONE' && undone !== undefined) return { is: 'undone', ...undone };
  // The gravest of several problems gives the condition its reason; the message lists all.
  const sorts = error.problems.map(({ code }) => SORTS[code]);
  const [is, reason] =
    sorts.find(([sort]) => sort === 'conflict') ?? sorts.find(([sort]) => sort === 'failed') ?? SORTS[error.code];
  return is === 'again' ? undefined : { is, reason, message: error.message };
}

/** Another client began to apply or delete the component at the same time, and was faster. */
export const wasSuperseded = (error: unknown): boolean =>
  error instanceof ComponentApplyError && error.code === 'EN_COMPONENT_APPLY_SUPERSEDED';
