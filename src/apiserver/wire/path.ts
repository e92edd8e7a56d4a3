/**
 * Kubernetes' paths are a fixed grammar, so routing is parsing: no pattern table, no order to get wrong.
 * An optional `/tenants/{t}` stands before everything that belongs to a tenant.
 */
import { dns1123LabelProblems } from '../../core/kube/names.ts';
import { SYSTEM_TENANT } from '../../core/kube/objects.ts';
import type { RequestTarget } from '../contract/request.ts';

export type Route =
  /** `/api/…` or `/apis/…` that names a resource. `legacyWatch` is the old `/watch/` form of a list. */
  | { readonly kind: 'resource'; readonly target: RequestTarget; readonly legacyWatch: boolean }
  | { readonly kind: 'discovery'; readonly level: 'core-versions' | 'groups' }
  | { readonly kind: 'discovery'; readonly level: 'group'; readonly group: string }
  | { readonly kind: 'discovery'; readonly level: 'resources'; readonly group: string; readonly version: string }
  | { readonly kind: 'openapi'; readonly version: 'v2' | 'v3'; readonly path: string }
  | { readonly kind: 'health'; readonly probe: string; readonly check: string }
  | { readonly kind: 'openid'; readonly document: 'configuration' | 'keys' }
  | { readonly kind: 'version' | 'metrics' | 'index' }
  /** No such path: a plain 404 as Kubernetes answers it. */
  | { readonly kind: 'unknown' };

const UNKNOWN: Route = { kind: 'unknown' };
const HEALTH = new Set(['healthz', 'livez', 'readyz']);

/** `path` is the URL's path, still percent-encoded, without the query. */
export function parsePath(path: string): Route {
  const segments = splitPath(path);
  if (segments === undefined) return UNKNOWN;
  if (segments[0] === 'tenants') {
    const tenant = segments[1] ?? '';
    return dns1123LabelProblems(tenant).length > 0 ? UNKNOWN : route(segments, 2, tenant);
  }
  return route(segments, 0, SYSTEM_TENANT);
}

function splitPath(path: string): string[] | undefined {
  const trimmed = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  if (trimmed === '') return [];
  const segments = trimmed.split('/');
  if (!trimmed.includes('%')) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function route(segments: readonly string[], start: number, tenant: string): Route {
  const root = segments[start];
  const rest = segments.length - start;
  if (root === 'api') {
    if (rest === 1) return { kind: 'discovery', level: 'core-versions' };
    return resourceRoute(segments, start + 2, '', segments[start + 1] ?? '', tenant);
  }
  if (root === 'apis') {
    if (rest === 1) return { kind: 'discovery', level: 'groups' };
    if (rest === 2) return { kind: 'discovery', level: 'group', group: segments[start + 1] ?? '' };
    return resourceRoute(segments, start + 3, segments[start + 1] ?? '', segments[start + 2] ?? '', tenant);
  }
  if (tenant !== SYSTEM_TENANT) return UNKNOWN;
  if (root === undefined) return { kind: 'index' };
  if (root === 'version' && rest === 1) return { kind: 'version' };
  if (root === 'metrics' && rest === 1) return { kind: 'metrics' };
  if (HEALTH.has(root) && rest <= 2) return { kind: 'health', probe: root, check: segments[start + 1] ?? '' };
  if (root === '.well-known' && rest === 2 && segments[start + 1] === 'openid-configuration') {
    return { kind: 'openid', document: 'configuration' };
  }
  if (root === 'openid' && rest === 3 && segments[start + 1] === 'v1' && segments[start + 2] === 'jwks') {
    return { kind: 'openid', document: 'keys' };
  }
  if (root === 'openapi') {
    const version = segments[start + 1];
    if (version === 'v2' && rest === 2) return { kind: 'openapi', version, path: '' };
    if (version === 'v3') return { kind: 'openapi', version, path: segments.slice(start + 2).join('/') };
  }
  return UNKNOWN;
}

function resourceRoute(
  segments: readonly string[],
  from: number,
  group: string,
  version: string,
  tenant: string,
): Route {
  let at = from;
  if (at >= segments.length) return { kind: 'discovery', level: 'resources', group, version };
  if (segments.includes('', from)) return UNKNOWN;
  const legacyWatch = segments[at] === 'watch' && segments.length > at + 1;
  if (legacyWatch) at += 1;
  let namespace = '';
  // `namespaces/x` alone is the Namespace itself, and `namespaces/x/status|finalize` its subresources.
  if (segments[at] === 'namespaces' && segments.length > at + 2 && !isNamespaceSubresource(segments, at)) {
    namespace = segments[at + 1] ?? '';
    at += 2;
  }
  const resource = segments[at] ?? '';
  const target = {
    tenant,
    group,
    version,
    resource,
    namespace,
    name: segments[at + 1] ?? '',
    subresource: segments.slice(at + 2).join('/'),
  };
  return { kind: 'resource', target, legacyWatch };
}

const isNamespaceSubresource = (segments: readonly string[], at: number): boolean =>
  segments.length === at + 3 && (segments[at + 2] === 'status' || segments[at + 2] === 'finalize');
