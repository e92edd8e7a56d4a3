/** Facts of a cluster that lints compare with: labels of namespaces, and daemons. */
import { DAEMON_SETS, NAMESPACES } from '../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { missingObjects, type MissingObject } from '../../control/component/apply/missing.ts';
import { identityText } from '../../control/component/apply/rendered.ts';
import type { Rendered } from '../../core/component/render/render.ts';
import { onCluster } from './cluster.ts';
import type { ClusterFlags } from './flags.ts';

type Labels = { readonly [key: string]: string };

export interface Surroundings {
  /** Missing objects that the component's pods name, by `namespace/name` of the component. */
  readonly missing: ReadonlyMap<string, readonly MissingObject[]>;
  readonly daemons: readonly DaemonSet[];
  /** Undefined where the namespace does not exist. */
  labelsOf(namespace: string): Labels | undefined;
}

export async function lookAtCluster(flags: ClusterFlags, components: readonly Rendered[]): Promise<Surroundings> {
  const labels = new Map<string, Labels>();
  const missing = new Map<string, readonly MissingObject[]>();
  let daemons: readonly DaemonSet[] = [];
  await onCluster(flags, {}, async ({ context: { client, signal } }) => {
    const settings = signal === undefined ? {} : { signal };
    ({ items: daemons } = await client.list(DAEMON_SETS, settings));
    for (const name of new Set(components.map(({ identity }) => identity.namespace))) {
      try {
        labels.set(name, (await client.get(NAMESPACES, { name }, settings)).metadata.labels ?? {});
      } catch (error) {
        if (!isStatus(error, 'NotFound')) throw error;
      }
    }
    for (const component of components)
      missing.set(
        identityText(component.identity),
        await missingObjects({ client, ...settings }, component, components),
      );
  });
  return { daemons, missing, labelsOf: (namespace) => labels.get(namespace) };
}
