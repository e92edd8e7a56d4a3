/**
 * The API's one error: a Kubernetes `Status` that can be thrown. Both transports throw it, so a controller's
 * `catch` reads the same in the embedded process and against a real cluster.
 */
import { aggregateMessage, pathText, type FieldError } from './field-errors.ts';
import { goQuote } from './go-text.ts';

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
  /** Absent in the Status of a successful deletion. */
  readonly code?: number;
}

export type FailureStatus = Status & { readonly code: number };

export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: FailureStatus;

  constructor(code: number, reason: StatusReason, message: string, details?: StatusDetails, options?: ErrorOptions) {
    super(message, options);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      ...(message === '' ? {} : { message }),
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }

  /** The error that a `Status` from a server stands for. */
  static from(status: FailureStatus, options?: ErrorOptions): StatusError {
    const { code, reason = '', message = '', details } = status;
    return new StatusError(code, reason, message, details, options);
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

/** Details as Go writes them: empty members are left out. */
const detailsOf = ({ group, resource }: GroupResource, name = '', retryAfterSeconds = 0): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(group === '' ? {} : { group }),
  ...(resource === '' ? {} : { kind: resource }),
  ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
});
const retryDetails = (retryAfterSeconds: number): StatusDetails =>
  retryAfterSeconds === 0 ? {} : { retryAfterSeconds };

export const notFound = (what: GroupResource, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${qualified(what)} ${goQuote(name)} not found`, detailsOf(what, name));

export const alreadyExists = (what: GroupResource, name: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${qualified(what)} ${goQuote(name)} already exists`, detailsOf(what, name));

/** No free name was found for a generateName; the client may try again after a moment. */
export const generateNameConflict = (what: GroupResource, name: string, retryAfterSeconds = 1): StatusError =>
  new StatusError(
    409,
    'AlreadyExists',
    `${qualified(what)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`,
    detailsOf(what, name, retryAfterSeconds),
  );

export const conflict = (what: GroupResource, name: string, why: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(what)} ${goQuote(name)}: ${why}`,
    detailsOf(what, name),
  );

/** Upstream's message about an update against an older resourceVersion. */
const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export const modifiedConflict = (what: GroupResource, name: string): StatusError => conflict(what, name, MODIFIED);

/** A precondition of a delete that does not hold. Upstream puts the kind where the resource usually stands. */
export const deletePreconditionConflict = (
  what: { readonly group: string; readonly kind: string },
  name: string,
  precondition: 'UID' | 'ResourceVersion',
  asked: string,
  actual: string,
): StatusError =>
  conflict(
    { group: what.group, resource: what.kind },
    name,
    `the ${precondition} in the precondition (${asked}) does not match the ${precondition} in record (${actual}). ${
      precondition === 'UID'
        ? 'The object might have been deleted and then recreated'
        : 'The object might have been modified'
    }`,
  );

/** A precondition that fails in the store, where upstream's error shows the store's own wrapping and key. */
export const preconditionConflict = (
  what: GroupResource,
  name: string,
  key: string,
  precondition: 'UID' | 'ResourceVersion',
  asked: string,
  actual: string,
): StatusError =>
  conflict(
    what,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${precondition} in precondition: ${asked}, ${precondition} in object meta: ${actual}`,
  );

/** Fields of an apply that other managers own; each cause names one. */
export const applyConflict = (message: string, causes: readonly StatusCause[]): StatusError =>
  new StatusError(409, 'Conflict', message, { causes });

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message);

export const forbiddenRequest = (what: GroupResource, name: string, why: string): StatusError => {
  const resource = qualified(what);
  const subject = name === '' ? resource : `${resource} ${goQuote(name)}`;
  return new StatusError(
    403,
    'Forbidden',
    resource === '' ? `forbidden: ${why}` : `${subject} is forbidden: ${why}`,
    detailsOf(what, name),
  );
};

export const unauthorized = (message = 'Unauthorized'): StatusError => new StatusError(401, 'Unauthorized', message);

