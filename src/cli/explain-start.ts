/** Words for the most frequent failures of a cluster's start: the cause, and what to do about it. */
import { CliError } from './support/cli-error.ts';

export interface StartFacts {
  readonly port: number;
  readonly bind: string;
  readonly dataDir?: string;
  readonly audit?: { readonly path: string };
}

const DAMAGED = 'Or start with another --data-dir, or move this one away to begin anew';

export function explainStart(error: unknown, facts: StartFacts): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const message = error instanceof Error ? error.message : String(error);
  const { bind, port } = facts;
  const path = (error as NodeJS.ErrnoException | null)?.path;
  if (path !== undefined && path === facts.audit?.path)
    return new CliError(`cannot write --audit-log-path: ${message}`, 'Name a file in a folder that is there');
  switch (code ?? '') {
    case 'EADDRINUSE':
      return new CliError(
        `${bind}:${port} is taken by another process`,
        'Choose another with --port N; --port 0 takes any free one',
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new CliError(
        `${bind} is no address of this machine`,
        'Use --bind 127.0.0.1, or an address that `ip addr` lists',
      );
    case 'EACCES':
    case 'EPERM':
      if (!message.startsWith('listen')) return fileProblem(message, facts);
      return new CliError(`no permission to listen on ${bind}:${port}`, 'Choose a port of 1024 or above with --port');
    case 'ENOTDIR':
    case 'EEXIST':
    case 'EROFS':
    case 'ENOSPC':
    case 'EISDIR':
      return fileProblem(message, facts);
    case 'EN_STORE_LOCKED':
      return new CliError(message, 'One process at a time: another cluster needs its own --data-dir, or --ephemeral');
    case 'EN_STORE_DIRECTORY':
      return new CliError(message, 'Choose another with --data-dir DIR, or keep nothing with --ephemeral');
    case 'EN_STORE_CORRUPT':
    case 'EN_STORE_INCOMPLETE':
    case 'EN_STORE_SCHEMA':
      return new CliError(`${message} (${code})`, DAMAGED);
    default:
      return error;
  }
}

const fileProblem = (message: string, { dataDir }: StartFacts): CliError =>
  new CliError(
    dataDir === undefined ? message : `cannot use ${dataDir} as data directory: ${message}`,
    'Choose another with --data-dir DIR, or keep nothing with --ephemeral',
  );
