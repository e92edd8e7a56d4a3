/** Failures of the machinery itself. A code is never renamed: people search for it. (The API's errors are `StatusError`.) */
import { CodedError } from '../core/kube/coded-error.ts';

export const MACHINERY_ERROR_CODES = {
  EN_MACHINERY_KUBECONFIG: 'A kubeconfig could not be read, or lacks what it refers to',
  EN_MACHINERY_CREDENTIALS: 'Credentials could not be obtained (exec plugin, token file, auth provider)',
  EN_MACHINERY_NOT_IN_CLUSTER: 'In-cluster configuration was asked for outside a pod',
  EN_MACHINERY_WATCH_DECODE: 'A watch carried something that is not an event, or an event too large to hold',
  EN_MACHINERY_LEASE_TIMES: 'Leader election times do not fit together',
  EN_MACHINERY_NOT_LEADER: 'Something was to be written after the lead was lost to another process',
  EN_MACHINERY_ALREADY_STARTED: 'Something that runs once was started twice',
  EN_MACHINERY_UNKNOWN_INDEX: 'A cache was asked by an index that was never added',
  EN_MACHINERY_DUPLICATE_INDEX: 'Two different index functions were given the same name',
} as const;

export type MachineryErrorCode = keyof typeof MACHINERY_ERROR_CODES;

export class MachineryError extends CodedError<MachineryErrorCode> {
  override readonly name = 'MachineryError';
}
