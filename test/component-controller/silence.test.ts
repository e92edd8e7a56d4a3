/** In whatever state a component is: when nothing happens any more, nothing is written any more, and little is read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { undoComponent } from '../../src/control/component/apply/undo.ts';
import { CONFIG_MAPS } from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { counting } from '../component-apply/faulty-client.ts';
import {
  change,
  COMPONENTS,
  find,
  getComponent,
  makeNamespace,
  manifest,
  type ManifestOptions,
  type RunningController,
} from './setting.ts';
import { openVirtualWorld, type VirtualWorld } from './virtual-world.ts';

let world: VirtualWorld;
let client: Client;
let controller: RunningController;
let writes: readonly string[] = [];
let reads = 0;
beforeAll(async () => {
  world = await openVirtualWorld({ nodes: 2 });
  client = world.client;
  controller = world.start((direct) => {
    const counted = counting({
      ...direct,
      get: (resource, key, options) => {
        reads += 1;
        return direct.get(resource, key, options);
      },
      list: (resource, options) => {
        reads += 1;
        return direct.list(resource, options);
      },
    });
    writes = counted.seen;
    return counted.client;
  });
}, 60_000);
afterAll(async () => {
  await controller.stop();
  await world.stop();
});

const phaseOf = (name: string, phase: string) =>
  world.until(
    () => getComponent(client, name),
    ({ status, metadata }) => status?.phase === phase && status.observedGeneration === metadata.generation,
  );
const make = (name: string, options: ManifestOptions = {}) =>
  client.create(COMPONENTS, manifest({ name, namespace: name, ...options }));

interface State {
  readonly phase: string;
  readonly how: string;
  bring(name: string): Promise<unknown>;
}

const UNKNOWN = { env: { variables: [{ name: 'PEER', valueFrom: { name: 'nobody', fieldPath: 'spec.namespace' } }] } };
const STATES: readonly State[] = [
  { phase: 'Ready', how: 'all is well', bring: (name) => make(name) },
  {
    phase: 'Ready',
    how: 'pods are replaced by hand',
    async bring(name) {
      await make(name, { spec: { updateStrategy: { type: 'OnDelete' } } });
      await phaseOf(name, 'Ready');
      await change(client, { container: { app: { image: 'example.test/agent:2' } } }, name);
    },
  },
  {
    phase: 'Degraded',
    how: 'no node has room',
    bring: (name) => make(name, { container: { resources: { requests: { cpu: '4000' } } } }),
  },
  { phase: 'Invalid', how: 'a mistake was stored', bring: (name) => make(name, { spec: { minReadySeconds: -1 } }) },
  {
    phase: 'Waiting',
    how: 'its namespace is not there',
    bring: (name) => make(name, { spec: { createNamespace: false } }),
  },
  { phase: 'Waiting', how: 'another is not there', bring: (name) => make(name, { container: UNKNOWN }) },
  {
    phase: 'Conflict',
    how: 'somebody has the name',
    async bring(name) {
      await makeNamespace(client, name);
      const metadata = { name: `${name}-config`, namespace: name };
      await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } });
      await make(name);
    },
  },
  {
    phase: 'Undone',
    how: 'somebody went back',
    async bring(name) {
      await make(name);
      await phaseOf(name, 'Ready');
      await change(client, { container: { app: { image: 'example.test/agent:2' } } }, name);
      await phaseOf(name, 'Ready');
      await undoComponent({ client, clock: world.clock, random: createSeededRandom(3) }, { name, namespace: name });
    },
  },
  {
    phase: 'Paused',
    how: 'somebody wants it left alone',
    bring: (name) => make(name, { annotations: { 'everynode.dev/paused': 'true' } }),
  },
];

describe('a component that stays as it is', () => {
  it.each(STATES.map((state, at) => ({ ...state, name: `state-${at}` })))(
    '$phase, $how',
    async ({ phase, bring, name }) => {
      await bring(name);
      await phaseOf(name, phase);
      await world.clock.advance(120_000);
      const before = writes.length;
      const readBefore = reads;
      await world.clock.advance(3_600_000);
      expect(writes.slice(before)).toEqual([]);
      expect((await getComponent(client, name)).status?.phase).toBe(phase);
      // Now and then it is looked whether what stood in the way is still there: every five minutes at most.
      expect(reads - readBefore).toBeLessThan(12 * 40);
      await client.delete(COMPONENTS, { namespace: 'default', name });
      if (phase === 'Paused') {
        const body = { metadata: { annotations: { 'everynode.dev/paused': null } } };
        await client.patch(COMPONENTS, { namespace: 'default', name }, { type: 'merge', body }).catch(() => undefined);
      }
      await world.until(
        () => find(client, COMPONENTS, name, 'default'),
        (object) => object === undefined,
      );
    },
  );
});
