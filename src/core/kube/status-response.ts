/** HTTP responses without a `Status`: the error that client-go would make of the status code. */
import { goQuote } from './go-text.ts';
import { StatusError, type GroupResource, type StatusReason } from './status-error.ts';

interface Meaning {
  readonly reason: StatusReason;
  readonly message: string;
}

function meaningOf(code: number, verb: string, serverMessage: string): Meaning {
  switch (code) {
    case 409:
      return { reason: verb === 'POST' ? 'AlreadyExists' : 'Conflict', message: 'the server reported a conflict' };
    case 404:
      return { reason: 'NotFound', message: 'the server could not find the requested resource' };
    case 400:
      return { reason: 'BadRequest', message: 'the server rejected our request for an unknown reason' };
    case 401:
      return { reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials' };
    case 403:
      return { reason: 'Forbidden', message: serverMessage };
    case 406:
      return {
        reason: 'NotAcceptable',
        message:
          serverMessage === '' || serverMessage === 'unknown'
            ? 'the server was unable to respond with a content type that the client supports'
            : serverMessage,
      };
    case 415:
      return { reason: 'UnsupportedMediaType', message: serverMessage };
    case 405:
      return { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' };
    case 422:
      return { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' };
    case 503:
      return { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' };
    case 504:
      return {
        reason: 'Timeout',
        message:
          'the server was unable to return a response in the time allotted, but may still be processing the request',
      };
    case 429:
      return {
        reason: 'TooManyRequests',
        message: 'the server has received too many requests and has asked us to try again later',
      };
    default:
      return code >= 500
        ? {
            reason: 'InternalError',
            message: `an error on the server (${goQuote(serverMessage)}) has prevented the request from succeeding`,
          }
        : {
            reason: '',
            message: `the server responded with the status code ${code} but did not return more information`,
          };
  }
}

export interface ResponseContext {
  /** The HTTP method. */
  readonly verb?: string;
  readonly resource?: GroupResource;
  readonly name?: string;
  /** Text of the response body; empty or absent if there was none. */
  readonly serverMessage?: string;
  readonly retryAfterSeconds?: number;
  /** True for a response that no API server gives; its text becomes a cause. */
  readonly unexpected?: boolean;
}

export function genericServerResponse(
  code: number,
  context: ResponseContext = {},
  options?: ErrorOptions,
): StatusError {
  const { verb = '', resource = { group: '', resource: '' }, name = '', serverMessage = '' } = context;
  const { reason, message } = meaningOf(code, verb, serverMessage);
  const qualified = resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
  const subject =
    qualified === '' ? '' : ` (${[verb.toLowerCase(), qualified, ...(name === '' ? [] : [name])].join(' ')})`;
  return new StatusError(
    code,
    reason,
    message + subject,
    {
      ...(name === '' ? {} : { name }),
      ...(resource.group === '' ? {} : { group: resource.group }),
      ...(resource.resource === '' ? {} : { kind: resource.resource }),
      ...(context.unexpected === true
        ? {
            causes: [
              { reason: 'UnexpectedServerResponse', ...(serverMessage === '' ? {} : { message: serverMessage }) },
            ],
          }
        : {}),
      ...((context.retryAfterSeconds ?? 0) === 0 ? {} : { retryAfterSeconds: context.retryAfterSeconds ?? 0 }),
    },
    options,
  );
}
