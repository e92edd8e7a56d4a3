/** Paths that name no resource: discovery, version, health, metrics, OpenAPI. */
import { StatusError } from '../../core/kube/status-error.ts';
import { sendObject } from './answer.ts';
import { aggregated, coreVersions, groupList, groupOf, resourceList } from './discovery.ts';
import type { Exchange } from './exchange.ts';
import type { createOpenApi } from './openapi.ts';
import { DISCOVERY, JSON_TYPE, negotiate } from './negotiate.ts';
import type { Route } from './path.ts';
import type { WireContext } from './wire-context.ts';

export interface MetaSource {
  /** The document of `/version`. */
  readonly version: object;
  /** host:port as clients should use it. */
  readonly serverAddress: () => string;
  /** Health checks by name; undefined means healthy, a text says why not. */
  readonly checks: ReadonlyMap<string, (probe: string) => string | undefined>;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  readonly openapi: ReturnType<typeof createOpenApi>;
  /** OpenID discovery, by which other parties verify service account tokens; absent where none are issued. */
  readonly openid?: { openIdConfiguration(serverAddress: string): object; keySet(): object };
}

export async function answerMeta(
  exchange: Exchange,
  route: Route,
  source: MetaSource,
  context: WireContext,
): Promise<void> {
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
    // An unknown path is a 404 whatever the method.
    if (route.kind === 'unknown') throw notFoundPath();
    if (route.kind === 'discovery' && discoveryDocument(route, source, context.kinds) === undefined) {
      throw notFoundPath();
    }
    throw new StatusError(
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
      {},
    );
  }
  switch (route.kind) {
    case 'discovery':
      return answerDiscovery(exchange, route, source, context);
    case 'version':
      return exchange.send(200, JSON_TYPE, JSON.stringify(source.version, undefined, 2));
    case 'health':
      return answerHealth(exchange, route.probe, route.check, source);
    case 'metrics': {
      const { contentType, body } = await source.metrics();
      return exchange.send(200, contentType, body);
    }
    case 'openapi': {
      const answer = source.openapi(route.version, route.path, exchange.header('accept') ?? '');
      if (answer === undefined) throw notFoundPath();
      return exchange.send(200, answer.contentType, answer.body);
    }
    case 'openid':
      return answerOpenId(exchange, route.document, source);
    case 'index':
      return exchange.send(
        200,
        JSON_TYPE,
        JSON.stringify({
          paths: [
            '/.well-known/openid-configuration',
            '/api',
            '/api/v1',
            '/apis',
            '/healthz',
            '/livez',
            '/metrics',
            '/openapi/v2',
            '/openapi/v3',
            '/openid/v1/jwks',
            '/readyz',
            '/version',
          ],
        }),
      );
    case 'resource':
    case 'unknown':
      throw notFoundPath();
  }
}

const notFoundPath = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});

function answerOpenId(exchange: Exchange, document: 'configuration' | 'keys', source: MetaSource): void {
  const { openid } = source;
  if (openid === undefined) throw notFoundPath();
  exchange.setHeader('cache-control', 'public, max-age=3600');
  if (document === 'keys') {
    return exchange.send(200, 'application/jwk-set+json', JSON.stringify(openid.keySet()));
  }
  return exchange.send(200, JSON_TYPE, JSON.stringify(openid.openIdConfiguration(source.serverAddress())));
}

function answerDiscovery(
  exchange: Exchange,
  route: Route & { kind: 'discovery' },
  source: MetaSource,
  { kinds }: WireContext,
): void {
  const isRoot = route.level === 'core-versions' || route.level === 'groups';
  const accepted = negotiate(exchange.header('accept'), isRoot ? DISCOVERY : []);
  if (accepted.as !== '') {
    const document = aggregated(kinds, route.level === 'groups' ? 'groups' : 'core');
    exchange.setHeader('vary', 'Accept');
    return exchange.send(
      200,
      `${JSON_TYPE};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
      JSON.stringify(document),
    );
  }
  const document = discoveryDocument(route, source, kinds);
  if (document === undefined) throw notFoundPath();
  sendObject(exchange, 200, document, accepted.format === 'protobuf' ? { ...accepted, format: 'json' } : accepted);
}

function discoveryDocument(
  route: Route & { kind: 'discovery' },
  source: MetaSource,
  kinds: WireContext['kinds'],
): object | undefined {
  switch (route.level) {
    case 'core-versions':
      return coreVersions(source.serverAddress());
    case 'groups':
      return groupList(kinds);
    case 'group':
      return groupOf(kinds, route.group);
    case 'resources':
      return resourceList(kinds, route.group, route.version);
  }
}

function answerHealth(exchange: Exchange, probe: string, check: string, { checks }: MetaSource): void {
  const excluded = new Set(exchange.query.getAll('exclude'));
  const chosen = [...checks].filter(([name]) => (check === '' ? !excluded.has(name) : name === check));
  if (check !== '' && chosen.length === 0) throw notFoundPath();
  const results = chosen.map(([name, run]) => ({ name, problem: run(probe) }));
  const isWell = results.every(({ problem }) => problem === undefined);
  const verbose = exchange.query.has('verbose') || !isWell;
  const lines = results.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
  );
  exchange.setHeader('x-content-type-options', 'nosniff');
  const body = verbose ? `${lines.join('\n')}\n${probe} check ${isWell ? 'passed' : 'failed'}\n` : 'ok';
  exchange.send(isWell ? 200 : 500, 'text/plain; charset=utf-8', body);
}
