/** An embedded cluster for a test: free port, temporary kubeconfig, gone afterwards. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded, type EmbeddedCluster, type EmbeddedOptions } from '../../src/assembly/embedded.ts';

export interface TestCluster extends EmbeddedCluster {
  readonly folder: string;
  readonly kubeconfigFile: string;
}

export async function startTestCluster(options: Partial<EmbeddedOptions> = {}): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-test-'));
  const cluster = await startEmbedded({ port: 0, bind: '127.0.0.1', ...options });
  const kubeconfigFile = join(folder, 'kubeconfig');
  writeFileSync(kubeconfigFile, cluster.kubeconfig, { mode: 0o600 });
  return {
    ...cluster,
    folder,
    kubeconfigFile,
    async stop() {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
