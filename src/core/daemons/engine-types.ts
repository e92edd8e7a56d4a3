/** Inputs and outputs of the engine (engine.ts): daemons, children of any kind, rules, events, and the view of a daemon. */
import type { Node } from '../api/types/core-v1.ts';
import type { NodePin } from '../placement/node-affinity.ts';
import type { Eligibility } from './eligibility.ts';
import type { NodeTable } from './node-table.ts';

export interface DaemonDefinition {
  /** Unique: a UID. */
  readonly key: string;
  readonly eligibility: Eligibility;
  /** The rules read the node's labels too, so a node is judged again whenever its labels change. */
  readonly readsLabels?: boolean;
}

/** How the engine reads a child, whatever kind it is. All pure. */
export interface ChildAdapter<C> {
  uid(child: C): string;
  /** The node that the child was made for; undefined: none, and the engine ignores the child. */
  pin(child: C): NodePin | undefined;
  /** Whether `a` was made after `b`. */
  isNewer(a: C, b: C): boolean;
  /** Negative where `a` is the one to keep. */
  compare(a: C, b: C): number;
  /** True where `a` is at least as new a state of the child as `b`. */
  isNotOlder(a: C, b: C): boolean;
  /** The child has ended and only waits for its removal; it does not count. */
  isOver(child: C): boolean;
  /** The revision that the child was made from. */
  revision(child: C): string;
}

export interface Rules<C, D extends DaemonDefinition> {
  readonly child: ChildAdapter<C>;
  /**
   * `verdict` is eligibility with NODE_KNOWN and NODE_DOWN. `children` is best first; it must not be kept. Of the node a judgement may
   * depend on the UID, and on the times of its taints where the verdict has FOR_A_TIME; on labels if the daemon `readsLabels`.
   */
  judge(daemon: D, verdict: number, node: Node | undefined, children: readonly C[], now: number): number;
  /** The bit of judgements that time alone may change; `dueAt` then says when (epoch ms). */
  readonly waits: number;
  dueAt(daemon: D, verdict: number, node: Node | undefined, children: readonly C[], now: number): number;
  /** Bits whose places the engine lists. */
  readonly listed: number;
}

export type EngineEvent<C, D> =
  | { readonly type: 'node'; readonly node: Node }
  | { readonly type: 'node-gone'; readonly name: string }
  | { readonly type: 'daemon'; readonly daemon: D }
  | { readonly type: 'daemon-gone'; readonly key: string }
  /** `old` is the state known before, if its node may have been another. */
  | { readonly type: 'child'; readonly daemon: string; readonly child: C; readonly old?: C | undefined }
  | { readonly type: 'child-gone'; readonly daemon: string; readonly child: C }
  | { readonly type: 'time'; readonly now: number };

/** One daemon as the engine holds it. A place is a small number that stands for a node name (node-table.ts). */
export interface DaemonView<C, D extends DaemonDefinition> {
  readonly definition: D;
  /** Number of places whose judgement has this bit. */
  count(bit: number): number;
  /** Those places, for listed bits. */
  listed(bit: number): ReadonlySet<number>;
  /** Places that got a listed bit since the last call; all places that have it where too many did. */
  takeListed(bit: number): { readonly everything: boolean; readonly places: readonly number[] };
  judgement(place: number): number;
  verdict(place: number): number;
  children(place: number): readonly C[];
  /** Every child, those that are over included. */
  allChildren(): Iterable<C>;
  /** UID of the child that a new one would follow: the newest at the place, or the last that was there; '' for none. */
  predecessor(place: number): string;
  /** Number of children made from this revision, those that are over included. */
  ofRevision(revision: string): number;
  /** The next time at which time alone may change a judgement (epoch ms). */
  readonly nextDue: number | undefined;
}

export interface Engine<C, D extends DaemonDefinition> {
  /** Applies an event; returns the keys of the daemons with a changed judgement, or a new definition. */
  apply(event: EngineEvent<C, D>): readonly string[];
  daemon(key: string): DaemonView<C, D> | undefined;
  node(place: number): Node | undefined;
  nodeName(place: number): string;
  placeOf(nodeName: string): number | undefined;
  readonly nodes: NodeTable;
}
