/** `everynode kubeconfig`: the credentials of the cluster that was started last. */
import { readFileSync } from 'node:fs';
import { CliError } from './support/cli-error.ts';
import { lastKubeconfig } from './support/home.ts';

export function kubeconfig({ path }: { readonly path?: boolean }): void {
  const file = lastKubeconfig();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CliError(
      isAbsent ? `no kubeconfig at ${file}` : `cannot read the kubeconfig: ${(error as Error).message}`,
      'Start a cluster first: everynode up',
    );
  }
  process.stdout.write(path === true ? `${file}\n` : text);
}
