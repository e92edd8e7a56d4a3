/** The API server's own metrics, under the names that dashboards for kube-apiserver query. */
import type { Exchange } from '../apiserver/wire/exchange.ts';
import { parsePath, type Route } from '../apiserver/wire/path.ts';
import { firstPart, isPathOf, isServed, STREAMS, verbAsked } from '../apiserver/wire/resource-request.ts';
import type { KindDefinition } from '../core/api/kind/kind-definition.ts';
import type { Counter, Histogram, Metrics } from '../machinery/metrics/metrics.ts';

const LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope'];
const BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/**
 * Label values are names that the server knows, so their number has an end; this is for those who define very many kinds.
 * Requests of kinds beyond it are counted together.
 */
const MAX_MEMBERS = 10_000;
/** Stands for every name that the server does not know: a client must not be able to make up label values. */
const OTHER = 'other';

type RequestLabels = Readonly<Record<'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'scope', string>>;

interface Members {
  readonly labels: RequestLabels;
  readonly duration: Histogram | undefined;
  readonly total: Map<number, Counter>;
}

const NOTHING = { group: '', version: '', resource: '', subresource: '', scope: '' };
const UNKNOWN = { ...NOTHING, resource: OTHER };
const OVERFLOW: RequestLabels = { ...UNKNOWN, verb: OTHER };

/** Verbs of authorization by their names in kube-apiserver's metrics. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'LIST'],
  ['watch', 'WATCH'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETECOLLECTION'],
]);
/** Methods of requests for paths that name no resource. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['GET', 'GET'],
  ['HEAD', 'GET'],
  ['POST', 'POST'],
  ['PUT', 'PUT'],
  ['PATCH', 'PATCH'],
  ['DELETE', 'DELETE'],
]);

type FindKind = (group: string, version: string, resource: string) => KindDefinition | undefined;

export function createRequestMetrics(metrics: Metrics, findKind: FindKind) {
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

  const memberOf = (labels: RequestLabels): Members => {
    const key = Object.values(labels).join('/');
    const known = members.get(key);
    if (known !== undefined) return known;
    if (members.size >= MAX_MEMBERS && labels !== OVERFLOW) return memberOf(OVERFLOW);
    const isLong = labels.verb === 'WATCH' || labels.verb === 'CONNECT';
    const member: Members = { labels, duration: isLong ? undefined : duration.with(labels), total: new Map() };
    members.set(key, member);
    return member;
  };

  return (exchange: Exchange, elapsedMs: number): void => {
    const { duration: times, labels, total: byStatus } = memberOf(labelsOf(exchange, findKind));
    times?.observe(elapsedMs / 1000);
    let counter = byStatus.get(exchange.status);
    if (counter === undefined)
      byStatus.set(exchange.status, (counter = total.with({ ...labels, code: String(exchange.status) })));
    counter.inc();
  };
}

/** Labels do not depend on the answer: a refused client can ask for as many names as any other. */
function labelsOf(exchange: Exchange, findKind: FindKind): RequestLabels {
  const route = parsePath(exchange.path);
  if (route.kind !== 'resource') return { verb: METHODS.get(exchange.method) ?? OTHER, ...NOTHING };
  const { target } = route;
  const { group, version, resource, namespace, name } = target;
  const kind = findKind(group, version, resource);
  if (kind === undefined || !isPathOf(kind, target)) {
    return { verb: METHODS.get(exchange.method) ?? OTHER, ...UNKNOWN };
  }
  const scope = name !== '' ? 'resource' : namespace === '' ? 'cluster' : 'namespace';
  const subresource = subresourceOf(kind, target.subresource);
  return { verb: verbOf(exchange, route, kind, subresource), group, version, resource, subresource, scope };
}

/** `proxy` goes on with a path of its own, which is the client's to choose. */
function subresourceOf({ subresources }: KindDefinition, asked: string): string {
  if (asked === '') return '';
  const first = firstPart(asked);
  const name = STREAMS.has(first) ? first : asked;
  return subresources.some((each) => each.name === name) ? name : OTHER;
}

/** Verbs that a path does not serve are counted together: a stranger could ask for all of them of every kind. */
function verbOf(
  exchange: Exchange,
  route: Route & { readonly kind: 'resource' },
  kind: KindDefinition,
  subresource: string,
): string {
  if (STREAMS.has(subresource)) return 'CONNECT';
  const verb = verbAsked(exchange, route);
  const isCounted = subresource !== OTHER && isServed(kind, route.target, verb);
  return (isCounted ? VERBS.get(verb) : undefined) ?? OTHER;
}
