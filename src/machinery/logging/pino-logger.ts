import type { DestinationStream } from 'pino';
import { StatusError } from '../../core/kube/status-error.ts';
import { loggerFrom, type LogFields, type Logger, type LogLevel } from './logger.ts';

export interface PinoLoggerOptions {
  readonly level?: LogLevel;
  /** Where lines go; stderr when absent, since stdout belongs to data. */
  readonly destination?: DestinationStream;
}

/** JSON lines through pino, which is loaded only when a log is wanted. */
export async function createPinoLogger(options: PinoLoggerOptions = {}): Promise<Logger> {
  const { pino, stdSerializers, stdTimeFunctions, destination } = await import('pino');
  const sink = pino(
    {
      level: options.level ?? 'info',
      base: null,
      messageKey: 'msg',
      errorKey: 'error',
      serializers: {
        error: (error: unknown) =>
          error instanceof StatusError ? statusFields(error) : stdSerializers.err(error as Error),
      },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? destination(2),
  );
  return loggerFrom((level, message, fields) => sink[level](printable(fields), message));
}

/** An API server's answer is no fault of the code that received it: the stack is of no interest. */
const statusFields = ({ status: { code, reason, message } }: StatusError): object => ({ code, reason, message });

/** JSON has no place for big integers, and a log line must never throw. */
function printable(fields: LogFields): LogFields {
  for (const value of Object.values(fields)) {
    if (typeof value !== 'bigint') continue;
    return Object.fromEntries(
      Object.entries(fields).map(([key, each]) => [key, typeof each === 'bigint' ? String(each) : each]),
    );
  }
  return fields;
}
