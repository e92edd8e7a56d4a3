/** A Ticket that asks for more than nodes have in all: nothing that is freed helps. Pure. */
import { amountText, compareAmounts, type Amount } from '../../core/api/rules/amounts.ts';
import type { Node } from '../../core/api/types/core-v1.ts';
import type { TicketSpec } from '../../core/api/types/korder-v1alpha1.ts';

export interface Excess {
  readonly resource: string;
  readonly asked: string;
  /** What the node has in all; of a Ticket that may go anywhere, the largest node. */
  readonly offered: string;
}

/** Undefined: the requests fit into the node when it is empty, or the node is not known. */
export function excessOf(spec: TicketSpec, node: string | undefined, nodes: readonly Node[]): Excess | undefined {
  const known = node === undefined ? nodes : nodes.filter(({ metadata }) => metadata.name === node);
  // A node without a size has not registered yet.
  const sizes = known.flatMap(({ status }) => (status?.allocatable === undefined ? [] : [status.allocatable]));
  if (sizes.length === 0) return undefined;
  for (const [resource, asked] of Object.entries(spec.resources?.requests ?? {})) {
    const most = sizes.map((size): Amount => size[resource] ?? 0).reduce((a, b) => (compareAmounts(a, b) < 0 ? b : a));
    if (compareAmounts(asked, most) > 0) return { resource, asked: amountText(asked), offered: amountText(most) };
  }
  return undefined;
}
