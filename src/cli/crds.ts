/** `everynode crds`: the custom resource definitions of this version, as the chart brings them. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { printObjects } from '../core/component/print/print-yaml.ts';

/** The relative path is the same from the sources and from the emitted JavaScript. */
const DEFINITIONS = new URL('../../deploy/helm/everynode/files/crds/', import.meta.url);

interface Definition {
  readonly metadata: { readonly name: string };
}

export function crds(output: 'yaml' | 'json' | 'name'): void {
  const items = readdirSync(DEFINITIONS)
    .toSorted()
    .map((file) => parse(readFileSync(new URL(file, DEFINITIONS), 'utf8')) as Definition);
  if (output === 'yaml') process.stdout.write(printObjects(items));
  else if (output === 'json')
    process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
  else
    for (const { metadata } of items)
      process.stdout.write(`customresourcedefinition.apiextensions.k8s.io/${metadata.name}\n`);
}
