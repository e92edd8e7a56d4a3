/** The invariants every world is held to. */
import { boundOnce, boundToANode, boundWhereItFits } from './binding.ts';
import { daemonsComplete } from './daemons-complete.ts';
import { expiresOnTime } from './expires-on-time.ts';
import { graceKept } from './grace-kept.ts';
import type { InvariantFactory } from './invariant.ts';
import { nobodyWaits, noPriorityInversion, victimsMatterLess } from './nobody-waits.ts';
import { nodeCapacity } from './node-capacity.ts';
import { oneGuardian } from './one-guardian.ts';
import { oneTicketPerNode } from './one-ticket-per-node.ts';
import { ordersComplete } from './orders-complete.ts';
import { collectedByRight, nothingLeftBehind } from './owners.ts';
import { onePerNode } from './one-per-node.ts';
import { roomNeverFree } from './room-never-free.ts';
import { rolloutBudget } from './rollout-budget.ts';
import { storeOrder } from './store-order.ts';

export const INVARIANTS: readonly InvariantFactory[] = [
  storeOrder,
  onePerNode,
  rolloutBudget,
  nodeCapacity,
  boundOnce,
  boundToANode,
  boundWhereItFits,
  victimsMatterLess,
  collectedByRight,
  nothingLeftBehind,
  daemonsComplete,
  oneTicketPerNode,
  oneGuardian,
  expiresOnTime,
  roomNeverFree,
  graceKept,
  ordersComplete,
  nobodyWaits,
  noPriorityInversion,
];
