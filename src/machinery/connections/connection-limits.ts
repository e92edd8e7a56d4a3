/** How many connections a server takes, and how long one of them may do nothing. */
import { descriptorLimit } from './descriptor-limit.ts';

export interface ConnectionLimits {
  /** Connections open at the same time. */
  readonly most: number;
  /** Of these, connections whose peer has not authenticated yet. Unproven connections crowd out each other, never proven ones. */
  readonly mostUnproven: number;
  /** From the accepted connection to the end of the TLS handshake. */
  readonly handshakeMs: number;
  /** How long a connection without a request may stay open while its peer is unproven. */
  readonly unprovenMs: number;
  /** The same for a proven peer. Longer than the 90 s for which Go's client keeps an idle connection. */
  readonly idleMs: number;
}

const TIMES = { handshakeMs: 10_000, unprovenMs: 20_000, idleMs: 120_000 };

/** Each costs some 50 KB even when nothing happens on it. */
const MOST_EVER = 20_000;
const MOST_UNPROVEN_EVER = 4_096;
/** The descriptors that most systems allow a process by default. */
const USUAL_DESCRIPTORS = 1_024;
/** Kept back for the store's files, for connections to webhooks, for threads and for modules loaded late. */
const RESERVED = 128;

/** From the number of descriptors that the process may have; the platform is asked unless told. */
export function connectionLimits(descriptors: number = descriptorLimit() ?? USUAL_DESCRIPTORS): ConnectionLimits {
  const spare = Number.isFinite(descriptors)
    ? descriptors - Math.max(RESERVED, Math.floor(descriptors / 8))
    : MOST_EVER;
  // With fewer descriptors than this nothing can be promised.
  const most = Math.max(16, Math.min(spare, MOST_EVER));
  return { ...TIMES, most, mostUnproven: Math.min(Math.floor(most / 2), MOST_UNPROVEN_EVER) };
}
