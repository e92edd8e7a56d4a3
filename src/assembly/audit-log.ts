/** The audit log as a file: lines are handed over at once and written in order; a full disk does not stop the server. */
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createAudit, type Audit } from '../apiserver/audit/audit.ts';
import { METADATA_OF_EVERYTHING, type AuditPolicy } from '../apiserver/audit/policy.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { realRandom } from '../machinery/random/real-random.ts';

export interface AuditLogOptions {
  /** `-` for stdout. */
  readonly path: string;
  readonly policy?: AuditPolicy;
}

/** Rejects when the file cannot be opened: a server with an audit log must not run without it. */
export async function openAuditLog(
  { path, policy = METADATA_OF_EVERYTHING }: AuditLogOptions,
  undo: (() => Promise<void> | void)[],
): Promise<Audit> {
  const make = (write: (line: string) => void): Audit =>
    createAudit({ policy, clock: realClock, random: realRandom, write });
  if (path === '-') return make((line) => void process.stdout.write(`${line}\n`));
  // Readable by its owner alone: an audit log is confidential.
  await (await open(path, 'a', 0o600)).close();
  const file = createWriteStream(path, { flags: 'a', mode: 0o600 });
  let broken: Error | undefined;
  file.on('error', (error) => {
    // Reported once; the error would repeat with every line.
    if (broken === undefined) process.stderr.write(`the audit log cannot be written: ${error.message}\n`);
    broken = error;
  });
  undo.push(() => new Promise<void>((resolve) => void file.end(() => resolve())));
  return make((line) => void (broken === undefined && file.write(`${line}\n`)));
}
