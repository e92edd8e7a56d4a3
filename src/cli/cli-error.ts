/** A problem the person at the terminal can mend: what is wrong, and what to do about it. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly fix: string | undefined;
  readonly exitCode: number;

  constructor(message: string, fix?: string, exitCode = 1) {
    super(message);
    this.fix = fix;
    this.exitCode = exitCode;
  }
}
