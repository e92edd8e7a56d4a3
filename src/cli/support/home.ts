/** The default locations of everynode's files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from '../../machinery/make-directory.ts';

function home(): string {
  const chosen = process.env['EVERYNODE_HOME'] ?? '';
  // An empty HOME would put everything into the current directory.
  return chosen === '' ? join(homedir() || userInfo().homedir, '.everynode') : chosen;
}

export const defaultDataDir = (): string => join(home(), 'cluster');
export const defaultKubeconfig = (): string => join(home(), 'kubeconfig');

/** Names the kubeconfig that was written last, which may be anywhere. */
const lastFile = (): string => join(home(), 'last-kubeconfig');

export function rememberKubeconfig(file: string): void {
  try {
    makeDirectory(home(), 0o700);
    writeFileSync(lastFile(), `${file}\n`, { mode: 0o600 });
  } catch {
    // A convenience only: a user who chose another place knows where it is.
  }
}

export function lastKubeconfig(): string {
  try {
    const file = readFileSync(lastFile(), 'utf8').trim();
    return file === '' ? defaultKubeconfig() : file;
  } catch {
    return defaultKubeconfig();
  }
}
