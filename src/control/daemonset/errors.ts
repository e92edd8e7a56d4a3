/** Every code of this room's errors and what it means. A code is never renamed. */
import { CodedError } from '../../core/kube/coded-error.ts';

export const DAEMONSET_ERROR_CODES = {
  EN_DAEMONSET_OTHER_CONTROLLER:
    'Another DaemonSet controller is at work in this cluster; two would fight over every pod',
} as const;

type DaemonSetErrorCode = keyof typeof DAEMONSET_ERROR_CODES;

export class DaemonSetError extends CodedError<DaemonSetErrorCode> {
  override readonly name = 'DaemonSetError';
}
