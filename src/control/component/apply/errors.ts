/** Every code of an apply's failures and what it means. A code is never renamed. */
import { CodedError } from '../../../core/kube/coded-error.ts';
import type { ObjectRef } from './object-ref.ts';

export const COMPONENT_APPLY_ERROR_CODES = {
  EN_COMPONENT_APPLY_CONFLICT: 'Others own fields that the component would change; they are named, nothing was written',
  EN_COMPONENT_APPLY_NOT_OURS:
    "An object of that name is there already and is not the component's own; adopt it or rename yours",
  EN_COMPONENT_APPLY_IMMUTABLE: 'A field would change that cannot be changed; the object must be recreated',
  EN_COMPONENT_APPLY_FORBIDDEN: 'The API server refuses the request; verb and resource are named',
  EN_COMPONENT_APPLY_INVALID: 'The API server finds an object invalid',
  EN_COMPONENT_APPLY_REFUSED: 'The API server refused a request for a reason of its own (quota, policy, webhook)',
  EN_COMPONENT_APPLY_UNREACHABLE: 'The API server did not answer, or said that it could not, for too long',
  EN_COMPONENT_APPLY_SUPERSEDED: 'Somebody else began to apply or delete the same component meanwhile',
  EN_COMPONENT_APPLY_OTHER_OWNER:
    'The component is reconciled from a custom resource, from another one, or was applied by hand',
  EN_COMPONENT_APPLY_UNDONE: 'Somebody went back to an earlier template, which stays until the spec changes',
  EN_COMPONENT_APPLY_NAMESPACE_ENDS: 'The namespace is being deleted; nothing can be made in it',
  EN_COMPONENT_APPLY_NO_NAMESPACE: 'The namespace does not exist, and the component does not make it',
  EN_COMPONENT_APPLY_INVENTORY: 'The inventory of the component cannot be read; nothing is removed by guess',
  EN_COMPONENT_APPLY_UNKNOWN_KIND: 'An object is of a kind that is neither built in nor defined by the component',
  EN_COMPONENT_APPLY_DUPLICATE: 'Two objects of the component have one name',
  EN_COMPONENT_APPLY_TIMEOUT: 'Something that was waited for did not come about in time',
  EN_COMPONENT_APPLY_NOT_FOUND: 'There is no such component, DaemonSet or revision',
} as const;

export type ComponentApplyErrorCode = keyof typeof COMPONENT_APPLY_ERROR_CODES;

/** One problem for which an apply does not begin or fails. No text in it holds the value of a secret. */
export interface ApplyProblem {
  readonly code: ComponentApplyErrorCode;
  readonly object?: ObjectRef;
  readonly message: string;
  /** The way out, for people. */
  readonly fix?: string;
  /** The adoption that would have its way. */
  readonly adopt?: 'unowned' | 'any';
  readonly conflicts?: readonly FieldConflict[];
  /** The verb and resource that were refused. */
  readonly verb?: string;
  readonly resource?: string;
}

export interface FieldConflict {
  readonly object: ObjectRef;
  /** `.spec.template.spec.containers[name="main"].image` */
  readonly field: string;
  /** Field manager that owns the field. */
  readonly manager: string;
  /** The owner in the server's words: `"kubectl-edit" using apps/v1`. */
  readonly owner: string;
}

export class ComponentApplyError extends CodedError<ComponentApplyErrorCode> {
  override readonly name = 'ComponentApplyError';
  readonly problems: readonly ApplyProblem[];

  constructor(code: ComponentApplyErrorCode, message: string, problems?: readonly ApplyProblem[]) {
    super(code, message);
    this.problems = problems ?? [{ code, message }];
  }

  static of(problems: readonly ApplyProblem[]): ComponentApplyError {
    const code = problems[0]?.code ?? 'EN_COMPONENT_APPLY_REFUSED';
    return new ComponentApplyError(code, problems.map(problemLine).join('\n'), problems);
  }
}

const problemLine = ({ message, fix }: ApplyProblem): string => (fix === undefined ? message : `${message} (${fix})`);

export const isApplyError = (error: unknown, code: ComponentApplyErrorCode): error is ComponentApplyError =>
  error instanceof ComponentApplyError && error.code === code;
