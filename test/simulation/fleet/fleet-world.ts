import { createFleet, type FleetOptions } from '../../../src/nodes/fleet/fleet.ts';
import { createWorld, type World } from '../support/world.ts';

export interface FleetWorld extends World {
  stopFleet(): Promise<void>;
  startFleet(): Promise<void>;
}

/** A world whose only actor is the fleet, which can be stopped and started at any point. */
export async function fleet(options: Partial<FleetOptions> = {}): Promise<FleetWorld> {
  const world = await createWorld();
  const begin = () =>
    world.start(({ client, informers, clock, logger }) => [
      createFleet({ client, informers, clock, logger, ...options }),
    ]);
  let running = await begin();
  return Object.assign(world, {
    stopFleet: () => running.stop(),
    async startFleet() {
      running = await begin();
    },
  });
}
