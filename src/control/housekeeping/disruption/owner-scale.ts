/** How many pods the owners of some pods want, all together. */
import { REPLICA_SETS } from '../../../core/api/registry/resources.ts';
import type { Scale } from '../../../core/api/types/autoscaling-v1.ts';
import type { ReplicaSet } from '../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { SubresourceDefinition } from '../../../core/api/schema/parse-resources.ts';
import type { OwnerReference } from '../../../core/kube/meta-v1.ts';
import type { Resource, Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import type { Client } from '../../../machinery/client/client.ts';

/** A kind as far as it matters here: whether its objects have a scale. */
export interface ScalableResource extends Resource {
  readonly subresources: readonly Pick<SubresourceDefinition, 'name'>[];
}

interface OwnScale {
  readonly uid: string;
  readonly replicas: number;
}

export interface OwnerScales {
  /** Throws, in upstream's words, where an owner is not found or has no scale. Pods without an owner do not count. */
  total(pods: readonly Stored<Pod>[], signal: AbortSignal): Promise<{ scale: number; unmanaged: readonly string[] }>;
}

export function createOwnerScales(client: Client, resources: () => readonly ScalableResource[]): OwnerScales {
  async function scaleOf(owner: OwnerReference, namespace: string, signal: AbortSignal): Promise<OwnScale | undefined> {
    const { group, version } = groupVersion(owner.apiVersion);
    if (owner.kind === 'ReplicaSet' && (group === 'apps' || group === 'extensions')) {
      const key = { namespace, name: owner.name };
      const set = await client.get<ReplicaSet>(REPLICA_SETS, key, { signal }).catch(ignoreGone);
      if (set === undefined || set.metadata.uid !== owner.uid) return undefined;
      const above = controllerOf(set);
      if (above?.kind === 'Deployment') return scaleOf(above, namespace, signal);
      return { uid: set.metadata.uid, replicas: set.spec?.replicas ?? 1 };
    }
    const kinds = resources().filter((each) => each.group === group && each.kind === owner.kind);
    const resource = kinds.find((each) => each.version === version) ?? kinds[0];
    if (resource === undefined) throw new Error(`no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`);
    if (!resource.subresources.some(({ name }) => name === 'scale')) {
      const what = group === '' ? resource.resource : `${resource.resource}.${group}`;
      throw new Error(`${what} does not implement the scale subresource`);
    }
    const asked = { signal, subresource: 'scale' };
    const found: Stored | undefined = await client
      .get(resource, { namespace, name: owner.name }, asked)
      .catch(ignoreGone);
    if (found === undefined || found.metadata.uid !== owner.uid) return undefined;
    return { uid: found.metadata.uid, replicas: (found as Stored<Scale>).spec?.replicas ?? 0 };
  }

  return {
    async total(pods, signal) {
      const asked = new Map<string, string>();
      const unmanaged: string[] = [];
      const owners: { owner: OwnerReference; namespace: string }[] = [];
      for (const pod of pods) {
        const { name, namespace = '' } = pod.metadata;
        const owner = controllerOf(pod);
        if (owner === undefined) unmanaged.push(name);
        else if (!asked.has(owner.uid)) {
          asked.set(owner.uid, name);
          owners.push({ owner, namespace });
        }
      }
      const scales = new Map<string, number>();
      for (const { owner, namespace } of owners) {
        const own = await scaleOf(owner, namespace, signal);
        if (own === undefined) throw new Error(`found no controllers for pod "${asked.get(owner.uid)}"`);
        scales.set(own.uid, own.replicas);
      }
      let scale = 0;
      for (const replicas of scales.values()) scale += replicas;
      return { scale, unmanaged };
    },
  };
}

function groupVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

function ignoreGone(error: unknown): undefined {
  if (!isStatus(error, 'NotFound')) throw error;
}
