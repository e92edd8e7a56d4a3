/**
 * The log port. A message is constant text; varying parts go into the fields, under names every controller shares:
 * `controller`, `namespace`, `name`, `reconcileID`, `error`. So logs can be counted and searched, not only read.
 */
export interface LogFields {
  readonly controller?: string;
  readonly tenant?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly reconcileID?: string;
  readonly error?: unknown;
  readonly [field: string]: unknown;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  with(fields: LogFields): Logger;
}

/** A logger from one function; the others (pino, silent, remembering) are made of it. */
export function loggerFrom(
  write: (level: LogLevel, message: string, fields: LogFields) => void,
  bound: LogFields = {},
): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void =>
      write(level, message, fields === undefined ? bound : { ...bound, ...fields });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => loggerFrom(write, { ...bound, ...fields }),
  };
}

export const silentLogger: Logger = loggerFrom(() => undefined);

/** Keeps the lines that were logged, for tests. */
export function rememberingLogger(): { readonly logger: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  return { logger: loggerFrom((level, message, fields) => void lines.push({ level, message, fields })), lines };
}

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}
