import { describeClientContract } from '../client/client.contract.ts';
import { realClock } from '../time/real-clock.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient } from './fake-client.ts';

describeClientContract('fake', () => {
  const client = createFakeClient({ clock: realClock, random: createSeededRandom(1) });
  return { client, features: ['tenants'], compact: () => client.compact() };
});
