import { NODES } from '../../../core/api/registry/resources.ts';
import type { Node, Taint } from '../../../core/api/types/core-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import type { Client } from '../../../machinery/client/client.ts';

/** Writes taints and labels of a node at the version that was seen; false when the node has changed since. */
export async function writeTaints(
  client: Client,
  node: Stored<Node>,
  taints: readonly Taint[],
  signal: AbortSignal,
  labels?: { readonly [key: string]: string },
): Promise<boolean> {
  const isSame = taints === node.spec?.taints || (taints.length === 0 && node.spec?.taints === undefined);
  if (isSame && labels === undefined) return true;
  const { name, uid, resourceVersion } = node.metadata;
  const list: Json = taints.length === 0 ? null : taints.map((taint) => ({ ...taint }));
  const body: Json = {
    metadata: { uid, resourceVersion, ...(labels === undefined ? {} : { labels }) },
    ...(isSame ? {} : { spec: { taints: list } }),
  };
  try {
    await client.patch(NODES, { name }, { type: 'merge', body }, { signal });
    return true;
  } catch (error) {
    if (isStatus(error, 'NotFound')) return true;
    if (isStatus(error, 'Conflict')) return false;
    throw error;
  }
}
