/** Ports of the operator for health and metrics, which may be one. */
import type { HealthCheck } from '../../machinery/health/health.ts';
import { createHealthServer } from '../../machinery/health/health-server.ts';
import type { PrometheusMetrics } from '../../machinery/metrics/prometheus-metrics.ts';
import type { Undo } from '../common/start-actors.ts';

export interface Address {
  readonly bind: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface ServedPorts {
  readonly healthPort: number | undefined;
  readonly metricsPort: number | undefined;
}

/** Resolves when both listen; an absent address is not served. */
export async function serveHealth(
  { health, metrics: scraped }: { readonly health: Address | undefined; readonly metrics: Address | undefined },
  checks: readonly HealthCheck[],
  metrics: PrometheusMetrics,
  undo: Undo,
): Promise<ServedPorts> {
  const expose = async () => ({ contentType: metrics.contentType, body: await metrics.expose() });
  const serve = async (address: Address | undefined, routes: Parameters<typeof createHealthServer>[0]) => {
    if (address === undefined) return undefined;
    const server = createHealthServer(routes);
    const port = await server.listen(address.port, address.bind);
    undo.push(() => server.close());
    return port;
  };
  const together = health !== undefined && health.port !== 0 && isSame(health, scraped);
  const healthPort = await serve(health, together ? { checks, metrics: expose } : { checks });
  return { healthPort, metricsPort: together ? healthPort : await serve(scraped, { metrics: expose }) };
}

const isSame = (a: Address, b: Address | undefined): boolean => a.port === b?.port && a.bind === b.bind;
