/** A client whose writes carry a name, so that each change can be attributed to an actor. */
import type { Client } from '../../../machinery/client/client.ts';

export type Attribute = <T>(run: () => T) => T;

export function namedClient(inner: Client, attribute: Attribute): Client {
  return {
    get: (resource, key, options) => inner.get(resource, key, options),
    list: (resource, options) => inner.list(resource, options),
    watch: (resource, options) => inner.watch(resource, options),
    create: (resource, object, options) => attribute(() => inner.create(resource, object, options)),
    update: (resource, object, options) => attribute(() => inner.update(resource, object, options)),
    patch: (resource, key, patch, options) => attribute(() => inner.patch(resource, key, patch, options)),
    apply: (resource, object, options) => attribute(() => inner.apply(resource, object, options)),
    delete: (resource, key, options) => attribute(() => inner.delete(resource, key, options)),
    deleteCollection: (resource, options) => attribute(() => inner.deleteCollection(resource, options)),
    bind: (pod, nodeName, options) => attribute(() => inner.bind(pod, nodeName, options)),
    evict: (pod, options) => attribute(() => inner.evict(pod, options)),
  };
}
