/** Connections of a server, and those that its guard closed. */
import type { Counter, Metrics } from '../metrics/metrics.ts';

/** Why a guard closed a connection: the handshake took too long; idle; a newer connection needed the place; no place. */
export type Closed = 'handshake' | 'idle' | 'crowded' | 'refused';
const REASONS: readonly Closed[] = ['handshake', 'idle', 'crowded', 'refused'];

export type ConnectionCounts = { readonly [state in 'handshake' | 'unproven' | 'proven']: number };

export interface ConnectionMetrics {
  closed(reason: Closed): void;
  stop(): void;
}

export function connectionMetrics(
  metrics: Metrics,
  server: string,
  most: number,
  counts: () => ConnectionCounts,
): ConnectionMetrics {
  const open = metrics.gauge({
    name: 'everynode_connections',
    help: 'Connections that are open, by how far their peer has shown who it is',
    labels: ['server', 'state'],
  });
  metrics
    .gauge({ name: 'everynode_connections_limit', help: 'Connections that may be open', labels: ['server'] })
    .with({ server })
    .set(most);
  const closed = metrics.counter({
    name: 'everynode_connections_closed_total',
    help: 'Connections that the server closed or refused, by the reason',
    labels: ['server', 'reason'],
  });
  const counters = Object.fromEntries(REASONS.map((reason) => [reason, closed.with({ server, reason })])) as {
    readonly [reason in Closed]: Counter;
  };
  const states = {
    handshake: open.with({ server, state: 'handshake' }),
    unproven: open.with({ server, state: 'unproven' }),
    proven: open.with({ server, state: 'proven' }),
  };
  const stop = metrics.onCollect(() => {
    const now = counts();
    states.handshake.set(now.handshake);
    states.unproven.set(now.unproven);
    states.proven.set(now.proven);
  });
  return { closed: (reason) => counters[reason].inc(), stop };
}
