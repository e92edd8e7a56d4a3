/** From the answer of a server (or of a proxy before it) to the `StatusError` that callers catch. */
import { StatusError, type Status, type StatusDetails, type StatusReason } from '../../../core/kube/status-error.ts';

const REASONS: { readonly [code: number]: StatusReason } = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** As much of a foreign page as helps to recognise it. */
const EXCERPT = 300;

export const isStatusBody = (body: unknown): body is Status =>
  typeof body === 'object' && body !== null && (body as { readonly kind?: unknown }).kind === 'Status';

/** `body` is the decoded JSON where there was any, else the text. */
export function errorFromBody(code: number, body: unknown, retryAfterSeconds: number | undefined): StatusError {
  if (isStatusBody(body)) {
    const details =
      retryAfterSeconds === undefined
        ? body.details
        : { ...body.details, retryAfterSeconds: body.details?.retryAfterSeconds ?? retryAfterSeconds };
    return errorFromStatus({ ...body, ...(details === undefined ? {} : { details }) }, code);
  }
  const text = (typeof body === 'string' ? body : JSON.stringify(body)).trim();
  const excerpt = text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
  const details: StatusDetails = {
    causes: [{ reason: 'UnexpectedServerResponse', message: excerpt === '' ? 'unknown' : excerpt }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  const message =
    excerpt === ''
      ? `the server answered with HTTP ${code} and nothing else`
      : `the server answered with HTTP ${code}: ${excerpt}`;
  return new StatusError(code, REASONS[code] ?? (code >= 500 ? 'InternalError' : 'Unknown'), message, details);
}

export function errorFromStatus(status: Status, code: number): StatusError {
  const { reason, message, details } = status;
  return new StatusError(
    status.code || code,
    reason ?? REASONS[code] ?? '',
    message ?? `the server answered with HTTP ${code}`,
    details,
  );
}

/** No answer at all. A 503 like the one a load balancer gives, so that callers back off alike; the cause tells them apart. */
export function unreachable(cause: unknown): StatusError {
  const { code, message } = cause as { readonly code?: string; readonly message?: string };
  // The system's own errors name their code in the message already.
  const parts = message?.includes(code ?? '') === true ? [message] : [code, message];
  const text = parts.filter((part) => part !== undefined && part !== '').join(': ');
  return new StatusError(503, 'ServiceUnavailable', `the server could not be reached: ${text}`, undefined, { cause });
}

export const timedOut = (ms: number, cause: unknown): StatusError =>
  new StatusError(504, 'Timeout', `the server did not answer within ${ms} ms`, undefined, { cause });
