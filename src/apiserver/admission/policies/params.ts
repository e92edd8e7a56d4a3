/** The parameters a binding hands to its policy: one object by name, or all that a selector finds. */
import type { Registry } from '../../../core/api/registry/registry.ts';
import type { ParamKind, ParamRef } from '../../../core/api/types/admissionregistration-v1.ts';
import { compileLabelSelector } from '../../../core/kube/label-selector.ts';
import { SYSTEM_TENANT, type Stored } from '../../../core/kube/objects.ts';
import type { Store } from '../../store/store.ts';

/** `undefined` stands for a policy without parameters. Throws an `Error` where the binding cannot be served. */
export function paramsOf(
  paramKind: ParamKind | undefined,
  paramRef: ParamRef | undefined,
  namespace: string,
  { store, registry }: { readonly store: Store; readonly registry: Registry },
): readonly (Stored | undefined)[] {
  if (paramKind === undefined || paramRef === undefined) return [undefined];
  const { apiVersion = '', kind = '' } = paramKind;
  const slash = apiVersion.lastIndexOf('/');
  const found = registry.byKind(slash < 0 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1), kind);
  if (found === undefined) throw new Error(`paramKind kind \`${apiVersion}, Kind=${kind}\` not known`);
  if (!found.namespaced && paramRef.namespace) {
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const where = found.namespaced ? paramRef.namespace || namespace : '';
  if (found.namespaced && where === '') {
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  const { group, resource } = found.storage;
  const collection = { tenant: SYSTEM_TENANT, group, resource };
  const objects = paramRef.name
    ? [store.get({ ...collection, namespace: where, name: paramRef.name })].filter((object) => object !== undefined)
    : selected(store, collection, where, paramRef);
  if (objects.length > 0) return objects.map((object) => (found.conversion?.fromStorage(object) ?? object) as Stored);
  if (paramRef.parameterNotFoundAction === 'Deny') {
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return [];
}

function selected(
  store: Store,
  collection: { readonly tenant: string; readonly group: string; readonly resource: string },
  namespace: string,
  { selector }: ParamRef,
): readonly Stored[] {
  const compiled = compileLabelSelector(selector);
  return [...store.list(collection, { namespace })].filter(({ metadata }) => compiled.matches(metadata.labels ?? {}));
}
