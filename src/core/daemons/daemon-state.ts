/**
 * One daemon as the engine holds it: judgements, children and counts by place. The fields are written by the functions of
 * the engine (`engine-*.ts`, `judge.ts`); the methods are the view that the engine hands out.
 */
import type { ChildAdapter, DaemonDefinition, DaemonView } from './engine-types.ts';
import type { NodeTable } from './node-table.ts';

const NONE: readonly never[] = Object.freeze([]);

/** The number of a bit in a judgement. */
export const indexOfBit = (bit: number): number => 31 - Math.clz32(bit);

export class DaemonState<C, D extends DaemonDefinition> implements DaemonView<C, D> {
  /** The newest definition; every judgement was made with it. */
  definition: D;
  /** The key as a list of one: the answer to every event that changed this daemon alone. */
  readonly self: readonly string[];
  /** By place: the verdict of `definition.eligibility` on the node; 0 where there is no node, or none it may want. */
  verdicts: Uint8Array = new Uint8Array(0);
  /** By place, as long as `verdicts`: the last judgement of the rules, 0 before the first. */
  judgements: Int32Array = new Int32Array(0);
  /** By place: one child, or several best first; never an empty list. Children that are over included. */
  readonly held: (C | readonly C[] | undefined)[] = [];
  /** By bit: the number of places whose judgement has it. */
  readonly counts: Int32Array = new Int32Array(32);
  /** By bit, for the listed ones: those places; undefined until the first. */
  readonly lists: (Set<number> | undefined)[] = [];
  /** By bit: places that came to its list since `takeListed`; undefined before the first, or after too many came. */
  readonly additions: (number[] | undefined)[] = [];
  /** By time (epoch ms): places to judge again then. Times are whole seconds, so there are few. */
  readonly due: Map<number, Set<number>> = new Map();
  /** By place of a node without children: the UID of the last child there. */
  readonly predecessors: Map<number, string> = new Map();
  /** Number of children by revision, those that are over included; never 0. */
  readonly revisions: Map<string, number> = new Map();
  readonly #adapter: ChildAdapter<C>;
  readonly #nodes: NodeTable;

  constructor(definition: D, adapter: ChildAdapter<C>, nodes: NodeTable) {
    this.definition = definition;
    this.self = [definition.key];
    this.#adapter = adapter;
    this.#nodes = nodes;
  }

  count(bit: number): number {
    return this.counts[indexOfBit(bit)] ?? 0;
  }

  listed(bit: number): ReadonlySet<number> {
    return (this.lists[indexOfBit(bit)] ??= new Set());
  }

  takeListed(bit: number): { readonly everything: boolean; readonly places: readonly number[] } {
    const index = indexOfBit(bit);
    const additions = this.additions[index];
    this.additions[index] = [];
    return additions === undefined
      ? { everything: true, places: [...(this.lists[index] ?? NONE)] }
      : { everything: false, places: additions };
  }

  judgement(place: number): number {
    return this.judgements[place] ?? 0;
  }

  verdict(place: number): number {
    return (this.verdicts[place] ?? 0) | this.#nodes.flags(place);
  }

  children(place: number): readonly C[] {
    const all = this.childrenHeld(place);
    for (const child of all) if (this.#adapter.isOver(child)) return all.filter((each) => !this.#adapter.isOver(each));
    return all;
  }

  /** Like `children`, but with those that are over. */
  childrenHeld(place: number): readonly C[] {
    const held = this.held[place];
    if (held === undefined) return NONE;
    return Array.isArray(held) ? (held as readonly C[]) : [held as C];
  }

  *allChildren(): Generator<C> {
    for (const held of this.held) {
      if (held === undefined) continue;
      if (Array.isArray(held)) yield* held as readonly C[];
      else yield held as C;
    }
  }

  predecessor(place: number): string {
    const all = this.childrenHeld(place);
    if (all.length === 0) return this.predecessors.get(place) ?? '';
    return this.#adapter.uid(all.reduce((a, b) => (this.#adapter.isNewer(b, a) ? b : a)));
  }

  ofRevision(revision: string): number {
    return this.revisions.get(revision) ?? 0;
  }

  get nextDue(): number | undefined {
    let next: number | undefined;
    for (const at of this.due.keys()) if (next === undefined || at < next) next = at;
    return next;
  }
}
