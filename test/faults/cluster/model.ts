/**
 * What must be in the cluster, as told by answers alone. Every name belongs to one worker, which asks one thing at a
 * time; so each name has one known state and at most one change whose answer never came.
 */
export interface Seen {
  readonly revision: number;
  readonly uid: string;
  readonly seq: number;
}

/** Absent is a state too. */
export type State = Seen | undefined;

export interface Pending {
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  readonly seq: number;
}

export interface Item {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: { readonly [key: string]: string };
  };
  readonly data?: { readonly [key: string]: string };
}

const filler = (seq: number): string => `${seq}.`.repeat(400).slice(0, 100 + ((seq * 53) % 1500));

/** Everything in it follows from its sequence number, so half of it would show. */
export const contentOf = (seq: number) => ({
  metadata: { labels: { seq: String(seq) } },
  data: { seq: String(seq), filler: filler(seq) },
});

export function seenIn(item: Item): Seen {
  return {
    revision: Number(item.metadata.resourceVersion),
    uid: item.metadata.uid,
    seq: Number(item.metadata.labels?.['seq']),
  };
}

export const isWhole = (item: Item): boolean => {
  const seq = Number(item.metadata.labels?.['seq']);
  return item.data?.['seq'] === String(seq) && item.data['filler'] === filler(seq);
};

export class Model {
  readonly states = new Map<string, State>();
  readonly pending = new Map<string, Pending>();
  /** The highest revision anyone was told of. */
  newest = 0;

  begin(name: string, pending: Pending): void {
    this.pending.set(name, pending);
  }

  answered(name: string, state: State): void {
    this.pending.delete(name);
    this.states.set(name, state);
    if (state !== undefined) this.newest = Math.max(this.newest, state.revision);
  }

  /** What is wrong with a list that a server gave after a restart; afterwards the list is what is known. */
  compare(items: readonly Item[], listRevision: number): string[] {
    const wrong: string[] = [];
    if (listRevision < this.newest) wrong.push(`revision ${listRevision} is behind ${this.newest}`);
    const found = new Map(items.map((item) => [item.metadata.name, item]));
    for (const name of new Set([...found.keys(), ...this.states.keys(), ...this.pending.keys()])) {
      const item = found.get(name);
      if (item !== undefined && !isWhole(item)) wrong.push(`${name} is half written`);
      const problem = this.#judge(name, item === undefined ? undefined : seenIn(item));
      if (problem !== undefined) wrong.push(`${name}: ${problem}`);
    }
    this.pending.clear();
    this.newest = listRevision;
    for (const name of this.states.keys()) this.states.set(name, undefined);
    for (const item of items) this.states.set(item.metadata.name, seenIn(item));
    return wrong;
  }

  #judge(name: string, now: State): string | undefined {
    const known = this.states.get(name);
    if (same(now, known)) return undefined;
    const pending = this.pending.get(name);
    const text = `known ${text_(known)}, pending ${JSON.stringify(pending)}, found ${text_(now)}`;
    if (pending === undefined) return text;
    if (pending.verb === 'delete') return now === undefined ? undefined : text;
    if (now === undefined || now.seq !== pending.seq || now.revision <= (known?.revision ?? 0)) return text;
    const sameObject = pending.verb === 'create' || now.uid === known?.uid;
    return sameObject ? undefined : text;
  }
}

const text_ = (state: State): string => (state === undefined ? 'nothing' : JSON.stringify(state));

const same = (a: State, b: State): boolean =>
  a === undefined || b === undefined ? a === b : a.revision === b.revision && a.uid === b.uid && a.seq === b.seq;
