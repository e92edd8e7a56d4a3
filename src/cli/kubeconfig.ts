/** `everynode kubeconfig`: the credentials of the cluster that was started last. */
import { readFileSync } from 'node:fs';
import { CliError } from './cli-error.ts';
import { defaultKubeconfig } from './home.ts';

export function kubeconfig({ path }: { readonly path?: boolean }): void {
  const file = defaultKubeconfig();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new CliError(`no kubeconfig at ${file}`, 'Start a cluster first: everynode up');
  }
  process.stdout.write(path === true ? `${file}\n` : text);
}
