/** Of a cluster that others use: the pods of one namespace and the nodes with one label, and nothing else of either. */
import type { KubeObject, Resource } from '../../../src/core/kube/objects.ts';
import type { Client, ListOptions, WatchOptions } from '../../../src/machinery/client.ts';

export interface Reach {
  readonly namespace: string;
  /** A label selector. */
  readonly nodes: string;
}

export function narrowClient(client: Client, { namespace, nodes }: Reach): Client {
  const within = <T extends KubeObject, O extends ListOptions | WatchOptions>(resource: Resource<T>, options: O): O => {
    if (resource.group !== '') return options;
    if (resource.resource === 'pods') return { ...options, namespace };
    return resource.resource === 'nodes' ? { ...options, labelSelector: nodes } : options;
  };
  return {
    ...client,
    list: (resource, options = {}) => client.list(resource, within(resource, options)),
    watch: (resource, options = {}) => client.watch(resource, within(resource, options)),
  };
}
