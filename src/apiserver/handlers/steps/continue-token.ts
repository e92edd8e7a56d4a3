/**
 * Continue tokens: where a paged list goes on, and as of which revision. Their shape is Kubernetes' own (clients
 * treat it as opaque, some tools peek), plus how many items were left, so that no page has to count them again.
 */
import { badRequest } from '../../../core/kube/status-error.ts';

export interface ContinueToken {
  /** The revision every page shows; -1: whatever is newest, after the old one was lost. */
  readonly revision: number;
  /** The last item already shown. */
  readonly namespace: string;
  readonly name: string;
  /** Items after the last one shown, at that revision; absent where the first page could not count them. */
  readonly remaining?: number;
}

const VERSION = 'meta.k8s.io/v1';

/** `scoped` lists are within one namespace (or have none), so the key is the name alone. */
export function encodeContinue(token: ContinueToken, scoped: boolean): string {
  const start = scoped ? `${token.name}\0` : `${token.namespace}/${token.name}\0`;
  const body = {
    v: VERSION,
    rv: token.revision,
    start,
    ...(token.remaining === undefined ? {} : { left: token.remaining }),
  };
  return Buffer.from(JSON.stringify(body)).toString('base64url');
}

export function decodeContinue(text: string, scoped: boolean, namespace: string): ContinueToken {
  const body = parse(text);
  if (body.v !== VERSION) {
    throw invalidToken(
      `continue key is not valid: server does not recognize this encoded version ${typeof body.v === 'string' ? body.v : ''}`,
    );
  }
  const { rv, start, left } = body;
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0 || rv < -1) {
    throw invalidToken('continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  if (typeof start !== 'string' || start === '') {
    throw invalidToken('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  }
  const key = start.endsWith('\0') ? start.slice(0, -1) : start;
  const slash = key.indexOf('/');
  const segments = key.split('/');
  if (segments.length > (scoped ? 1 : 2) || segments.some((part) => part === '.' || part === '..')) {
    throw invalidToken(`continue key is not valid: ${start}`);
  }
  const remaining = typeof left === 'number' && Number.isSafeInteger(left) && left >= 0 ? { remaining: left } : {};
  return scoped || slash < 0
    ? { revision: rv, namespace, name: key, ...remaining }
    : { revision: rv, namespace: key.slice(0, slash), name: key.slice(slash + 1), ...remaining };
}

interface TokenBody {
  readonly v?: unknown;
  readonly rv?: unknown;
  readonly start?: unknown;
  readonly left?: unknown;
}

const NOT_BASE64URL = /[^A-Za-z0-9_-]/;
const LONGEST = 4096;

/** Where Go's decoder would stop: at the first strange character, or at a single one that is left over. */
function base64UrlProblem(text: string): string | undefined {
  const strange = NOT_BASE64URL.exec(text)?.index;
  if (strange === undefined && text.length % 4 !== 1) return undefined;
  return `illegal base64 data at input byte ${strange ?? text.length - 1}`;
}

function parse(text: string): TokenBody {
  const problem = text.length > LONGEST ? 'too long' : base64UrlProblem(text);
  if (problem !== undefined) throw invalidToken(`continue key is not valid: ${problem}`);
  try {
    const body: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof body === 'object' && body !== null) return body;
  } catch {
    // Answered below, like every other token that is not one of ours.
  }
  throw invalidToken('continue key is not valid: not a token of this server');
}

const invalidToken = (why: string) => badRequest(`invalid continue token: ${why}`);
