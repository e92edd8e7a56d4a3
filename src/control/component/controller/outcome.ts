/** What an apply that did not go through means for a component: pure. */
import { ComponentApplyError, type ComponentApplyErrorCode } from '../apply/errors.ts';
import type { Undone } from '../apply/inventory.ts';
import type { Outcome } from './status.ts';

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
  // Troubles that pass: nobody needs to read of them.
  EN_COMPONENT_APPLY_UNREACHABLE: ['again', ''],
  EN_COMPONENT_APPLY_SUPERSEDED: ['again', ''],
  EN_COMPONENT_APPLY_TIMEOUT: ['again', ''],
  EN_COMPONENT_APPLY_NOT_FOUND: ['again', ''],
  EN_COMPONENT_APPLY_UNDONE: ['again', ''],
};

/** Undefined: it is worth trying again soon, and not worth a word. */
export function outcomeOf(error: unknown, undone?: Undone): Outcome | undefined {
  if (!(error instanceof ComponentApplyError)) return undefined;
  if (error.code === 'EN_COMPONENT_APPLY_UNDONE' && undone !== undefined) return { is: 'undone', ...undone };
  // Of several problems the gravest counts for the condition; all are told.
  const sorts = error.problems.map(({ code }) => SORTS[code]);
  const [is, reason] =
    sorts.find(([sort]) => sort === 'conflict') ?? sorts.find(([sort]) => sort === 'failed') ?? SORTS[error.code];
  return is === 'again' ? undefined : { is, reason, message: error.message };
}

/** Two began at the same time, and the other one was faster. */
export const wasSuperseded = (error: unknown): boolean =>
  error instanceof ComponentApplyError && error.code === 'EN_COMPONENT_APPLY_SUPERSEDED';