/** The state that the request names (an old resourceVersion or continue token) is no longer held. */
export const expired = (message: string): StatusError => new StatusError(410, 'Expired', message);

export const gone = (message: string): StatusError => new StatusError(410, 'Gone', message);

export const methodNotAllowed = (what: GroupResource, verb: string): StatusError =>
  new StatusError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind ${goQuote(qualified(what))}`,
    detailsOf(what),
  );

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

/** The wanted form exists, but not in any of the types the client accepts. `target` is the form's kind. */
export const notAcceptableConversion = (target: string, accepted: readonly string[]): StatusError =>
  new StatusError(
    406,
    'NotAcceptable',
    `only the following media types are accepted when converting to ${target}: ${accepted.join(', ')}`,
  );

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const entityTooLarge = (message: string): StatusError =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);

/** Upstream's message about a body over the limit. */
export const bodyTooLarge = (limitBytes: number): StatusError => entityTooLarge(`limit is ${limitBytes}`);

export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  new StatusError(429, 'TooManyRequests', message, retryDetails(retryAfterSeconds));

export const serviceUnavailable = (message: string): StatusError => new StatusError(503, 'ServiceUnavailable', message);

/** A transient failure of the server; the request was not carried out and may be repeated. */
export const serverTimeout = (what: GroupResource, operation: string, retryAfterSeconds = 0): StatusError =>
  new StatusError(
    500,
    'ServerTimeout',
    `The ${operation} operation against ${qualified(what)} could not be completed at this time, please try again.`,
    detailsOf(what, operation, retryAfterSeconds),
  );

/** Deadline exceeded; the request may yet be carried out. */
export const timeout = (message: string, retryAfterSeconds = 0): StatusError =>
  new StatusError(504, 'Timeout', `Timeout: ${message}`, retryDetails(retryAfterSeconds));

/** A resourceVersion from the future: another server's, or one that was never answered. */
export const tooLargeResourceVersion = (asked: number, current: number, retryAfterSeconds = 0): StatusError =>
  new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...retryDetails(retryAfterSeconds),
  });

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

/** Bounds of a Status: a hostile object could have hundreds of thousands of findings, or huge ones. */
const MAX_FINDINGS = 100;
const MAX_FINDINGS_LENGTH = 256 * 1024;
const MAX_NAME_LENGTH = 1024;

const shortened = (text: string, limit: number): string => (text.length > limit ? `${text.slice(0, limit)}…` : text);

/** As many findings as fit within the bounds. Real objects never come near them. */
function listed(errors: readonly FieldError[]): readonly FieldError[] {
  let room = MAX_FINDINGS_LENGTH;
  const shown: FieldError[] = [];
  for (const error of errors) {
    if (shown.length === MAX_FINDINGS || room <= 0) break;
    const message = shortened(error.message, room);
    const field = shortened(error.field, MAX_NAME_LENGTH);
    shown.push(message === error.message && field === error.field ? error : { ...error, field, message });
    room -= message.length + field.length;
  }
  return shown;
}

/** 422: the object is well-formed but says something that may not be said. `kind` is the Kind, not the resource. */
export function invalidObject(
  what: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const kind = what.group === '' ? what.kind : `${what.kind}.${what.group}`;
  const shownName = shortened(name, MAX_NAME_LENGTH);
  const subject = `${kind} ${goQuote(shownName)} is invalid`;
  const shown = listed(errors);
  const more = errors.length === shown.length ? '' : ` and ${errors.length - shown.length} more`;
  const message = errors.length === 0 ? subject : `${subject}: ${aggregateMessage(shown)}${more}`;
  return new StatusError(422, 'Invalid', message, {
    ...detailsOf({ group: what.group, resource: what.kind }, shownName),
    ...(errors.length === 0
      ? {}
      : { causes: shown.map((e) => ({ reason: e.type, message: e.message, field: pathText(e.field) })) }),
  });
}

export const isStatus = (error: unknown, reason: StatusReason): error is StatusError =>
  error instanceof StatusError && error.reason === reason;
