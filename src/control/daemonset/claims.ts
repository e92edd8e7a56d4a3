/**
 * Whose pods and revisions are whose. An orphan that the selector matches is taken in, a child it no longer matches is let
 * go. Before the first adoption the DaemonSet is read from the server: a cache may not know yet that it is being deleted,
 * and whoever adopts for a deleted owner steals from the garbage collector.
 */
import { DAEMON_SETS } from '../../core/api/registry/resources.ts';
import type { JsonObject } from '../../core/kube/json.ts';
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { controllerOf, controllerReference } from '../../core/kube/owner-references.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Client, Patch } from '../../machinery/client/client.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { KnownDaemon } from './known-daemon.ts';

export interface Claims {
  /** The object as adopted; undefined when it is gone. */
  adopt<T extends KubeObject>(resource: Resource<T>, object: Stored<T>): Promise<Stored<T> | undefined>;
  /** The object as released; undefined when it is gone or the reference was. */
  release<T extends KubeObject>(resource: Resource<T>, object: Stored<T>): Promise<Stored<T> | undefined>;
}

/** For one sync of one DaemonSet: what was found out about it holds as long. */
export function createClaims(client: Client, daemon: KnownDaemon): Claims {
  let mayAdopt: Promise<void> | undefined;

  async function checkOwner(): Promise<void> {
    const { uid, name, namespace = '' } = daemon.set.metadata;
    const fresh = await client.get(DAEMON_SETS, daemon.key);
    if (fresh.metadata.uid !== uid)
      throw new Error(`original DaemonSet ${namespace}/${name} is gone: got uid ${fresh.metadata.uid}, wanted ${uid}`);
    if (fresh.metadata.deletionTimestamp !== undefined)
      throw new Error(`${namespace}/${name} has just been deleted at ${fresh.metadata.deletionTimestamp}`);
  }

  async function patch<T extends KubeObject>(
    resource: Resource<T>,
    object: Stored<T>,
    reference: JsonObject,
    isFine: (error: unknown) => boolean,
  ): Promise<Stored<T> | undefined> {
    const { uid } = object.metadata;
    const body: Patch = { type: 'strategic', body: { metadata: { uid, ownerReferences: [reference] } } };
    try {
      return await client.patch(resource, keyOf(object), body);
    } catch (error) {
      if (isFine(error)) return undefined;
      throw error;
    }
  }

  return {
    async adopt(resource, object) {
      if (controllerOf(object) !== undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
      await (mayAdopt ??= checkOwner());
      const reference = controllerReference({ ...daemon.set, apiVersion: 'apps/v1', kind: 'DaemonSet' });
      return patch(resource, object, { ...reference }, (error) => isStatus(error, 'NotFound'));
    },
    release: (resource, object) =>
      patch(
        resource,
        object,
        { $patch: 'delete', uid: daemon.uid },
        // Gone, or no longer ours.
        (error) => isStatus(error, 'NotFound') || isStatus(error, 'Invalid'),
      ),
  };
}
