/**
 * Objects of Kubernetes' own kinds as Kubernetes writes them: what Go writes as null is null, and apiVersion and kind come
 * first, so that a list can leave them out. Whatever else there is, custom kinds and ours, is written as it is.
 */
import { KUBERNETES_RESOURCES } from '../../core/api/facts/kubernetes-resources.ts';
import { parseResources, schemaName } from '../../core/api/schema/parse-resources.ts';
import { goForm, type GoForm } from '../../core/api/schema/go-form.ts';

export interface WrittenObject {
  readonly object: object;
  /** The length of `"apiVersion":…,"kind":…,` at the beginning of its text; 0 where it stays. */
  readonly typeBytes: number;
}

interface WrittenKind {
  readonly typeBytes: number;
  readonly form: GoForm | undefined;
}

let kinds: Map<string, Map<string, WrittenKind>> | undefined;

/** Made when the first object is written. */
function builtInKinds(): NonNullable<typeof kinds> {
  if (kinds !== undefined) return kinds;
  kinds = new Map();
  const resources = parseResources(KUBERNETES_RESOURCES);
  const answered = resources.flatMap(({ subresources }) => subresources.flatMap(({ kind }) => kind ?? []));
  for (const { group, version, kind } of [...answered, ...resources]) {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    let ofVersion = kinds.get(apiVersion);
    if (ofVersion === undefined) kinds.set(apiVersion, (ofVersion = new Map()));
    const typeBytes = `"apiVersion":"${apiVersion}","kind":"${kind}",`.length;
    ofVersion.set(kind, { typeBytes, form: goForm(schemaName(group, version, kind)) });
  }
  return kinds;
}

export function writtenObject(object: object): WrittenObject {
  const { apiVersion, kind } = object as { readonly apiVersion?: string; readonly kind?: string };
  const known =
    apiVersion === undefined
      ? undefined
      : builtInKinds()
          .get(apiVersion)
          ?.get(kind ?? '');
  if (known === undefined) return { object, typeBytes: 0 };
  const written = known.form?.(object) ?? object;
  return { object: beginsWithType(written) ? written : { apiVersion, kind, ...written }, typeBytes: known.typeBytes };
}

/** Whether `apiVersion` and `kind` come first, in either order, with something after them. */
function beginsWithType(object: object): boolean {
  let place = 0;
  for (const key in object) {
    if (place === 2) return true;
    if (key !== 'apiVersion' && key !== 'kind') return false;
    place += 1;
  }
  return false;
}
