/**
 * The API's one error: a Kubernetes `Status` that can be thrown. Both transports throw it, so a controller's
 * `catch` reads the same in the embedded process and against a real cluster.
 */
import type { FieldError } from './field-errors.ts';

export type StatusReason =
  | ''
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'ServerTimeout'
  | 'StoreReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable'
  | 'Unknown';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(code: number, reason: StatusReason, message: string, details?: StatusDetails, options?: ErrorOptions) {
    super(message, options);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): StatusReason {
    return this.status.reason ?? '';
  }
}

/** Group and plural resource name, as messages print it: `pods "x" not found`, `daemonsets.apps "x" not found`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

const qualified = ({ group, resource }: GroupResource): string => (group === '' ? resource : `${resource}.${group}`);
const detailsOf = ({ group, resource }: GroupResource, name: string): StatusDetails => ({
  name,
  ...(group === '' ? {} : { group }),
  kind: resource,
});

export const notFound = (what: GroupResource, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${qualified(what)} ${JSON.stringify(name)} not found`, detailsOf(what, name));

export const alreadyExists = (what: GroupResource, name: string): StatusError =>
  new StatusError(
    409,
    'AlreadyExists',
    `${qualified(what)} ${JSON.stringify(name)} already exists`,
    detailsOf(what, name),
  );

export const conflict = (what: GroupResource, name: string, why: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(what)} ${JSON.stringify(name)}: ${why}`,
    detailsOf(what, name),
  );

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message);

export const forbiddenRequest = (what: GroupResource, name: string, why: string): StatusError =>
  new StatusError(
    403,
    'Forbidden',
    name === ''
      ? `${qualified(what)} is forbidden: ${why}`
      : `${qualified(what)} ${JSON.stringify(name)} is forbidden: ${why}`,
    detailsOf(what, name),
  );

export const unauthorized = (message = 'Unauthorized'): StatusError => new StatusError(401, 'Unauthorized', message);

export const expired = (message: string): StatusError => new StatusError(410, 'Expired', message);

export const methodNotAllowed = (what: GroupResource, verb: string): StatusError =>
  new StatusError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind ${JSON.stringify(qualified(what))}`,
    {
      ...(what.group === '' ? {} : { group: what.group }),
      kind: what.resource,
    },
  );

export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  new StatusError(429, 'TooManyRequests', message, { retryAfterSeconds });

export const internalError = (cause: unknown): StatusError => {
  const text = cause instanceof Error ? cause.message : String(cause);
  return new StatusError(
    500,
    'InternalError',
    `Internal error occurred: ${text}`,
    { causes: [{ message: text }] },
    { cause },
  );
};

/** 422: the object is well-formed but says something that may not be said. `kind` is the Kind, not the resource. */
export function invalidObject(
  what: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const texts = errors.map((e) => `${e.field === '' ? '<nil>' : e.field}: ${e.message}`);
  const summary = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  const kind = what.group === '' ? what.kind : `${what.kind}.${what.group}`;
  return new StatusError(422, 'Invalid', `${kind} ${JSON.stringify(name)} is invalid: ${summary}`, {
    name,
    ...(what.group === '' ? {} : { group: what.group }),
    kind: what.kind,
    causes: errors.map((e) => ({ reason: e.type, message: e.message, field: e.field })),
  });
}

export const isStatus = (error: unknown, reason: StatusReason): error is StatusError =>
  error instanceof StatusError && error.reason === reason;
