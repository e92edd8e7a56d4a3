/** Errors of this room; codes are never renamed. */
export class DaemonSetError extends Error {
  override readonly name = 'DaemonSetError';
  readonly code: 'EN_DAEMONSET_OTHER_CONTROLLER';

  constructor(code: DaemonSetError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
