import { describe, expect, it } from 'vitest';
import { REPLICA_SETS } from '../../core/api/registry/resources.ts';
import type { ReplicaSet } from '../../core/api/types/apps-v1.ts';
import { conflict } from '../../core/kube/status-error.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient } from '../testing/fake-client.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';
import { writeStatus } from './write-status.ts';

const key = { namespace: 'default', name: 'web' };
const web: ReplicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: key, spec: { selector: {} } };

async function setUp() {
  const client = createFakeClient({ clock: createVirtualClock(), random: createSeededRandom(1) });
  return { client, object: await client.create(REPLICA_SETS, web) };
}

const counted = ({ metadata }: ReplicaSet) => ({ replicas: Number(metadata.labels?.['count'] ?? 0) });

describe('writing a status', () => {
  it('meets a conflict with the status for the fresh object', async () => {
    const { client, object } = await setUp();
    const labels = { count: '3' };
    const changed = await client.update(REPLICA_SETS, { ...object, metadata: { ...object.metadata, labels } });
    const written = await writeStatus(client, REPLICA_SETS, object, counted);
    expect(written.status).toEqual({ replicas: 3 });
    expect(written.metadata.generation).toBe(changed.metadata.generation);
  });

  it('leaves an object that is gone as it was, and another of its name alone', async () => {
    const { client, object } = await setUp();
    await client.delete(REPLICA_SETS, key);
    expect(await writeStatus(client, REPLICA_SETS, object, counted)).toBe(object);
    const other = await client.create(REPLICA_SETS, web);
    await expect(writeStatus(client, REPLICA_SETS, object, counted)).rejects.toThrow('web');
    expect((await client.get(REPLICA_SETS, key)).metadata.resourceVersion).toBe(other.metadata.resourceVersion);
  });

  it('throws the second failure', async () => {
    const { client, object } = await setUp();
    client.before = ({ verb }) => {
      if (verb === 'update') throw conflict(REPLICA_SETS, 'web', 'again');
    };
    await expect(writeStatus(client, REPLICA_SETS, object, counted)).rejects.toThrow('again');
    expect(client.requests.map(({ verb }) => verb)).toEqual(['create', 'update', 'get', 'update']);
  });
});
