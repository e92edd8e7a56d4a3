/** Log lines for people: time, level, message, then fields as key=value. */
import type { Clock } from '../machinery/time/clock.ts';
import { loggerFrom, type LogFields, type Logger, type LogLevel } from '../machinery/logging/logger.ts';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export function createTextLogger(clock: Pick<Clock, 'now'>, least: LogLevel, write: (line: string) => void): Logger {
  const from = LEVELS.indexOf(least);
  return loggerFrom((level, message, fields) => {
    if (LEVELS.indexOf(level) < from) return;
    const time = new Date(clock.now()).toISOString();
    write(`${time} ${level.toUpperCase().padEnd(5)} ${message}${textOf(fields)}\n`);
  });
}

function textOf(fields: LogFields): string {
  let text = '';
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) text += ` ${name}=${valueOf(value)}`;
  return text;
}

/** Any value in one line; a log line must never throw. */
function valueOf(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  if (typeof value === 'string') return /^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
