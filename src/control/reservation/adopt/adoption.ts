/** What becomes of a pod or Ticket that an Order is to adopt. */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../../core/kube/objects.ts';

/** The object stays as it is. */
export interface Refusal {
  readonly outcome: 'refused';
  readonly why: string;
  /** What a person can do about it. */
  readonly fix?: string;
}

/** A pod, and the Ticket whose guardian it becomes. */
export type PodAdoption = { readonly pod: Stored<Pod> } & (
  | {
      readonly outcome: 'adopt';
      /** As it is created, or as it is there already. */
      readonly ticket: Ticket | Stored<Ticket>;
      readonly isThere: boolean;
      /** Facts about the pod that its user should know of. */
      readonly notes: readonly string[];
    }
  | { readonly outcome: 'already'; readonly ticketName: string }
  | Refusal
);

/** A Ticket without a controller, and its metadata as a Ticket of the Order. */
export type TicketAdoption = { readonly ticket: Stored<Ticket>; readonly node?: string } &
  /** `model` is the Ticket that the Order would create at the place. */
  (
    | { readonly outcome: 'adopt'; readonly model: Ticket }
    /** Its guardian may still lack the labels of the Order. */
    | { readonly outcome: 'already' }
    | Refusal
  );

export const refused = (why: string, fix?: string): Refusal => ({
  outcome: 'refused',
  why,
  ...(fix === undefined ? {} : { fix }),
});
