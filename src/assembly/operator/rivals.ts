/**
 * Whether a controller that stands in for a part of Kubernetes may act on this cluster. Two controllers for the same objects undo
 * each other's work, so absence has to be proven: by `--instead-of-upstream`, or by an everynode server, which says itself what
 * runs inside it. A missing Lease proves nothing, for a control plane of one process elects no leader.
 */
import { leaseHolder } from '../../control/daemonset/other-controller.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { createBackoff } from '../../machinery/time/backoff.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Random } from '../../machinery/random/random.ts';
import type { InsteadOf } from '../catalogue/entry.ts';

export interface RivalOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** The user vouches that the parts of Kubernetes that ours stand in for are off: no Lease is looked at. */
  readonly insteadOfUpstream: boolean;
  /**
   * Controllers that an everynode server reports to run inside it; undefined for any other server, absent where none
   * can be asked.
   */
  readonly runsInServer?: (signal: AbortSignal) => Promise<readonly string[] | undefined>;
}

/**
 * Why a controller does not act. `inside`: an everynode server does its work. `acts`: the holder of a Lease does. `unproven`: another
 * program may. `forbidden`: the operator lacks the right to find out.
 */
export interface Refusal {
  readonly kind: 'inside' | 'acts' | 'unproven' | 'forbidden';
  /** For people; names of programs, processes and Leases only. */
  readonly why: string;
  /** How to make room for the operator's controller. */
  readonly fix: string;
  /** The server's error, for the log alone. */
  readonly error?: unknown;
}

export interface Rivals {
  /** Whether there is anything to ask about this controller. */
  concern(instead: InsteadOf | undefined): instead is InsteadOf;
  /**
   * Undefined when the controller may act. Asks until there is an answer: a server that is overloaded says nothing about who acts.
   * `after`: the last refusal. A holder that was seen and has fallen silent counts until its Lease is given back or gone.
   */
  refusal(instead: InsteadOf, after: Refusal | undefined, signal: AbortSignal): Promise<Refusal | undefined>;
}

export function createRivals(options: RivalOptions): Rivals {
  const { client, clock, random } = options;

  async function find(
    instead: InsteadOf,
    after: Refusal | undefined,
    signal: AbortSignal,
  ): Promise<Refusal | undefined> {
    const inside = await options.runsInServer?.(signal);
    if (inside?.includes(instead.name) === true)
      return taken('inside', 'everynode up', instead.name, instead.fixEmbedded);
    if (options.insteadOfUpstream) return undefined;
    try {
      const isKept = after?.kind === 'acts';
      const holder = await leaseHolder(client, clock, instead.lease, isKept ? 'kept' : 'fresh');
      if (holder !== undefined) return taken('acts', instead.lease, holder, instead.fix);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      if (inside !== undefined) return forbidden(instead, error);
    }
    return inside === undefined ? unproven(instead) : undefined;
  }

  return {
    concern: (instead): instead is InsteadOf =>
      instead !== undefined && (!options.insteadOfUpstream || options.runsInServer !== undefined),
    async refusal(instead, after, signal) {
      const backoff = createBackoff(clock, random);
      for (;;) {
        try {
          return await find(instead, after, signal);
        } catch (error) {
          if (!(error instanceof StatusError) || (error.code !== 429 && error.code < 500)) throw error;
          await clock.sleep(backoff.next(), signal);
        }
      }
    },
  };
}

const isForbidden = (error: unknown): boolean =>
  error instanceof StatusError && (error.code === 401 || error.code === 403);

const taken = (kind: 'inside' | 'acts', other: string, holder: string, fix: string): Refusal => ({
  kind,
  why: `${other} (${holder}) does its work`,
  fix,
});

const unproven = ({ lease, fix }: InsteadOf): Refusal => ({
  kind: 'unproven',
  why: `nothing proves that ${lease} leaves this to others: it may run without a Lease (--leader-elect=false, k3s)`,
  fix,
});

const forbidden = ({ lease }: InsteadOf, error: unknown): Refusal => ({
  kind: 'forbidden',
  why: `it may not read the Lease kube-system/${lease}`,
  fix: `give the operator the right to get that Lease, or start it with --instead-of-upstream`,
  error,
});
