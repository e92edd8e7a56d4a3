/** `everynode backup` and `everynode restore`: a cluster in one file, and back. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  createBackup,
  restoreBackup,
  verifyBackup,
  type Backup,
} from '../apiserver/store/engines/log/backup/backup.ts';
import { StoreError } from '../apiserver/store/errors.ts';
import { VERSION } from '../core/api/version.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { CliError, textWithCode } from './support/cli-error.ts';
import { defaultDataDir } from './support/home.ts';

export interface BackupFlags {
  readonly dataDir?: string;
  readonly output: string;
  readonly force?: boolean;
}

export interface RestoreFlags {
  readonly dataDir?: string;
  readonly verify?: boolean;
}

export async function backup(flags: BackupFlags): Promise<void> {
  if (flags.output === '') throw new CliError('--output is empty', 'Give it a file, such as -o cluster.tar');
  if (flags.dataDir === '') throw new CliError('--data-dir is empty', 'Give it the directory of a cluster');
  const dataDir = resolve(flags.dataDir ?? defaultDataDir());
  const output = resolve(flags.output);
  if (existsSync(output) && flags.force !== true)
    throw new CliError(`${output} is there already`, 'Choose another name, or replace it with --force');
  if (!existsSync(dataDir))
    throw new CliError(`${dataDir} is not there`, 'Name the data directory of the cluster: --data-dir DIR');
  const taken = new Date(realClock.now()).toISOString();
  const made = await explained(() => createBackup({ dataDir, output, taken, product: VERSION.product }));
  process.stdout.write(describe(output, made));
}

export async function restore(file: string, flags: RestoreFlags): Promise<void> {
  const path = resolve(file);
  if (flags.verify === true) {
    process.stdout.write(describe(path, await explained(() => verifyBackup(path))));
    return;
  }
  if (flags.dataDir === undefined || flags.dataDir === '')
    throw new CliError('where to?', 'Name a new directory with --data-dir DIR, or check the file with --verify');
  const { dataDir } = flags;
  process.stdout.write(describe(path, await explained(() => restoreBackup(path, dataDir))));
  process.stderr.write(`restored to ${resolve(dataDir)}; start it with: everynode up --data-dir ${dataDir}\n`);
}

async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof StoreError ? new CliError(textWithCode(error)) : error;
  }
}

const describe = (path: string, { revision, objects, bytes, taken, store, product, hash }: Backup): string =>
  `${path}
  revision  ${revision}
  objects   ${objects}
  bytes     ${bytes}
  taken     ${taken} by everynode ${product}
  store     ${store === '' ? 'made before stores had an identity' : store}
  hash      sha256:${hash}
`;
