import { CONFIG_MAPS } from '../../core/api/registry/resources.ts';
import { describeClientContract } from '../../machinery/client/client.contract.ts';
import { configMap } from '../testing/samples.ts';
import { createTestServer } from '../testing/test-server.ts';

const HELD_EVENTS = 500;

describeClientContract('in-process', async () => {
  const { client, store } = await createTestServer({ history: { events: HELD_EVENTS } });
  return {
    client,
    features: ['validation', 'tenants'],
    async compact() {
      const name = 'filler';
      await client.create(CONFIG_MAPS, configMap(name)).catch(() => undefined);
      for (let i = 0; i <= HELD_EVENTS; i++) await client.update(CONFIG_MAPS, configMap(name, {}, { i: String(i) }));
    },
    close: () => store.close(),
  };
});
