/**
 * Requests of an apply: passing errors are waited out, others are reported in words that name the verb, the resource
 * and a remedy, and a server's message is passed on only with secrets removed.
 */
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { isStatus, StatusError } from '../../../core/kube/status-error.ts';
import { isAbortError, wasAborted } from '../../../machinery/time/abort.ts';
import { createBackoff } from '../../../machinery/time/backoff.ts';
import { ComponentApplyError, type ApplyProblem } from './errors.ts';
import { keyOfRef, refText, resourceOf, type ObjectRef } from './object-ref.ts';
import type { ApplyContext } from './rendered.ts';
import { isSecret, type Scrubber } from './secrets.ts';

export interface Calls {
  readonly context: ApplyContext;
  readonly scrubber: Scrubber;
  /** Repeats the request while the trouble is one that passes. Other failures come as they are. */
  attempt<T>(verb: string, ref: ObjectRef, request: (signal: AbortSignal | undefined) => Promise<T>): Promise<T>;
  /** As above; other failures come as a `ComponentApplyError`. */
  request<T>(verb: string, ref: ObjectRef, request: (signal: AbortSignal | undefined) => Promise<T>): Promise<T>;
  /** The object, or undefined where there is none. */
  find<T extends KubeObject = KubeObject>(ref: ObjectRef): Promise<Stored<T> | undefined>;
  problemOf(error: unknown, verb: string, ref: ObjectRef): ApplyProblem;
  tell: NonNullable<ApplyContext['onProgress']>;
}

const DEFAULT_RETRY_MS = 60_000;
const BACKOFF = { initialMs: 200, maxMs: 10_000, factor: 2, jitter: 0.5, resetAfterMs: 120_000 };
/** A server that stumbles three times over one request stumbles over the request. */
const MOST_INTERNAL_ERRORS = 3;

export function createCalls(context: ApplyContext, scrubber: Scrubber): Calls {
  const { client, clock, random, signal } = context;
  const tell = (progress: Parameters<Calls['tell']>[0]): void => context.onProgress?.(progress);

  async function attempt<T>(
    verb: string,
    ref: ObjectRef,
    request: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    const backoff = createBackoff(clock, random, BACKOFF);
    const end = clock.monotonic() + (context.retryForMs ?? DEFAULT_RETRY_MS);
    let internalErrors = 0;
    for (;;) {
      signal?.throwIfAborted();
      try {
        return await request(signal);
      } catch (error) {
        if (wasAborted(error, signal)) throw error;
        const sort = troubleOf(error);
        if (sort === 'internal') internalErrors += 1;
        if (sort === 'lasting' || internalErrors >= MOST_INTERNAL_ERRORS) throw error;
        const asked = (error as StatusError).status.details?.retryAfterSeconds ?? 0;
        const delayMs = Math.max(backoff.next(), asked * 1000);
        if (clock.monotonic() + delayMs > end) throw error;
        tell({
          type: 'retry',
          what: `${verb} ${refText(ref)}`,
          delayMs,
          reason: saidOf(error as StatusError, ref, scrubber),
        });
        await clock.sleep(delayMs, signal);
      }
    }
  }

  const problemOf = (error: unknown, verb: string, ref: ObjectRef): ApplyProblem =>
    describeFailure(error, verb, ref, scrubber);

  async function request<T>(
    verb: string,
    ref: ObjectRef,
    call: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    try {
      return await attempt(verb, ref, call);
    } catch (error) {
      if (isAbortError(error) || wasAborted(error, signal) || error instanceof ComponentApplyError) throw error;
      throw ComponentApplyError.of([problemOf(error, verb, ref)]);
    }
  }

  return {
    context,
    scrubber,
    attempt,
    request,
    problemOf,
    tell,
    async find<T extends KubeObject>(ref: ObjectRef) {
      const found = await request('get', ref, async (stop) => {
        const options = stop === undefined ? {} : { signal: stop };
        return client.get(resourceOf(ref), keyOfRef(ref), options).catch((error: unknown) => {
          if (isStatus(error, 'NotFound')) return undefined;
          throw error;
        });
      });
      if (found !== undefined) scrubber.learn(found);
      return found as Stored<T> | undefined;
    },
  };
}

type Trouble = 'passing' | 'internal' | 'lasting';

