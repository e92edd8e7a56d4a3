/**
 * Metrics of the operator itself; those of queues, controllers and the client are registered where they are counted.
 */
import { VERSION } from '../../core/api/version.ts';
import type { Informers } from '../../machinery/cache/informers.ts';
import type { Metrics } from '../../machinery/metrics/metrics.ts';

export interface OperatorMetrics {
  leading(isLeading: boolean): void;
}

export function createOperatorMetrics(metrics: Metrics, informers: Informers, lease: string): OperatorMetrics {
  const master = metrics
    .gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process holds the lease: 1 for the leader, 0 for whoever waits',
      labels: ['name'],
    })
    .with({ name: lease });
  master.set(0);
  metrics
    .gauge({ name: 'everynode_build_info', help: 'Always 1; which everynode this is', labels: ['version'] })
    .with({ version: VERSION.product })
    .set(1);
  const labels = ['group', 'resource'];
  const objects = metrics.gauge({ name: 'everynode_cache_objects', help: 'Objects held in a cache', labels });
  const synced = metrics.gauge({ name: 'everynode_cache_synced', help: 'Whether a cache has been filled', labels });
  metrics.onCollect(() => {
    for (const { resource, lister, hasSynced } of informers.all()) {
      const bound = { group: resource.group, resource: resource.resource };
      objects.with(bound).set(lister.size);
      synced.with(bound).set(hasSynced() ? 1 : 0);
    }
  });
  return { leading: (isLeading) => master.set(isLeading ? 1 : 0) };
}
