/** A cluster in virtual time for components, whose controller can be ended and begun anew as often as one likes. */
import { createDefinitionConditions } from '../../src/control/housekeeping/crd-conditions.ts';
import { createGarbageCollector } from '../../src/control/housekeeping/garbage-collector.ts';
import { createNamespaceController } from '../../src/control/housekeeping/namespace-controller.ts';
import { collectableResources, namespacedResources } from '../../src/control/housekeeping/served-resources.ts';
import { createServiceAccounts } from '../../src/control/housekeeping/service-accounts.ts';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import type { VirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import { createWorld, type WorldOptions } from '../daemonset/world.ts';
import { installDefinitions, startController, type RunningController } from './setting.ts';

export interface VirtualWorld {
  readonly clock: VirtualClock;
  /** Moves time on while it waits for an answer. */
  readonly client: Client;
  /** A controller; `through` stands between it and the server. */
  start(through?: (client: Client) => Client): RunningController;
  until<T>(read: () => Promise<T>, isIt: (value: T) => boolean, limitMs?: number): Promise<T>;
  /** Runs on for a while, and says whether the condition came to hold. */
  runUntil(condition: () => boolean, limitMs: number): Promise<boolean>;
  stop(): Promise<void>;
}

const KINDS = createRegistry().all();
const LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 50;

export async function openVirtualWorld(options: WorldOptions = {}): Promise<VirtualWorld> {
  const world = await createWorld({ nodes: 1, ...options });
  const { clock, client, direct } = world;
  const random = createSeededRandom(29);

  /** Whoever ends something waits for it, and nobody else moves time on meanwhile. */
  async function over(done: Promise<unknown>): Promise<void> {
    let isOver = false;
    void done.finally(() => (isOver = true)).catch(() => undefined);
    await clock.runUntil(() => isOver, LIMIT_MS);
    await done;
  }

  async function until<T>(read: () => Promise<T>, isIt: (value: T) => boolean, limitMs = LIMIT_MS): Promise<T> {
    const end = clock.monotonic() + limitMs;
    for (;;) {
      const value = await read();
      if (isIt(value)) return value;
      if (clock.monotonic() > end)
        throw new Error(`it did not come about in time: ${JSON.stringify(value, undefined, 1)?.slice(0, 6000)}`);
      await clock.advance(LOOK_EVERY_MS);
    }
  }

  const informers = createInformers(direct, { clock, random });
  const around = { client: direct, informers, clock, random };
  const keepers = [
    createDefinitionConditions(around),
    createGarbageCollector({ ...around, resources: collectableResources(KINDS) }),
    // Without its wait, which would hide one of the component controller's own.
    createNamespaceController({ ...around, resources: () => namespacedResources(KINDS), graceMs: 0 }),
    createServiceAccounts(around),
    informers,
  ];
  const stopping = new AbortController();
  const running = Promise.all(keepers.map((keeper) => keeper.start(stopping.signal)));
  await installDefinitions(client, until);

  return {
    clock,
    client,
    start(through = (plain) => plain) {
      const controller = startController(through(direct), { clock, random });
      return { lines: controller.lines, stop: () => over(controller.stop()) };
    },
    until,
    runUntil: (condition, limitMs) => clock.runUntil(condition, limitMs),
    async stop() {
      stopping.abort();
      await over(running);
      await world.stop();
    },
  };
}
