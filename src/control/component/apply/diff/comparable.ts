/** An object as a diff shows it: what people wrote and defaults, in YAML, without the server's bookkeeping and without secrets. */
import { stringify } from 'yaml';
import type { KubeObject } from '../../../../core/kube/objects.ts';

/** Kept by the server or by kubectl; the last repeats the whole object, values of Secrets included. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'deprecated.daemonset.template.generation',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

export function comparable(object: KubeObject): KubeObject {
  const { status: _status, metadata, ...rest } = object as KubeObject & { readonly status?: unknown };
  const {
    managedFields: _managedFields,
    resourceVersion: _resourceVersion,
    uid: _uid,
    creationTimestamp: _creationTimestamp,
    generation: _generation,
    selfLink: _selfLink,
    annotations,
    ...named
  } = metadata;
  const shown = Object.entries(annotations ?? {}).filter(([key]) => !BOOKKEEPING.has(key));
  return {
    ...rest,
    metadata: { ...named, ...(shown.length === 0 ? {} : { annotations: Object.fromEntries(shown) }) },
  };
}

/** Members in the order of their names, long texts as blocks. */
export const yamlOf = (object: KubeObject | undefined): string =>
  object === undefined
    ? ''
    : stringify(object, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false, blockQuote: 'literal' });
