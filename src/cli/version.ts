/** `everynode version`. */
import { stringify } from 'yaml';
import { VERSION } from '../core/api/version.ts';

export function version(output: string): void {
  const document = { everynode: VERSION.product, kubernetes: VERSION.gitVersion, node: process.versions.node };
  if (output === 'json') process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
  else if (output === 'yaml') process.stdout.write(stringify(document));
  else
    process.stdout.write(
      `everynode ${document.everynode}\nKubernetes API ${document.kubernetes}\nNode.js ${document.node}\n`,
    );
}
