/** Every code of this room's errors and what it means. A code is never renamed. */
export const DAEMONSET_ERROR_CODES = {
  EN_DAEMONSET_OTHER_CONTROLLER:
    'Another DaemonSet controller is at work in this cluster; two would fight over every pod',
} as const;

/** Errors of this room; codes are never renamed. */
export class DaemonSetError extends Error {
  override readonly name = 'DaemonSetError';
  readonly code: 'EN_DAEMONSET_OTHER_CONTROLLER';

  constructor(code: DaemonSetError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
