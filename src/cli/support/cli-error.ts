/** A problem the person at the terminal can mend: the cause, and what to do about it. */
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

/** The message of an error, with the code that people can search for. */
export function textWithCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && code.startsWith('EN_') ? `${error.message} (${code})` : error.message;
}
