/** PUT: the whole object, as the client wants it to be. */
import { share } from '../../core/kube/immutable.ts';
import type { ApiResponse, UpdateRequest } from '../contract/request.ts';
import { changeObject, checkIdentity, createsOnUpdate } from './steps/change.ts';
import { type HandlerContext, kindOf, requireVerb, storeKeyOf } from './steps/context.ts';
import { decodeOptions } from './steps/decode.ts';
import { inTurn } from './steps/in-turn.ts';
import { ownersAfter, sentManagedFields } from './steps/managed-fields.ts';
import { withoutDuplicateOwners } from './steps/metadata.ts';
import { updateSubresource } from './subresources/subresources.ts';

export function update(context: HandlerContext, request: UpdateRequest): ApiResponse | Promise<ApiResponse> {
  const { target, warn } = request;
  const kind = kindOf(context, target);
  requireVerb(kind, target.subresource, 'update');
  const special = updateSubresource(context, kind, request);
  if (special !== undefined) return special;
  const baseline = context.store.get(storeKeyOf(kind, target, target.name));
  const raw = request.unshared === true ? share(baseline, request.object) : request.object;
  const decoded = context.decoder.decode(kind, raw, decodeOptions(request, baseline));
  // Whether the body is about the object of the path is asked before whether there is one, and before anything is warned of.
  checkIdentity(kind, request, decoded);
  const object = withoutDuplicateOwners(decoded, warn, false);
  const { uid } = object.metadata;
  return inTurn(request.pace, () =>
    changeObject(context, {
      ...request,
      kind,
      next: () => object,
      owners: (live) => ownersAfter(context, kind, request, live, object, sentManagedFields(raw)),
      mayCreate: createsOnUpdate(kind, target),
      ...(uid ? { uid } : {}),
    }),
  );
}
