/** DELETE of one object, and of everything a selection names. */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { ApiResponse, DeleteCollectionRequest, DeleteRequest } from '../contract/request.ts';
import { listObjects } from './list.ts';
import { type HandlerContext, kindOf, requireVerb } from './steps/context.ts';
import { checkDeleteOptions } from './steps/deletion.ts';
import { checkListOptions } from './steps/list-options.ts';
import { removeObject, warnOfKeptPods } from './steps/remove-object.ts';

export function remove(context: HandlerContext, request: DeleteRequest): Promise<ApiResponse> {
  const kind = kindOf(context, request.target);
  requireVerb(kind, request.target.subresource, 'delete');
  return removeObject(context, { ...request, kind });
}

/** How many deletions of a collection are under way at once. */
const AT_ONCE = 256;

export async function removeCollection(
  context: HandlerContext,
  request: DeleteCollectionRequest,
): Promise<ApiResponse> {
  const { options, target } = request;
  const kind = kindOf(context, target);
  requireVerb(kind, target.subresource, 'deletecollection');
  checkListOptions(options);
  checkDeleteOptions(options);
  warnOfKeptPods(kind, options, request.warn);
  const list = listObjects(context, kind, { target, options });
  for (let at = 0; at < list.items.length; at += AT_ONCE) {
    request.signal?.throwIfAborted();
    await Promise.all(list.items.slice(at, at + AT_ONCE).map((item) => removeListed(context, request, kind, item)));
  }
  return { type: 'list', list };
}

async function removeListed(
  context: HandlerContext,
  request: DeleteCollectionRequest,
  kind: KindDefinition,
  item: Stored,
): Promise<void> {
  const { name, namespace = '' } = item.metadata;
  const { verb: _, ...base } = request;
  try {
    await removeObject(context, { ...base, kind, target: { ...request.target, namespace, name } });
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error;
  }
}
