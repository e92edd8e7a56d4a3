/**
 * The next step for the webhook's certificates. Pure: from the present certificates and the time to one step.
 *
 * The order of steps keeps every connection verifiable. A new authority is *staged* first: nothing is signed with
 * it, it only joins the bundle. When every webhook configuration holds it that is written down, and `overlapMs` later (API
 * servers read configurations after they are written, and verify by the version they have read) it takes over and signs a new serving
 * certificate. The time counts from there and not from when it was made: a leader may die in between. The old authority
 * stays in the bundle until it expires, and with it everything it ever signed: a replica that has not yet heard of the new
 * certificate is still believed. So nothing here depends on replicas being quick, or on asking them.
 */

/** Certificates by their times, in epoch milliseconds. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface CertificateView {
  /** Signs. */
  readonly authority?: Validity;
  /** Will sign. `everywhereSince`: when it was first seen in every configuration; absent when it is not, or was not yet seen. */
  readonly next?: Validity & { readonly everywhereSince?: number };
  /** Signed once. */
  readonly retired: readonly Validity[];
  /** `isRight`: names the hosts it should name, and is signed by an authority of the bundle. */
  readonly serving?: Validity & { readonly isRight: boolean };
}

export interface CertificatePolicy {
  readonly authorityMs: number;
  readonly authorityRenewBeforeMs: number;
  readonly servingMs: number;
  readonly servingRenewBeforeMs: number;
  readonly overlapMs: number;
}

const DAY = 86_400_000;

/** An authority is followed before any certificate it signs would be cut short by its end. */
export const DEFAULT_CERTIFICATE_POLICY: CertificatePolicy = {
  authorityMs: 365 * DAY,
  authorityRenewBeforeMs: 120 * DAY,
  servingMs: 90 * DAY,
  servingRenewBeforeMs: 30 * DAY,
  overlapMs: DAY,
};

/** The same proportions for serving certificates that are good for another time. */
export function policyFor(servingMs: number): CertificatePolicy {
  const scale = servingMs / DEFAULT_CERTIFICATE_POLICY.servingMs;
  const scaled = (ms: number): number => Math.round(ms * scale);
  const { authorityMs, authorityRenewBeforeMs, servingRenewBeforeMs, overlapMs } = DEFAULT_CERTIFICATE_POLICY;
  return {
    authorityMs: scaled(authorityMs),
    authorityRenewBeforeMs: scaled(authorityRenewBeforeMs),
    servingMs,
    servingRenewBeforeMs: scaled(servingRenewBeforeMs),
    overlapMs: scaled(overlapMs),
  };
}

export type CertificateStep =
  /** Make an authority, and let it join the bundle. */
  | { readonly step: 'stage' }
  /** Every configuration holds the staged authority: from now on its overlap counts. */
  | { readonly step: 'note-spread' }
  /** A configuration lost the staged authority, or was created without it: the note does not hold. */
  | { readonly step: 'note-lost' }
  /** The staged authority takes over, and signs. */
  | { readonly step: 'take-over' }
  /** The authority signs a new serving certificate. */
  | { readonly step: 'renew' }
  /** Authorities that have expired leave the bundle. */
  | { readonly step: 'forget' }
  /** Nothing until then. */
  | { readonly step: 'wait'; readonly until: number };

/** Below this a new certificate is not worth its trouble. */
const LEAST_GAIN = 0.1;

/** `isSpread`: every configuration there is holds the staged authority. */
export function nextStep(
  view: CertificateView,
  isSpread: boolean,
  now: number,
  policy: CertificatePolicy,
): CertificateStep {
  const { authority, next, serving, retired } = view;
  const isGood = (certificate: Validity | undefined): certificate is Validity =>
    certificate !== undefined && now < certificate.notAfter;
  if (retired.some((each) => !isGood(each))) return { step: 'forget' };

  const canServe = isGood(serving) && serving.isRight;
  const followAt = isGood(authority) ? authority.notAfter - policy.authorityRenewBeforeMs : now;
  if (!isGood(next) && now >= followAt) return { step: 'stage' };

  let settledAt = Infinity;
  if (isGood(next)) {
    const { everywhereSince: since } = view.next ?? {};
    if (!isSpread && since !== undefined) return { step: 'note-lost' };
    // A clock that was set back must not make an overlap of years.
    if (isSpread && canServe && (since === undefined || since > now)) return { step: 'note-spread' };
    // With nothing that could be served there is nothing to protect, and no reason to wait.
    if (isSpread) settledAt = canServe ? (since ?? now) + policy.overlapMs : now;
    if (now >= settledAt) return { step: 'take-over' };
  }

  if (isGood(authority) && !canServe) return { step: 'renew' };
  const renewAt = isGood(authority) && canServe ? renewalTime(authority, serving, policy) : Infinity;
  if (now >= renewAt) return { step: 'renew' };

  const ends = retired.map(({ notAfter }) => notAfter);
  // An authority spreads by a change of the configurations, not by time; a time that has passed already waits for a change too.
  const until = Math.min(renewAt, isGood(next) ? settledAt : followAt, ...ends);
  return { step: 'wait', until: until > now ? until : Infinity };
}

/** Near its end, but only once a new one would last longer by a good deal: an authority near its own end signs nothing long. */
function renewalTime(authority: Validity, serving: Validity, policy: CertificatePolicy): number {
  const due = serving.notAfter - policy.servingRenewBeforeMs;
  const gainAtDue = Math.min(due + policy.servingMs, authority.notAfter) - serving.notAfter;
  return gainAtDue >= policy.servingMs * LEAST_GAIN ? due : Infinity;
}
