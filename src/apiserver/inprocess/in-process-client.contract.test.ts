import { describeClientContract } from '../../machinery/client.contract.ts';
import { createTestServer } from '../testing/test-server.ts';

describeClientContract('in-process', async () => {
  const { client, store } = await createTestServer();
  return { client, close: () => store.close() };
});
