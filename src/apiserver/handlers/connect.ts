import { methodNotAllowed, notFound } from '../../core/kube/status-error.ts';
import type { ConnectRequest, ConnectResponse } from '../contract/request.ts';
import { type HandlerContext, kindOf, storeKeyOf, unknownPath } from './steps/context.ts';

/** A stream behind an object: the object must exist, the rest is up to the hook that serves the stream. */
export function connect(context: HandlerContext, request: ConnectRequest): ConnectResponse | Promise<ConnectResponse> {
  const { target } = request;
  const kind = kindOf(context, target);
  if (!kind.subresources.some((subresource) => subresource.name === target.subresource)) throw unknownPath();
  const object = context.store.get(storeKeyOf(kind, target, target.name));
  if (object === undefined) throw notFound(kind, target.name);
  const handler = context.hooks.connect.get(`${kind.resource}/${target.subresource}`);
  if (handler === undefined) throw methodNotAllowed(kind, target.subresource);
  return handler(request, object);
}
