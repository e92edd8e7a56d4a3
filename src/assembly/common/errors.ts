/** Every code of this room's errors and what it means. A code is never renamed. */
import { CodedError } from '../../core/kube/coded-error.ts';

export const ASSEMBLY_ERROR_CODES = {
  EN_ASSEMBLY_KEYS: 'The keys in the data directory cannot be read or do not belong together',
  EN_ASSEMBLY_UNSIGNED: 'A certificate was asked for and approved, but refused by its signer or signed by nobody',
  EN_ASSEMBLY_NOTHING_RUNS:
    'No controller of the operator runs: others act on the cluster in the place of all that were asked for, or nothing proves that they do not',
  EN_ASSEMBLY_UNREACHABLE:
    'The API server that the operator was sent to could not be reached, or does not know who asks',
  EN_ASSEMBLY_UNKNOWN_CONTROLLER: 'The list of controllers names one that there is not',
} as const;

export type AssemblyErrorCode = keyof typeof ASSEMBLY_ERROR_CODES;

export class AssemblyError extends CodedError<AssemblyErrorCode> {
  override readonly name = 'AssemblyError';
}
