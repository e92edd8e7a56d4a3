/** The custom resource that a component is reconciled from, where it still is. */
import { COMPONENT_KIND, COMPONENT_PLURAL, GENERATIONS } from '../../../core/api/component/generations.ts';
import type { Resource, Stored } from '../../../core/kube/objects.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import type { Calls } from './calls.ts';
import { refOf } from './object-ref.ts';

/** One resource for each version of each group, the first of a group first. */
const COMPONENT_RESOURCES: readonly Resource[] = GENERATIONS.map(({ group, version }) => ({
  group,
  version,
  resource: COMPONENT_PLURAL,
  kind: COMPONENT_KIND,
  namespaced: true,
}));

/** `KubernetesDaemonSet team/agent` */
export const customResourceText = ({ kind, metadata: { namespace = '', name } }: Stored): string =>
  `${kind} ${namespace}/${name}`;

/** Undefined also where one may not look: then nothing is known of it. */
export async function customResourceOf(calls: Calls, name: string, uid: string): Promise<Stored | undefined> {
  for (const resource of COMPONENT_RESOURCES) {
    try {
      const { items } = await calls.attempt('list', refOf(resource, '', name), (signal) =>
        calls.context.client.list(resource, {
          fieldSelector: `metadata.name=${name}`,
          ...(signal === undefined ? {} : { signal }),
        }),
      );
      const found = items.find(({ metadata }) => metadata.uid === uid);
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof StatusError) || (error.code !== 403 && error.code !== 404)) throw error;
    }
  }
  return undefined;
}
