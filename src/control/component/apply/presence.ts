/**
 * Whether the server is still there while something is waited for, and whether it is still the one that was asked. Watches notice
 * neither: they try again in silence, and a connection that went dead without a word looks like a rollout that stands still.
 */
import { isStatus, StatusError } from '../../../core/kube/status-error.ts';
import { abortAfter } from '../../../machinery/time/abort.ts';
import { keyOfRef, refText, resourceOf, type ObjectRef } from './object-ref.ts';
import type { ApplyContext } from './rendered.ts';

const LOOK_EVERY_MS = 2000;
const ANSWER_WITHIN_MS = 10_000;

export interface PresenceListener {
  /** No answer since now; told once. */
  away(reason: string): void;
  /** The server answers again. */
  back(): void;
  /** The awaited objects are gone after the server was unreachable: another cluster answers, or an older state of this one. */
  lost(why: string): void;
}

/** Looks until the signal fires. */
export async function followPresence(
  { client, clock }: Pick<ApplyContext, 'client' | 'clock'>,
  awaited: { readonly ref: ObjectRef; readonly uid: string },
  listener: PresenceListener,
  signal: AbortSignal,
): Promise<void> {
  const { ref, uid } = awaited;
  let isAway = false;
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    using limit = abortAfter(clock, ANSWER_WITHIN_MS, signal);
    let found: string | undefined;
    try {
      found = (await client.get(resourceOf(ref), keyOfRef(ref), { signal: limit.signal })).metadata.uid;
    } catch (error) {
      if (signal.aborted) return;
      const other = foreignness(error);
      if (other !== undefined && isAway) {
        listener.lost(other);
        return;
      }
      if (other !== undefined || limit.signal.aborted || isNoAnswer(error)) {
        if (!isAway) listener.away(other ?? (limit.signal.aborted ? 'no answer' : causeOf(error)));
        isAway = true;
        continue;
      }
      // Any other error is an answer of a present server; the watches handle its meaning.
      if (!isStatus(error, 'NotFound')) found = uid;
    }
    if (!isAway) continue;
    if (found !== uid) {
      listener.lost(found === undefined ? `it has no ${refText(ref)}` : `its ${refText(ref)} is another one`);
      return;
    }
    isAway = false;
    listener.back();
  }
}

const isNoAnswer = (error: unknown): boolean => error instanceof StatusError && error.code >= 502 && error.code <= 504;

/** The system's code of the cause, where there is one; else the message. */
function causeOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : (error as Error).message;
}

/** The address answers, but not as the same API server. */
function foreignness(error: unknown): string | undefined {
  if (error instanceof StatusError && error.code === 401) return 'it does not know who asks';
  const cause = causeOf(error);
  return /^(?:ERR_TLS_CERT|CERT_)|_CERT|SIGNATURE|ISSUER/.test(cause)
    ? `its certificate is another's (${cause})`
    : undefined;
}
