/** Simulated nodes at the start of a cluster: many at a time, and only those that are not there yet. */
import { NODES } from '../core/api/registry/resources.ts';
import { isStatus } from '../core/kube/status-error.ts';
import { formatTime } from '../core/kube/time.ts';
import type { Client } from '../machinery/client/client.ts';
import type { Clock } from '../machinery/time/clock.ts';
import { nodesOf, type NodeGroup } from '../nodes/fleet/node-groups.ts';

const BATCH = 500;

/** Returns the number of nodes the cluster has afterwards. */
export async function createNodes(
  client: Client,
  wanted: readonly NodeGroup[] | undefined,
  defaults: readonly NodeGroup[],
  clock: Clock,
  onProgress: ((label: string, done: number, total: number) => void) | undefined,
  signal: AbortSignal | undefined,
): Promise<number> {
  const present = await countNodes(client);
  const groups = wanted ?? (present === 0 ? defaults : []);
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  let done = 0;
  let created = 0;
  for (const group of groups) {
    let batch: Promise<boolean>[] = [];
    for (const node of nodesOf(group, formatTime(clock.now()))) {
      batch.push(
        client.create(NODES, node).then(
          () => true,
          (error: unknown) => {
            if (isStatus(error, 'AlreadyExists')) return false;
            throw error;
          },
        ),
      );
      if (batch.length < BATCH) continue;
      created += (await Promise.all(batch)).filter(Boolean).length;
      done += batch.length;
      batch = [];
      signal?.throwIfAborted();
      onProgress?.('creating nodes', done, total);
      await clock.sleep(0);
    }
    created += (await Promise.all(batch)).filter(Boolean).length;
    done += batch.length;
  }
  return present + created;
}

async function countNodes(client: Client): Promise<number> {
  const page = await client.list(NODES, { limit: 1 });
  return page.items.length + (page.remainingItemCount ?? 0);
}
