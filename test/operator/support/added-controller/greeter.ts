/** A controller that the product does not have: labels every Node. */
import { NODES } from '../../../../src/core/api/registry/resources.ts';
import type { Actor } from '../../../../src/machinery/actor.ts';
import { createController } from '../../../../src/machinery/controller/controller.ts';
import type { Surroundings } from '../../../../src/machinery/controller/surroundings.ts';

export const GREETED = 'fixture.everynode.dev/greeted';

export function createGreeter({ client, informers, clock, random }: Surroundings): Actor {
  const nodes = informers.for(NODES);
  const controller = createController<string>({
    name: 'greeter',
    clock,
    random,
    async reconcile(name) {
      if (nodes.lister.get(name)?.metadata.labels?.[GREETED] !== undefined) return;
      await client.patch(NODES, { name }, { type: 'merge', body: { metadata: { labels: { [GREETED]: 'yes' } } } });
    },
  });
  controller.watch(nodes, ({ metadata }) => [metadata.name]);
  return controller;
}
