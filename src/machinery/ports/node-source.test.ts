import { describe, expect, it } from 'vitest';
import { NODES } from '../../core/api/registry/resources.ts';
import { createInformer } from '../cache/informer.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient } from '../testing/fake-client.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';
import { nodeSourceFrom } from './node-source.ts';

describe('node source of one server', () => {
  it('shows nodes with their partition, and whether absence means anything yet', async () => {
    const clock = createVirtualClock();
    const random = createSeededRandom(1);
    const client = createFakeClient({ clock, random });
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, spec: {} });
    const informer = createInformer(client, NODES, {}, { clock, random, watchTimeoutMs: 0 });
    const source = nodeSourceFrom(informer, client);
    const seen: string[] = [];
    source.addHandler({ add: (node) => void seen.push(node.metadata.name) });
    expect([source.hasSynced(), source.partitions()[0]?.state, source.size]).toEqual([false, 'syncing', 0]);
    void informer.run(new AbortController().signal);
    await source.synced();
    await clock.drain();
    expect([source.hasSynced(), source.partitions()[0]?.state, source.size]).toEqual([true, 'synced', 1]);
    expect([source.get('n1')?.partition, source.get('n2'), seen]).toEqual(['home', undefined, ['n1']]);
    expect(Array.from(source.nodes(), ({ node }) => node.metadata.name)).toEqual(['n1']);
  });
});
