/** Operations of a user's tools: create or replace, change with retries, delete with absence ignored. */
import type { Registry } from '../../../core/api/registry/registry.ts';
import type { Json } from '../../../core/kube/json.ts';
import {
  apiVersionOf,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type Stored,
} from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import type { Client, DeleteOptions } from '../../../machinery/client/client.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { keyOf } from '../../../machinery/cache/object-keys.ts';
import { SimulationError } from '../errors.ts';

export interface Hands {
  readonly client: Client;
  resourceOf(named: { readonly apiVersion?: string; readonly kind: string }): Resource;
  keyIn(resource: Resource, named: { readonly name: string; readonly namespace?: string }): ObjectKey;
  /** Creates the object, or makes the one of that name equal to it; one that is being deleted is waited for. */
  apply(object: KubeObject): Promise<void>;
  /** Retries a conflict at once: no actor competes with a user for long. */
  change<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    make: (object: Stored<T>) => T,
    subresource?: string,
  ): Promise<void>;
  merge(resource: Resource, key: ObjectKey, body: Json): Promise<void>;
  remove(resource: Resource, key: ObjectKey, options?: DeleteOptions): Promise<void>;
}

/** How often a user checks whether a terminating object is gone. */
const LOOK_AGAIN_MS = 1_000;

/** `onReplace` gets each object that is about to be replaced. */
export function createHands(
  client: Client,
  registry: Registry,
  clock: Clock,
  onReplace: (object: KubeObject) => void,
): Hands {
  const unlessGone = (error: unknown): void => {
    if (!isStatus(error, 'NotFound')) throw error;
  };
  const resourceOf: Hands['resourceOf'] = ({ apiVersion, kind }) => {
    const found = registry
      .all()
      .find((each) => each.kind === kind && (apiVersion === undefined || apiVersion === apiVersionOf(each)));
    if (found !== undefined) return found;
    throw new SimulationError('EN_SIMULATION_STEP', `no such kind: ${apiVersion ?? ''} ${kind}`);
  };
  const keyIn: Hands['keyIn'] = (resource, { name, namespace }) => ({
    name,
    ...(resource.namespaced ? { namespace: namespace ?? 'default' } : {}),
  });

  return {
    client,
    resourceOf,
    keyIn,
    async apply(object) {
      const resource = resourceOf(object);
      const wanted = { ...object, metadata: { ...object.metadata, ...keyIn(resource, object.metadata) } };
      for (;;) {
        try {
          await client.create(resource, wanted);
          return;
        } catch (error) {
          if (!isStatus(error, 'AlreadyExists')) throw error;
        }
        const current = await client.get(resource, keyOf(wanted));
        if (current.metadata.deletionTimestamp !== undefined) {
          await clock.sleep(LOOK_AGAIN_MS);
          continue;
        }
        onReplace(current);
        const { resourceVersion, uid } = current.metadata;
        const metadata = { ...wanted.metadata, resourceVersion, uid };
        await client.update(resource, { ...current, ...wanted, metadata });
        return;
      }
    },
    async change(resource, key, make, subresource) {
      for (;;) {
        try {
          const object = await client.get(resource, key);
          const changed = make(object);
          if (changed !== object)
            await client.update(resource, changed, subresource === undefined ? {} : { subresource });
          return;
        } catch (error) {
          if (isStatus(error, 'NotFound')) return;
          if (!isStatus(error, 'Conflict')) throw error;
        }
      }
    },
    async merge(resource, key, body) {
      try {
        onReplace(await client.get(resource, key));
        await client.patch(resource, key, { type: 'merge', body });
      } catch (error) {
        unlessGone(error);
      }
    },
    async remove(resource, key, options) {
      await client.delete(resource, key, options).catch(unlessGone);
    },
  };
}
