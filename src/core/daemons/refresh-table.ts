/**
 * What an Order does about a place (a node, or one of its replicas) when something happens there: the whole table of strategy,
 * refresh policy and event. docs/reservations.md shows the same table.
 */
import type { OrderStrategyType, RefreshPolicy } from '../api/kinds/reservation/order-plan.ts';

export interface RefreshRow {
  /** No Ticket is there: the Order is new, the node has joined, or the Ticket was deleted. `wait`: for the next tick. */
  readonly vacant: 'create' | 'wait';
  /** The Ticket was claimed. `wait`: the next tick makes a new Ticket. */
  readonly claimed: 'create' | 'wait' | 'nothing';
  /** The Ticket has expired. `succeed`: a new Ticket takes over its guardian, so that the room is never free. `end`: none follows. */
  readonly expired: 'succeed' | 'wait' | 'end';
  /** The template has changed. `replace`: place by place. `wait`: replaced at the next tick. */
  readonly templateChanged: 'replace' | 'wait';
  /** The node is gone, or has not been eligible for the whole grace period. */
  readonly nodeGone: 'delete';
  /** A tick of the schedule has come, and this is what it finds. */
  readonly tick: TickRow;
}

interface TickRow {
  readonly vacant: 'create' | 'nothing';
  readonly claimed: 'create' | 'nothing';
  readonly expired: 'create' | 'nothing';
  /** A Reserved Ticket. `extend`: the same guardian holds the room for another duration, counted from the tick. */
  readonly held: 'extend' | 'nothing';
}

const NO_TICKS: TickRow = { vacant: 'nothing', claimed: 'nothing', expired: 'nothing', held: 'nothing' };

const oneTime = (row: Pick<RefreshRow, 'claimed' | 'expired'>): RefreshRow => ({
  vacant: 'create',
  ...row,
  templateChanged: 'replace',
  nodeGone: 'delete',
  tick: NO_TICKS,
});

const scheduled = (row: Pick<RefreshRow, 'claimed' | 'expired'>, tick: Partial<TickRow>): RefreshRow => ({
  vacant: 'wait',
  ...row,
  templateChanged: 'wait',
  nodeGone: 'delete',
  tick: { ...NO_TICKS, vacant: 'create', ...tick },
});

const recurring = (row: Pick<RefreshRow, 'claimed' | 'expired'>, tick: Partial<TickRow>): RefreshRow => ({
  vacant: 'create',
  ...row,
  templateChanged: 'replace',
  nodeGone: 'delete',
  tick: { ...NO_TICKS, vacant: 'create', ...tick },
});

export const REFRESH_TABLE: {
  readonly [strategy in OrderStrategyType]: { readonly [refresh in RefreshPolicy]: RefreshRow };
} = {
  OneTime: {
    OnClaim: oneTime({ claimed: 'create', expired: 'succeed' }),
    Always: oneTime({ claimed: 'nothing', expired: 'succeed' }),
    Never: oneTime({ claimed: 'nothing', expired: 'end' }),
  },
  Scheduled: {
    OnClaim: scheduled({ claimed: 'wait', expired: 'wait' }, { claimed: 'create', expired: 'create' }),
    Always: scheduled({ claimed: 'nothing', expired: 'wait' }, { expired: 'create' }),
    Never: scheduled({ claimed: 'nothing', expired: 'end' }, {}),
  },
  Recurring: {
    OnClaim: recurring({ claimed: 'wait', expired: 'succeed' }, { claimed: 'create', expired: 'create' }),
    Always: recurring({ claimed: 'nothing', expired: 'succeed' }, { expired: 'create', held: 'extend' }),
    Never: recurring({ claimed: 'nothing', expired: 'end' }, { expired: 'create' }),
  },
};
