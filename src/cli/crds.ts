/** `everynode crds`: the custom resource definitions of this version, as every cluster gets them. */
import { printObjects } from '../core/component/print/print-yaml.ts';
import { componentDefinitions } from '../core/api/component/definitions.ts';

export function crds(output: 'yaml' | 'json' | 'name'): void {
  const items = componentDefinitions();
  if (output === 'yaml') process.stdout.write(printObjects(items));
  else if (output === 'json')
    process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
  else
    for (const { metadata } of items)
      process.stdout.write(`customresourcedefinition.apiextensions.k8s.io/${metadata.name}\n`);
}
