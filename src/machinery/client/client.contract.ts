/**
 * The contract of every transport of `Client`. Each implementation runs this suite:
 *
 *     describeClientContract('in-process', async () => ({ client, compact, close }));
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { describeChangeContract } from './contract/change.contract.ts';
import { describeCreateContract } from './contract/create.contract.ts';
import { describeDeleteContract } from './contract/delete.contract.ts';
import { describeListContract } from './contract/list.contract.ts';
import { NAMESPACES } from '../../core/api/registry/resources.ts';
import { namespaceNamed, type ClientHarness, type ContractContext } from './contract/support.contract.ts';
import { describeWatchContract } from './contract/watch.contract.ts';
import { realRandom } from '../random/real-random.ts';

export type { ClientHarness } from './contract/support.contract.ts';

export function describeClientContract(name: string, makeHarness: () => ClientHarness | Promise<ClientHarness>): void {
  describe(`client contract: ${name}`, () => {
    let context: ContractContext;

    beforeAll(async () => {
      const harness = await makeHarness();
      const freshNamespace = async (): Promise<string> => {
        const wanted = namespaceNamed(`contract-${realRandom.suffix(8)}`);
        return (await harness.client.create(NAMESPACES, wanted)).metadata.name;
      };
      const podNamespace = harness.namespace ?? (await freshNamespace());
      context = { harness, client: harness.client, freshNamespace, podNamespace };
    });
    afterAll(() => context.harness.close?.());

    const current = (): ContractContext => context;
    describeCreateContract(current);
    describeChangeContract(current);
    describeDeleteContract(current);
    describeListContract(current);
    describeWatchContract(current);
  });
}
