/** Takes the taint `everynode.dev/unreserved` off a node and leaves all others alone, whoever changes the node meanwhile. */
import { NODES } from '../../../core/api/registry/resources.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { unlessGone } from '../../../machinery/children/write-outcomes.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { taintIndex } from './unreserved-node.ts';

/** The node without the taint; `changed`: its taints are others than were seen; `gone`: the node is. */
export async function removeTaint(client: Client, node: Stored<Node>): Promise<Stored<Node> | 'changed' | 'gone'> {
  const { name, uid } = node.metadata;
  const index = taintIndex(node);
  const path = `/spec/taints/${index}`;
  const value = { ...node.spec?.taints?.[index] } as Json;
  const body: readonly Json[] = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path, value },
    { op: 'remove', path },
  ];
  try {
    return (await unlessGone(client.patch(NODES, { name }, { type: 'json', body }))) ?? 'gone';
  } catch (error) {
    if (isStatus(error, 'Invalid') || isStatus(error, 'Conflict')) return 'changed';
    throw error;
  }
}
