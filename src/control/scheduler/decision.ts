/** The answer of one attempt: a node, or the refusals of all nodes that were asked. */
import type { Refusal } from '../../core/placement/answer.ts';
import type { NodeState } from '../../core/placement/node-state.ts';
import type { PreparedPod } from '../../core/placement/prepared-pod.ts';
import { NO_PLUGINS } from './queue/queued-pod.ts';
import { REJECTOR, rejectorBit } from './queue/rejectors.ts';

export interface Refused {
  readonly outcome: 'refused';
  readonly prepared: PreparedPod;
  /** One refusal of each node that was asked. */
  readonly refusals: readonly Refusal[];
  /** The nodes in the same order. */
  readonly states: readonly NodeState[];
  /** `REJECTOR` bits of the filters that refused the pod. */
  readonly rejectors: number;
  /** Names of the plugins of other rooms among them. */
  readonly plugins: readonly string[];
}

export type Decision =
  | { readonly outcome: 'placed'; readonly nodeName: string }
  | Refused
  /** The cluster has no node. */
  | { readonly outcome: 'no-nodes' }
  /** The cluster changed during a search of several turns, and the chosen node no longer takes the pod. */
  | { readonly outcome: 'overtaken' };

/** Yields whenever its turn is over; the decision is returned. */
export type Attempt = Generator<undefined, Decision, undefined>;

export const NO_NODES: Decision = { outcome: 'no-nodes' };
export const OVERTAKEN: Decision = { outcome: 'overtaken' };

export function refusedBy(prepared: PreparedPod, states: readonly NodeState[], refusals: readonly Refusal[]): Refused {
  const { pinnedNodes, notPinned } = prepared;
  let rejectors = pinnedNodes === undefined ? 0 : REJECTOR.NodeAffinity;
  let named: Set<string> | undefined;
  const wait = (plugin: string): void => {
    rejectors |= rejectorBit(plugin);
    (named ??= new Set()).add(plugin);
  };
  if (notPinned !== undefined) wait(notPinned.plugin);
  for (const { name, part } of prepared.parts) if (part.awaits === true) wait(name);
  const note = ({ nos }: Refusal): void => {
    const [first] = nos;
    if (first === undefined) return;
    const bit = rejectorBit(first.plugin);
    rejectors |= bit;
    if (bit === REJECTOR.Plugin) (named ??= new Set()).add(first.plugin);
  };
  if (prepared.refusal !== undefined) note(prepared.refusal);
  for (const refusal of refusals) note(refusal);
  const plugins = named === undefined ? NO_PLUGINS : [...named];
  return { outcome: 'refused', prepared, refusals, states, rejectors, plugins };
}
