/** Owners of fields outlive the process that wrote them down. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOOPBACK } from '../../src/apiserver/contract/users.ts';
import { bootstrap } from '../../src/apiserver/bootstrap.ts';
import { createInProcessClient } from '../../src/apiserver/inprocess/in-process-client.ts';
import { openClusterStore } from '../../src/assembly/cluster-store.ts';
import { createEmbeddedApi } from '../../src/assembly/embedded-api.ts';
import { managedOf } from '../../src/core/api/apply/managed.ts';
import { CONFIG_MAPS } from '../../src/core/api/registry/resources.ts';
import type { ConfigMap } from '../../src/core/api/types/core-v1.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { silentLogger } from '../../src/machinery/logging/logger.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';

const map = (name: string, data: { readonly [key: string]: string }): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});

async function session<T>(folder: string, use: (client: Client) => Promise<T>): Promise<T> {
  const store = await openClusterStore(join(folder, 'data'), realClock, silentLogger);
  const client = createInProcessClient(createEmbeddedApi(store, silentLogger), { user: LOOPBACK });
  try {
    return await use(client);
  } finally {
    await store.close();
  }
}

describe('owners of fields in a data directory', () => {
  it('are there after a restart, shared among alike objects, and still stand in the way of others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'everynode-test-'));
    try {
      const before = await session(folder, async (client) => {
        await bootstrap(client);
        await client.apply(CONFIG_MAPS, map('a', { x: '1', y: '1' }), { fieldManager: 'ann' });
        await client.apply(CONFIG_MAPS, map('b', { x: '1', y: '2' }), { fieldManager: 'ann' });
        return managedOf(await client.get(CONFIG_MAPS, { namespace: 'default', name: 'a' }));
      });
      expect(before?.length).toBe(1);
      await session(folder, async (client) => {
        const a = await client.get(CONFIG_MAPS, { namespace: 'default', name: 'a' });
        const b = await client.get(CONFIG_MAPS, { namespace: 'default', name: 'b' });
        expect(managedOf(a)).toEqual(before);
        expect(managedOf(b)?.[0]?.set).toBe(managedOf(a)?.[0]?.set);
        await expect(client.apply(CONFIG_MAPS, map('a', { x: '2' }), { fieldManager: 'bob' })).rejects.toThrow(
          'Apply failed with 1 conflict: conflict with "ann": .data.x',
        );
        const after = await client.apply(CONFIG_MAPS, map('a', { x: '1' }), { fieldManager: 'ann' });
        expect(after.data).toEqual({ x: '1' });
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
