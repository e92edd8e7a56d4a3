/**
 * Paths of which Kubernetes knows nothing at all are answered by Go's own 404, a line of text: whatever is outside of
 * `/api` and `/apis`, and groups that are not built in, unless a definition serves what was asked for.
 */
import type { Registry } from '../../core/api/registry/registry.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from './path.ts';

export function isPlainNotFound(error: unknown, path: string, route: Route, kinds: Registry): boolean {
  if (!(error instanceof StatusError) || error.code !== 404) return false;
  switch (route.kind) {
    case 'resource': {
      const { group, resource, version } = route.target;
      return !isBuiltIn(kinds, group) && kinds.byResource(group, version, resource) === undefined;
    }
    case 'discovery':
      return 'group' in route && !isBuiltIn(kinds, route.group);
    case 'openapi':
      return false;
    case 'unknown': {
      // No path that could be read, but below a group whose handler would have answered.
      const [, root, group = ''] = path.split('/', 3);
      return root !== 'api' && (root !== 'apis' || !isBuiltIn(kinds, group));
    }
    case 'health':
    case 'index':
    case 'metrics':
    case 'openid':
    case 'version':
      return true;
  }
}

const isBuiltIn = (kinds: Registry, group: string): boolean =>
  kinds.all().some((kind) => kind.group === group && kind.custom === undefined);

export function sendPlainNotFound(exchange: Exchange): void {
  exchange.setHeader('x-content-type-options', 'nosniff');
  exchange.send(404, 'text/plain; charset=utf-8', '404 page not found\n');
}
