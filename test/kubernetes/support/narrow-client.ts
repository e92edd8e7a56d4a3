/** Of a cluster that others use: the pods of one namespace and the nodes with one label, and nothing else of either. */
import type { KubeObject, Resource } from '../../../src/core/kube/objects.ts';
import type { Client, ListOptions, WatchOptions } from '../../../src/machinery/client/client.ts';

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

export const ROOT_CERTIFICATE = 'kube-root-ca.crt';
const ALL_BUT_IT = `metadata.name!=${ROOT_CERTIFICATE}`;

/**
 * As if nobody put a certificate into every namespace: whoever counts config maps finds their own alone. The certificate
 * must be there already.
 */
export function withoutRootCertificates(client: Client): Client {
  const isTheirs = (resource: Resource): boolean => resource.group === '' && resource.resource === 'configmaps';
  const without = <O extends ListOptions | WatchOptions>(options: O): O => ({
    ...options,
    fieldSelector: [options.fieldSelector ?? [], ALL_BUT_IT].flat().join(','),
  });
  return {
    ...client,
    async list(resource, options = {}) {
      if (!isTheirs(resource)) return client.list(resource, options);
      // Asked with a selector, the server would not say how many more there are.
      const { remainingItemCount, ...page } = await client.list(resource, options);
      const items = page.items.filter(({ metadata }) => metadata.name !== ROOT_CERTIFICATE);
      if (remainingItemCount === undefined) return { ...page, items };
      const isToCome = (items.at(-1)?.metadata.name ?? '') < ROOT_CERTIFICATE;
      return { ...page, items, remainingItemCount: remainingItemCount - (isToCome ? 1 : 0) };
    },
    watch: (resource, options = {}) => client.watch(resource, isTheirs(resource) ? without(options) : options),
    deleteCollection: (resource, options = {}) =>
      client.deleteCollection(resource, isTheirs(resource) ? without(options) : options),
  };
}
