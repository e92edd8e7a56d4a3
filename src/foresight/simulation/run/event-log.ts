/**
 * Everything that happened, one line each, in order. The digest of it all tells whether two runs were the same; the
 * lines are kept so that a failure can be read.
 */
import { createHash } from 'node:crypto';

export interface EventLog {
  add(atMs: number, text: string): void;
  readonly lines: readonly string[];
  digest(): string;
}

const clockText = (ms: number): string => {
  const whole = Math.floor(ms);
  const minutes = Math.floor(whole / 60_000);
  const seconds = (whole % 60_000) / 1000;
  return `${String(minutes).padStart(3, '0')}:${seconds.toFixed(3).padStart(6, '0')}`;
};

export function createEventLog(): EventLog {
  const lines: string[] = [];
  return {
    lines,
    add: (atMs, text) => void lines.push(`${clockText(atMs)} ${text}`),
    digest: () => createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16),
  };
}