function troubleOf(error: unknown): Trouble {
  if (!(error instanceof StatusError)) return 'lasting';
  const { code, reason, message } = error;
  if (code === 429 || code === 502 || code === 503 || code === 504 || reason === 'ServerTimeout') return 'passing';
  // A configuration that fits no type is a 500 as well, and will be one for ever.
  if (code >= 500) return message.includes('typed patch object') ? 'lasting' : 'internal';
  // Not a conflict of owners, and none that we asked for: the server gave up on a busy object.
  if (reason === 'Conflict' && message.includes('the object has been modified')) return 'internal';
  return 'lasting';
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const hasCause = (error: StatusError, reason: string): boolean =>
  error.status.details?.causes?.some((cause) => cause.reason === reason) ?? false;

function describeFailure(error: unknown, asked: string, ref: ObjectRef, scrubber: Scrubber): ApplyProblem {
  const where = refText(ref);
  // An apply of what does not exist needs the right to create it: the server knows which of the two was lacking.
  const verb = (error instanceof Error ? DENIED_VERB.exec(error.message)?.[1] : undefined) ?? asked;
  if (!(error instanceof StatusError))
    return { code: 'EN_COMPONENT_APPLY_REFUSED', object: ref, message: `${where}: ${scrubber.scrub(textOf(error))}` };
  const said = saidOf(error, ref, scrubber);
  const resource = ref.group === '' ? ref.resource : `${ref.resource}.${ref.group}`;
  if (hasCause(error, 'NamespaceTerminating'))
    return {
      code: 'EN_COMPONENT_APPLY_NAMESPACE_ENDS',
      object: ref,
      message: `namespace ${ref.namespace} is being deleted: ${where} cannot be made in it`,
      fix: 'wait until it is gone, then apply again',
    };
  if (error.code === 403 || error.code === 401)
    return {
      code: isDenial(error) ? 'EN_COMPONENT_APPLY_FORBIDDEN' : 'EN_COMPONENT_APPLY_REFUSED',
      object: ref,
      verb,
      resource,
      message: isDenial(error)
        ? `you may not ${verb} ${resource}${ref.namespace === '' ? '' : ` in namespace ${ref.namespace}`}: ${said}`
        : `${verb} ${where} was refused: ${said}`,
      ...(isDenial(error)
        ? { fix: isTooMuch(error) ? HOLD_FIRST : `it takes a role with the verb "${verb}" on ${resource}` }
        : {}),
    };
  if (error.code === 422 || error.code === 400)
    return { code: 'EN_COMPONENT_APPLY_INVALID', object: ref, message: `${where} is invalid: ${said}` };
  if (error.reason === 'Conflict')
    return {
      code: 'EN_COMPONENT_APPLY_SUPERSEDED',
      object: ref,
      message: `${where} was changed or replaced by somebody else meanwhile: ${said}`,
      fix: 'try again',
    };
  if (troubleOf(error) !== 'lasting')
    return { code: 'EN_COMPONENT_APPLY_UNREACHABLE', object: ref, message: `${verb} ${where}: ${said}` };
  return { code: 'EN_COMPONENT_APPLY_REFUSED', object: ref, message: `${verb} ${where}: ${said}` };
}

/** The same missing right. A right that the user may not grant counts separately each time. */
export const isSameDenial = (a: ApplyProblem, b: ApplyProblem): boolean =>
  a.code === 'EN_COMPONENT_APPLY_FORBIDDEN' &&
  a.code === b.code &&
  a.fix !== HOLD_FIRST &&
  a.fix === b.fix &&
  a.object?.namespace === b.object?.namespace;

const DENIED_VERB = /\bcannot (\w+) resource\b/;

/** True for the authorizer's answer about a missing right; quotas, policies and webhooks answer 403 as well, in words of their own. */
const isDenial = (error: StatusError): boolean =>
  error.code === 401 || /\bcannot \w+ (?:resource|path)\b|attempting to grant RBAC permissions/.test(error.message);

/** The API server's escalation check: a user cannot grant rights that the user does not have. */
const isTooMuch = (error: StatusError): boolean => error.message.includes('attempting to grant RBAC permissions');
const HOLD_FIRST =
  'the applying user must hold every right that the role gives: bind a role with those rights to that user first';

/** For Secrets only fields and reasons are repeated: a message of the server could show a value in an unforeseen form. */
function saidOf(error: StatusError, ref: ObjectRef, scrubber: Scrubber): string {
  const isAboutSecret = isSecret({ apiVersion: ref.group === '' ? ref.version : ref.group, kind: ref.kind });
  if (!isAboutSecret || isDenial(error)) return scrubber.scrub(error.message);
  const causes = (error.status.details?.causes ?? []).map(({ field = '', reason = '' }) => `${field} (${reason})`);
  const fields = causes.length === 0 ? '' : `: ${causes.join(', ')}`;
  return scrubber.scrub(`${error.reason || `HTTP ${error.code}`}${fields}`);
}
