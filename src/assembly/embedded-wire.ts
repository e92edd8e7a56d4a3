/** How an embedded cluster is reached over the network: TLS, authentication, limits, metrics, audit, health and `/version`. */
import type { ApiServer } from '../apiserver/api-server.ts';
import type { Audit } from '../apiserver/audit/audit.ts';
import type { ServiceAccountTokens } from '../apiserver/service-account-tokens.ts';
import type { Store } from '../apiserver/store/store.ts';
import type { EncodedCache } from '../apiserver/wire/encoded-cache.ts';
import { createOpenApi } from '../apiserver/wire/openapi.ts';
import { createWireServer, type WireOptions, type WireServer } from '../apiserver/wire/server.ts';
import type { LazyMetrics } from '../machinery/metrics/lazy-metrics.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { versionDocument } from './catalogue/embedded-runs.ts';
import type { ClusterKeys } from './pki.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { storeCheck } from './store-health.ts';

export interface EmbeddedWireOptions extends Pick<WireOptions, 'limits' | 'connections' | 'logger'> {
  readonly api: ApiServer;
  readonly store: Store;
  readonly encoded: EncodedCache;
  readonly keys: ClusterKeys;
  readonly tokens: ServiceAccountTokens;
  readonly metrics: LazyMetrics;
  /** `host:port` as clients reach the server; a function, since the port is known only once the server listens. */
  readonly serverAddress: () => string;
  /** Absent: no audit log is written. */
  readonly audit: Audit | undefined;
  /** Controllers that stand in for a part of Kubernetes and run in this process, for `/version`. */
  readonly runs: readonly string[];
}

export function createEmbeddedWire(options: EmbeddedWireOptions): WireServer {
  const { api, store, encoded, keys, tokens, metrics, serverAddress, audit, runs, ...guarding } = options;
  const measure = createRequestMetrics(metrics, (...names) => api.registry.byResource(...names));
  return createWireServer({
    api,
    kinds: api.registry,
    clock: realClock,
    encoded,
    keys: { ...keys.server, clientAuthority: keys.authority.certificate },
    tokens: { authenticate: (token) => tokens.read(token).user },
    authorizer: api.authorizer,
    ...guarding,
    metrics,
    ...(audit === undefined ? {} : { audit }),
    onAnswered: (exchange, _user, _error, elapsedMs) => measure(exchange, elapsedMs),
    meta: {
      version: versionDocument(runs),
      serverAddress,
      checks: new Map([
        ['ping', () => undefined],
        ['store', storeCheck(store)],
      ]),
      metrics: metrics.expose,
      openapi: createOpenApi(api.registry),
      openid: tokens,
    },
  });
}
