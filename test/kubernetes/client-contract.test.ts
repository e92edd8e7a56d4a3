/** The client over HTTP keeps its contract on the API server it was written for. */
import { afterAll, describe } from 'vitest';
import { CONFIG_MAPS } from '../../src/core/api/registry/resources.ts';
import type { ConfigMap } from '../../src/core/api/types/core-v1.ts';
import { describeClientContract } from '../../src/machinery/client/client.contract.ts';
import { startControlPlane, type ControlPlane } from './support/control-plane.ts';
import { minorRelease, missingPrograms } from './support/programs.ts';

// Without its cache the server forgets when etcd does, which can be asked for.
describe.skipIf(missingPrograms(['etcd', 'kube-apiserver']).length > 0).each([true, false])(
  'with a watch cache: %s',
  (hasCache) => {
    let plane: ControlPlane | undefined;
    afterAll(() => plane?.stop());

    describeClientContract('HTTP to a kube-apiserver', async () => {
      // Pods need a service account, which kube-controller-manager would make; here nobody does.
      const apiServer = ['--disable-admission-plugins=ServiceAccount', `--watch-cache=${hasCache}`];
      const running = await startControlPlane({ apiServer });
      plane = running;
      const client = await plane.clientOf(plane.admin);
      const compact = async (): Promise<void> => {
        // The newest revision is never forgotten, so there must be one that nobody looks for.
        const metadata = { generateName: 'filler-' } as ConfigMap['metadata'];
        const filler = await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
        await running.compact(filler.metadata.resourceVersion);
      };
      const features = ['validation', 'apply', 'strategic'] as const;
      const lacksInitialEvents = minorRelease() < 32;
      return { client, features, checksVersionLate: true, lacksInitialEvents, ...(hasCache ? {} : { compact }) };
    });
  },
);
