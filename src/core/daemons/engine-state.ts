/** The engine's state in one record. `engine-daemons.ts`, `engine-nodes.ts` and `engine-children.ts` change it, and `judge.ts`. */
import type { DaemonState } from './daemon-state.ts';
import type { EligibilityIndex } from './eligibility-index.ts';
import type { DaemonDefinition, Rules } from './engine-types.ts';
import type { NodeTable } from './node-table.ts';

export interface EngineState<C, D extends DaemonDefinition> {
  readonly rules: Rules<C, D>;
  /** By `DaemonDefinition.key`. */
  readonly daemons: Map<string, DaemonState<C, D>>;
  /** Every daemon under its current eligibility. */
  readonly index: EligibilityIndex<DaemonState<C, D>>;
  /** Nodes that exist, and places that children still hold. */
  readonly nodes: NodeTable;
  /** Daemons by the UID of each child that a hostname label pins: the label may move to another node. Hardly ever any. */
  readonly hostnamePinned: Map<string, DaemonState<C, D>>;
  /** Daemons whose rules read labels of nodes (`readsLabels`). */
  readonly labelReaders: Set<DaemonState<C, D>>;
  /** Epoch ms of the last `time` event; every judgement with the bit `waits` was made for this time or is due. */
  now: number;
  /** A list of one, lent to `Rules.judge`: see `liveForJudging`. */
  readonly scratch: C[];
}

/** Lengthens the arrays of a daemon to the capacity of the node table. */
export function grow<C, D extends DaemonDefinition>(nodes: NodeTable, daemon: DaemonState<C, D>): void {
  const { capacity } = nodes;
  if (daemon.verdicts.length >= capacity) return;
  const verdicts = new Uint8Array(capacity);
  verdicts.set(daemon.verdicts);
  const judgements = new Int32Array(capacity);
  judgements.set(daemon.judgements);
  daemon.verdicts = verdicts;
  daemon.judgements = judgements;
}
