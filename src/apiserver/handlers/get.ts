import { notFound } from '../../core/kube/status-error.ts';
import type { ApiResponse, GetRequest } from '../contract/request.ts';
import { type HandlerContext, kindOf, requireVerb, storeKeyOf } from './steps/context.ts';
import { parseResourceVersion, tooLargeResourceVersion } from './steps/resource-version.ts';
import { readScale } from './subresources/scale.ts';

/**
 * Reads see the committed head, which is the newest there is, so "" and "0" mean the same and "at least N" only has
 * to refuse what lies in the future.
 */
export function get(context: HandlerContext, request: GetRequest): ApiResponse {
  const { target } = request;
  const kind = kindOf(context, target);
  requireVerb(kind, target.subresource, 'get');
  const wanted = parseResourceVersion(request.resourceVersion ?? '');
  if (wanted > context.store.revision) throw tooLargeResourceVersion(wanted, context.store.revision);
  const object = context.store.get(storeKeyOf(kind, target, target.name));
  if (object === undefined) throw notFound(kind, target.name);
  return { type: 'object', object: target.subresource === 'scale' ? readScale(kind, object) : object, created: false };
}
