/** What a lint compares with: the labels of namespaces and the daemons of a cluster. */
import { DAEMON_SETS, NAMESPACES } from '../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { onCluster } from './cluster.ts';
import type { ClusterFlags } from './flags.ts';

type Labels = { readonly [key: string]: string };

export interface Surroundings {
  readonly daemons: readonly DaemonSet[];
  /** Undefined where the namespace does not exist. */
  labelsOf(namespace: string): Labels | undefined;
}

export async function lookAtCluster(flags: ClusterFlags, namespaces: readonly string[]): Promise<Surroundings> {
  const labels = new Map<string, Labels>();
  let daemons: readonly DaemonSet[] = [];
  await onCluster(flags, {}, async ({ context: { client, signal } }) => {
    const settings = signal === undefined ? {} : { signal };
    ({ items: daemons } = await client.list(DAEMON_SETS, settings));
    for (const name of new Set(namespaces)) {
      try {
        labels.set(name, (await client.get(NAMESPACES, { name }, settings)).metadata.labels ?? {});
      } catch (error) {
        if (!isStatus(error, 'NotFound')) throw error;
      }
    }
  });
  return { daemons, labelsOf: (namespace) => labels.get(namespace) };
}
