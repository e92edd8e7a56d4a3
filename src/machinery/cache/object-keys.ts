import { SYSTEM_TENANT, type KubeObject, type ObjectKey } from '../../core/kube/objects.ts';

/** The key that names this object within its resource. */
export function keyOf(object: KubeObject, tenant?: string): ObjectKey {
  const { name, namespace } = object.metadata;
  return {
    ...(tenant === undefined || tenant === SYSTEM_TENANT ? {} : { tenant }),
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
    name,
  };
}

/**
 * One text for one key: `name`, `namespace/name`, and with a tenant other than the system's `tenant//name` or
 * `tenant/namespace/name`. No part can contain a slash, so no two keys share a text.
 */
export function keyText(key: ObjectKey): string {
  const { tenant, namespace, name } = key;
  if (tenant !== undefined && tenant !== SYSTEM_TENANT) return `${tenant}/${namespace ?? ''}/${name}`;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

export function parseKeyText(text: string): ObjectKey {
  const parts = text.split('/');
  const [first = '', second = '', third = ''] = parts;
  if (parts.length === 1) return { name: first };
  if (parts.length === 2) return { namespace: first, name: second };
  return { tenant: first, ...(second === '' ? {} : { namespace: second }), name: third };
}
