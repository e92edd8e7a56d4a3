import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startTestCluster } from '../support/cluster.ts';
import { definitionOf, establish, resourceOf, specOf, thingOf, versionOf } from './definitions.ts';

let folder = '';
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('serves custom kinds again after a restart, from the first request on', async () => {
  folder = mkdtempSync(join(tmpdir(), 'everynode-custom-'));
  const definition = definitionOf([
    versionOf(specOf({ a: { type: 'string', default: 'x' } })),
    versionOf(specOf({ a: { type: 'string' } }), { name: 'v2', storage: false }),
  ]);
  const before = await startTestCluster({ groups: [], dataDir: folder });
  await establish(before.client, definition);
  const made = await before.client.create(resourceOf(definition), thingOf(definition, 'kept', {}));
  await before.stop();

  const after = await startTestCluster({ groups: [], dataDir: folder });
  try {
    const key = { namespace: 'default', name: 'kept' };
    expect(await after.client.get(resourceOf(definition), key)).toEqual(made);
    expect((await after.client.get(resourceOf(definition, 'v2'), key)).spec).toEqual({ a: 'x' });
    expect(after.api.registry.byResource('test.example.com', 'v1', 'things')?.shortNames).toEqual([]);
  } finally {
    await after.stop();
  }
});
