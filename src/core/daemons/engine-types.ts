/** What the engine (engine.ts) takes and gives: daemons, children of any kind, rules, events, and its view of a daemon. */
import type { Node } from '../api/types/core-v1.ts';
import type { NodePin } from '../placement/node-affinity.ts';
import type { Eligibility } from './eligibility.ts';
import type { NodeTable } from './node-table.ts';

export interface DaemonDefinition {
  /** Tells daemons apart: a UID. */
  readonly key: string;
  readonly eligibility: Eligibility;
  /** The rules look at the node's labels too, so they are asked again whenever those change. */
  readonly readsLabels?: boolean;
}

/** How the engine reads a child, whatever kind it is. All pure. */
export interface ChildAdapter<C> {
  uid(child: C): string;
  /** The node it was made for; undefined: none, the engine then leaves it alone. */
  pin(child: C): NodePin | undefined;
  /** Whether `a` was made after `b`. */
  isNewer(a: C, b: C): boolean;
  /** Negative where `a` is the one to keep. */
  compare(a: C, b: C): number;
  /** True where `a` is at least as new a state of the child as `b`. */
  isNotOlder(a: C, b: C): boolean;
  /** Nothing is left to do with it but to wait until it is gone; it does not count. */
  isOver(child: C): boolean;
  /** The revision it was made from. */
  revision(child: C): string;
}

export interface Rules<C, D extends DaemonDefinition> {
  readonly child: ChildAdapter<C>;
  /** `verdict` is eligibility with NODE_KNOWN and NODE_DOWN. `children` is best first; it must not be kept. */
  judge(daemon: D, verdict: number, node: Node | undefined, children: readonly C[], now: number): number;
  /** This bit says that time alone may change the judgement; then `dueAt` is asked when (epoch ms). */
  readonly waits: number;
  dueAt(daemon: D, children: readonly C[], now: number): number;
  /** Bits whose nodes are to be listed. */
  readonly listed: number;
}

type EngineEvent<C, D> =
  | { readonly type: 'node'; readonly node: Node }
  | { readonly type: 'node-gone'; readonly name: string }
  | { readonly type: 'daemon'; readonly daemon: D }
  | { readonly type: 'daemon-gone'; readonly key: string }
  /** `old` is the state known before, if its node may have been another. */
  | { readonly type: 'child'; readonly daemon: string; readonly child: C; readonly old?: C | undefined }
  | { readonly type: 'child-gone'; readonly daemon: string; readonly child: C }
  | { readonly type: 'time'; readonly now: number };

/** What is known of one daemon. Nodes are named by their place, a small number that stays while there is anything there. */
export interface DaemonView<C, D extends DaemonDefinition> {
  readonly definition: D;
  /** Nodes whose judgement has this bit. */
  count(bit: number): number;
  /** Those nodes, for listed bits. */
  listed(bit: number): ReadonlySet<number>;
  /** What came to a listed bit since this was asked last; all of it where that was too long ago. */
  takeListed(bit: number): { readonly everything: boolean; readonly places: readonly number[] };
  judgement(place: number): number;
  verdict(place: number): number;
  children(place: number): readonly C[];
  /** Every child, also those that are over. */
  allChildren(): Iterable<C>;
  /** The child that a new one would follow: the newest of those here, or the one that was here last. */
  predecessor(place: number): string;
  /** Children made from this revision, those that are over included. */
  ofRevision(revision: string): number;
  /** The next time at which time alone changes something. */
  readonly nextDue: number | undefined;
}

export interface Engine<C, D extends DaemonDefinition> {
  /** Takes an event in; answers with the keys of the daemons for which something changed. */
  apply(event: EngineEvent<C, D>): readonly string[];
  daemon(key: string): DaemonView<C, D> | undefined;
  node(place: number): Node | undefined;
  nodeName(place: number): string;
  placeOf(nodeName: string): number | undefined;
  readonly nodes: NodeTable;
}
