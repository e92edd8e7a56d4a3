/** Request paths and queries, by Kubernetes' grammar. */
import { SYSTEM_TENANT, type GroupVersionResource } from '../../../core/kube/objects.ts';
import { badRequest } from '../../../core/kube/status-error.ts';

export interface Target {
  readonly resource: GroupVersionResource & { readonly namespaced: boolean };
  readonly tenant?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export type Query = readonly (readonly [string, string | number | boolean | undefined])[];

/** One path segment. A segment that would climb to another path is refused here, since some proxies resolve even encoded dots. */
function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..' || text.includes('/')) {
    throw badRequest(`invalid ${what} ${JSON.stringify(text)} in a request path`);
  }
  return encodeURIComponent(text);
}

/** `/api/v1/namespaces/ns/pods/p/status`, under `/tenants/t` for every tenant but the system's. */
export function pathOf({
  resource,
  tenant = SYSTEM_TENANT,
  namespace = '',
  name = '',
  subresource = '',
}: Target): string {
  let path = tenant === SYSTEM_TENANT ? '' : `/tenants/${segment(tenant, 'tenant')}`;
  path += resource.group === '' ? '/api' : `/apis/${segment(resource.group, 'group')}`;
  path += `/${segment(resource.version, 'version')}`;
  if (resource.namespaced && namespace !== '') path += `/namespaces/${segment(namespace, 'namespace')}`;
  else if (resource.namespaced && name !== '')
    throw badRequest('an empty namespace may not be set when a resource name is provided');
  path += `/${segment(resource.resource, 'resource')}`;
  if (name !== '') path += `/${segment(name, 'name')}`;
  if (subresource !== '') path += `/${segment(subresource, 'subresource')}`;
  return path;
}

export function queryOf(query: Query): string {
  let text = '';
  for (const [key, value] of query) {
    if (value === undefined || value === '' || value === false) continue;
    text += `${text === '' ? '?' : '&'}${key}=${encodeURIComponent(value)}`;
  }
  return text;
}
