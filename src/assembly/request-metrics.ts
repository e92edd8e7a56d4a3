/** The API server's own metrics, under the names that dashboards for kube-apiserver query. */
import type { Exchange } from '../apiserver/wire/exchange.ts';
import { parsePath } from '../apiserver/wire/path.ts';
import type { Counter, Histogram, Metrics } from '../machinery/metrics.ts';

const LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope'];
const BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** A hostile client must not be able to fill the memory with paths it makes up. */
const MAX_MEMBERS = 2_000;

interface Members {
  readonly duration: Histogram | undefined;
  readonly total: Map<number, Counter>;
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'POST'],
  ['PUT', 'PUT'],
  ['PATCH', 'PATCH'],
  ['HEAD', 'GET'],
]);

export function createRequestMetrics(metrics: Metrics, isKnown: IsKnown) {
  const total = metrics.counter({
    name: 'apiserver_request_total',
    help: 'Requests answered, by what was asked and the HTTP status',
    labels: [...LABELS, 'code'],
  });
  const duration = metrics.histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Seconds from the request to the end of the answer; watches are left out',
    labels: LABELS,
    buckets: BUCKETS,
  });
  /** By verb and kind of path; labels are bound once. */
  const members = new Map<string, Members>();

  return (exchange: Exchange, elapsedMs: number): void => {
    const labels = labelsOf(exchange, isKnown);
    const key = Object.values(labels).join('/');
    let member = members.get(key);
    if (member === undefined) {
      if (members.size >= MAX_MEMBERS) return;
      const isLong = labels.verb === 'WATCH' || labels.verb === 'CONNECT';
      member = { duration: isLong ? undefined : duration.with(labels), total: new Map() };
      members.set(key, member);
    }
    member.duration?.observe(elapsedMs / 1000);
    let counter = member.total.get(exchange.status);
    if (counter === undefined)
      member.total.set(exchange.status, (counter = total.with({ ...labels, code: String(exchange.status) })));
    counter.inc();
  };
}

type IsKnown = (group: string, version: string, resource: string) => boolean;

function labelsOf({ method, path, query, status }: Exchange, isKnown: IsKnown) {
  const route = parsePath(path);
  const plain = VERBS.get(method) ?? (method === 'GET' || method === 'DELETE' ? method : 'other');
  const none = { verb: plain, group: '', version: '', resource: '', subresource: '', scope: '' };
  if (route.kind !== 'resource' || !isKnown(route.target.group, route.target.version, route.target.resource))
    return none;
  const { group, version, resource, subresource, namespace, name } = route.target;
  const isOne = name !== '';
  const isWatch =
    route.legacyWatch || (query.has('watch') && query.get('watch') !== 'false' && query.get('watch') !== '0');
  const verb =
    subresource === 'log' ||
    subresource === 'exec' ||
    subresource === 'attach' ||
    subresource === 'portforward' ||
    subresource === 'proxy'
      ? 'CONNECT'
      : method === 'GET' && isWatch
        ? 'WATCH'
        : method === 'GET' && !isOne
          ? 'LIST'
          : method === 'DELETE' && !isOne
            ? 'DELETECOLLECTION'
            : plain;
  const scope = isOne ? 'resource' : namespace === '' ? 'cluster' : 'namespace';
  return { verb, group, version, resource, subresource: status === 404 ? '' : subresource, scope };
}
