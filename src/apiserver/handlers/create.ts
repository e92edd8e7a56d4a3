/** POST: a new object, a question, or something done through a subresource. */
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import type { ApiResponse, CreateRequest } from '../contract/request.ts';
import { type HandlerContext, kindOf, requireVerb } from './steps/context.ts';
import { createObject } from './steps/create-object.ts';
import { decodeOptions } from './steps/decode.ts';
import { inTurn } from './steps/in-turn.ts';
import { sentManagedFields } from './steps/managed-fields.ts';
import { withoutDuplicateOwners } from './steps/metadata.ts';
import { createBinding, createSubresource } from './subresources/subresources.ts';

export function create(context: HandlerContext, request: CreateRequest): ApiResponse | Promise<ApiResponse> {
  const { target, warn } = request;
  const kind = kindOf(context, target);
  requireVerb(kind, target.subresource, 'create');
  if (target.subresource !== '') return createSubresource(context, kind, request);
  if (kind.kind === 'Binding' && kind.group === '') return createBinding(context, request);
  // Sharing comes before decoding: parts that are known by identity are not checked, defaulted or judged again.
  const raw = request.unshared === true ? context.sharing.share(request.object) : request.object;
  const decoded = context.decoder.decode(kind, raw, decodeOptions(request));
  const question = context.reviews.find(kind.group, kind.resource);
  if (question !== undefined) return answered(question({ object: decoded, target, user: request.user }));
  return inTurn(request.pace, () => {
    const object = withoutDuplicateOwners(withoutSystemFields(decoded), warn, false);
    const managed = context.owners.onCreate(kind, request, object, sentManagedFields(raw));
    return inTurn(request.pace, () => createObject(context, { ...request, kind, object, managed }));
  });
}

/** A new object is not being deleted, whatever the client sent; no manager owns these fields. */
function withoutSystemFields(object: KubeObject): KubeObject {
  const { deletionGracePeriodSeconds, deletionTimestamp } = object.metadata ?? {};
  if (deletionTimestamp === undefined && deletionGracePeriodSeconds === undefined) return object;
  const { deletionGracePeriodSeconds: _, deletionTimestamp: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A question comes back with its answer; there is nothing to store. */
async function answered(answer: KubeObject | Promise<KubeObject>): Promise<ApiResponse> {
  return { type: 'object', object: (await answer) as Stored, created: true };
}
