/**
 * One child per eligible node, incrementally. The engine knows nodes, daemons and children; for every daemon and node it
 * keeps one number, the *judgement* that the rules make of what is there, and for every bit of it how many nodes have it
 * and, where the rules ask for it, which ones. An event makes it judge again only where it may matter:
 *
 *   a child    → one node of one daemon
 *   a node     → the daemons it may concern (eligibility-index.ts)
 *   a daemon   → its own nodes
 *   time       → the nodes whose judgement was waiting for it
 *
 * It does no I/O and decides nothing by itself. What it holds is a cache of `desired` (desired.ts), and tests compare.
 */
import type { Node } from '../api/types/core-v1.ts';
import { labelOf } from '../kube/labels.ts';
import { isDown } from './eligibility.ts';
import { createEligibilityIndex } from './eligibility-index.ts';
import type { DaemonDefinition, DaemonView, Engine, Rules } from './engine-types.ts';
import { createNodeTable, HOSTNAME_LABEL } from './node-table.ts';

const NONE: readonly never[] = Object.freeze([]);
const NEWS_LIMIT = 10_000;

interface DaemonState<C, D extends DaemonDefinition> extends DaemonView<C, D> {
  definition: D;
  readonly self: readonly string[];
  /** What eligibility says of each node; 0 for those it was never asked about. */
  verdicts: Uint8Array;
  judgements: Int32Array;
  /** One child, or several, best first. */
  kids: (C | readonly C[] | undefined)[];
  readonly counts: Int32Array;
  readonly lists: (Set<number> | undefined)[];
  /** What came to a list since it was last taken; undefined where nobody has taken any, or too much came. */
  readonly news: (number[] | undefined)[];
  /** By the time at which to judge again; times are whole seconds, so there are few. */
  readonly due: Map<number, Set<number>>;
  readonly predecessors: Map<number, string>;
  readonly revisions: Map<string, number>;
}

export function createEngine<C, D extends DaemonDefinition>(rules: Rules<C, D>, start = 0): Engine<C, D> {
  const { child: adapter, listed } = rules;
  const daemons = new Map<string, DaemonState<C, D>>();
  const index = createEligibilityIndex<DaemonState<C, D>>();
  const table = createNodeTable();
  /** Children pinned by a hostname label, which may come to mean another node. Hardly ever any. */
  const loose = new Map<string, DaemonState<C, D>>();
  const readers = new Set<DaemonState<C, D>>();
  let now = start;

  const listAt = (state: DaemonState<C, D>, place: number): readonly C[] => {
    const kids = state.kids[place];
    if (kids === undefined) return NONE;
    return Array.isArray(kids) ? (kids as readonly C[]) : [kids as C];
  };
  /** Those that count. */
  const liveAt = (state: DaemonState<C, D>, place: number): readonly C[] => {
    const all = listAt(state, place);
    for (const kid of all) if (adapter.isOver(kid)) return all.filter((each) => !adapter.isOver(each));
    return all;
  };

  /** The same for a moment: the list is used again, which spares one for every judgement. */
  const lent: C[] = [];
  const lentAt = (state: DaemonState<C, D>, place: number): readonly C[] => {
    const kids = state.kids[place];
    if (kids === undefined) return NONE;
    if (Array.isArray(kids)) return liveAt(state, place);
    if (adapter.isOver(kids as C)) return NONE;
    lent[0] = kids as C;
    return lent;
  };

  function grow(state: DaemonState<C, D>): void {
    const capacity = table.capacity;
    if (state.verdicts.length >= capacity) return;
    const verdicts = new Uint8Array(capacity);
    verdicts.set(state.verdicts);
    const judgements = new Int32Array(capacity);
    judgements.set(state.judgements);
    state.verdicts = verdicts;
    state.judgements = judgements;
  }

  const verdictAt = (state: DaemonState<C, D>, place: number): number =>
    (state.verdicts[place] ?? 0) | table.flags(place);

  /** Judges one node of one daemon again; true where something changed or there is something to do. */
  function judge(state: DaemonState<C, D>, place: number): boolean {
    const kids = lentAt(state, place);
    const before = state.judgements[place] ?? 0;
    const after = rules.judge(state.definition, verdictAt(state, place), table.node(place), kids, now);
    if ((after & rules.waits) !== 0) wait(state, place, rules.dueAt(state.definition, kids, now));
    if (after === before) return false;
    state.judgements[place] = after;
    let changed = after ^ before;
    while (changed !== 0) {
      const bit = changed & -changed;
      changed ^= bit;
      const at = 31 - Math.clz32(bit);
      const isSet = (after & bit) !== 0;
      state.counts[at] = (state.counts[at] ?? 0) + (isSet ? 1 : -1);
      if ((bit & listed) === 0) continue;
      const list = (state.lists[at] ??= new Set());
      if (isSet) {
        list.add(place);
        note(state, at, place);
      } else list.delete(place);
    }
    return true;
  }

  function note(state: DaemonState<C, D>, at: number, place: number): void {
    const news = state.news[at];
    if (news === undefined) return;
    if (news.length >= NEWS_LIMIT) state.news[at] = undefined;
    else news.push(place);
  }

  function wait(state: DaemonState<C, D>, place: number, at: number): void {
    const places = state.due.get(at);
    if (places === undefined) state.due.set(at, new Set([place]));
    else places.add(place);
  }

  function setDaemon(definition: D): readonly string[] {
    let state = daemons.get(definition.key);
    const known = state?.definition;
    if (state === undefined) daemons.set(definition.key, (state = createState(definition)));
    state.definition = definition;
    if (definition.readsLabels === true) readers.add(state);
    else readers.delete(state);
    grow(state);
    if (known?.eligibility !== definition.eligibility) {
      if (known !== undefined) index.remove(known.eligibility, state);
      index.add(definition.eligibility, state);
      for (const [place, node] of table.entries()) state.verdicts[place] = definition.eligibility.judge(node);
    }
    for (const place of table.places()) judge(state, place);
    return state.self;
  }

  function removeDaemon(key: string): readonly string[] {
    const state = daemons.get(key);
    if (state === undefined) return NONE;
    daemons.delete(key);
    readers.delete(state);
    index.remove(state.definition.eligibility, state);
    for (const [uid, entry] of loose) if (entry === state) loose.delete(uid);
    for (const place of state.kids.keys()) for (const _ of listAt(state, place)) table.leave(place);
    return state.self;
  }

  function setNode(node: Node): readonly string[] {
    const { name } = node.metadata;
    const old = table.find(name);
    const place = table.set(node);
    const touched: string[] = [];
    if (old === node) return NONE;
    const groups = old === undefined ? index.mayWant(node) : index.concerned(old, node);
    for (const { eligibility, daemons: members } of groups) {
      const verdict = eligibility.judge(node);
      for (const state of members) {
        if (state.verdicts.length <= place) grow(state);
        if (state.verdicts[place] === verdict) continue;
        state.verdicts[place] = verdict;
        if (judge(state, place)) touched.push(state.definition.key);
      }
    }
    // Whether the node is there and up matters to whoever has something there, wanted or not.
    if (old === undefined || isDown(old) !== isDown(node)) {
      for (const state of daemons.values()) if (hasAnything(state, place)) look(state, place, touched);
    }
    if (old !== undefined && old.metadata.labels !== node.metadata.labels)
      for (const state of readers) look(state, place, touched);
    const hostname = labelOf(node.metadata.labels, HOSTNAME_LABEL);
    if (loose.size > 0 && labelOf(old?.metadata.labels, HOSTNAME_LABEL) !== hostname) resettle(touched);
    return touched;
  }

  const hasAnything = (state: DaemonState<C, D>, place: number): boolean =>
    state.kids[place] !== undefined || (state.judgements[place] ?? 0) !== 0;

  function look(state: DaemonState<C, D>, place: number, touched: string[]): void {
    if (judge(state, place)) touched.push(state.definition.key);
  }

  function removeNode(name: string): readonly string[] {
    const place = table.place(name);
    const old = place === undefined ? undefined : table.node(place);
    if (place === undefined || old === undefined) return NONE;
    table.forgetNode(place);
    const touched: string[] = [];
    for (const state of daemons.values()) {
      if (state.verdicts[place] !== 0) state.verdicts[place] = 0;
      if (hasAnything(state, place)) look(state, place, touched);
      state.predecessors.delete(place);
    }
    table.leaveIfEmpty(place);
    if (loose.size > 0) resettle(touched);
    return touched;
  }

  /** Children pinned by a hostname go where that name now is. */
  function resettle(touched: string[]): void {
    for (const [uid, state] of loose) {
      for (const place of table.places()) {
        const child = listAt(state, place).find((each) => adapter.uid(each) === uid);
        if (child === undefined) continue;
        const pin = adapter.pin(child);
        if (pin === undefined || table.resolve(pin) === table.nodeName(place)) break;
        touched.push(...takeOut(state, place, uid), ...setChild(state.definition.key, child, undefined));
        break;
      }
    }
  }

  function setChild(key: string, child: C, old: C | undefined): readonly string[] {
    const state = daemons.get(key);
    if (state === undefined) return NONE;
    const pin = adapter.pin(child);
    if (pin === undefined) {
      if (old !== undefined) moveAway(state, old);
      return NONE;
    }
    const uid = adapter.uid(child);
    if (pin.by === 'hostname') loose.set(uid, state);
    else if (loose.size > 0) loose.delete(uid);
    const name = table.resolve(pin);
    const place = table.place(name);
    const kids = place === undefined ? undefined : state.kids[place];
    if (place !== undefined && kids !== undefined && !Array.isArray(kids) && adapter.uid(kids as C) === uid)
      return replace(state, place, kids as C, child, child);
    const list = place === undefined ? NONE : listAt(state, place);
    const at = list.findIndex((each) => adapter.uid(each) === uid);
    const known = list[at];
    if (place === undefined || known === undefined) {
      if (old !== undefined) moveAway(state, old);
      return addChild(state, name, child, list);
    }
    return replace(
      state,
      place,
      known,
      child,
      list.with(at, child).sort((a, b) => adapter.compare(a, b)),
    );
  }

  function replace(
    state: DaemonState<C, D>,
    place: number,
    known: C,
    child: C,
    kids: C | readonly C[],
  ): readonly string[] {
    if (adapter.isNotOlder(known, child)) return NONE;
    countRevision(state, known, -1);
    countRevision(state, child, 1);
    state.kids[place] = kids;
    return judge(state, place) ? state.self : NONE;
  }

  function addChild(state: DaemonState<C, D>, name: string, child: C, list: readonly C[]): readonly string[] {
    const place = table.enter(name);
    grow(state);
    state.kids[place] = list.length === 0 ? child : [...list, child].sort((a, b) => adapter.compare(a, b));
    state.predecessors.delete(place);
    countRevision(state, child, 1);
    return judge(state, place) ? state.self : NONE;
  }

  /** The child has come to be on another node than it was. */
  function moveAway(state: DaemonState<C, D>, old: C): void {
    const pin = adapter.pin(old);
    const place = pin === undefined ? undefined : table.place(table.resolve(pin));
    if (place !== undefined) takeOut(state, place, adapter.uid(old));
  }

  function removeChild(key: string, child: C): readonly string[] {
    const state = daemons.get(key);
    const pin = adapter.pin(child);
    if (state === undefined || pin === undefined) return NONE;
    const uid = adapter.uid(child);
    loose.delete(uid);
    const place = table.place(table.resolve(pin));
    return place === undefined ? NONE : takeOut(state, place, uid);
  }

  function takeOut(state: DaemonState<C, D>, place: number, uid: string): readonly string[] {
    const list = listAt(state, place);
    const gone = list.find((each) => adapter.uid(each) === uid);
    if (gone === undefined) return NONE;
    const rest = list.filter((each) => each !== gone);
    state.kids[place] = rest.length > 1 ? rest : rest[0];
    countRevision(state, gone, -1);
    if (rest.length === 0 && table.node(place) !== undefined) state.predecessors.set(place, uid);
    const changed = judge(state, place);
    table.leave(place);
    return changed ? state.self : NONE;
  }

  function countRevision(state: DaemonState<C, D>, child: C, by: 1 | -1): void {
    const revision = adapter.revision(child);
    const count = (state.revisions.get(revision) ?? 0) + by;
    if (count === 0) state.revisions.delete(revision);
    else state.revisions.set(revision, count);
  }

  function setTime(time: number): readonly string[] {
    now = time;
    const touched: string[] = [];
    for (const state of daemons.values()) {
      if (state.due.size === 0) continue;
      let changed = false;
      for (const [at, places] of state.due) {
        if (at > now) continue;
        state.due.delete(at);
        for (const place of places) changed = judge(state, place) || changed;
      }
      if (changed) touched.push(state.definition.key);
    }
    return touched;
  }

  function createState(definition: D): DaemonState<C, D> {
    const state: DaemonState<C, D> = {
      definition,
      self: [definition.key],
      verdicts: new Uint8Array(0),
      judgements: new Int32Array(0),
      kids: [],
      counts: new Int32Array(32),
      lists: [],
      news: [],
      due: new Map(),
      predecessors: new Map(),
      revisions: new Map(),
      count: (bit) => state.counts[31 - Math.clz32(bit)] ?? 0,
      listed: (bit) => (state.lists[31 - Math.clz32(bit)] ??= new Set()),
      takeListed(bit) {
        const at = 31 - Math.clz32(bit);
        const news = state.news[at];
        state.news[at] = [];
        return news === undefined
          ? { everything: true, places: [...(state.lists[at] ?? NONE)] }
          : { everything: false, places: news };
      },
      judgement: (place) => state.judgements[place] ?? 0,
      verdict: (place) => verdictAt(state, place),
      children: (place) => liveAt(state, place),
      *allChildren() {
        for (const kids of state.kids) {
          if (kids === undefined) continue;
          if (Array.isArray(kids)) yield* kids as readonly C[];
          else yield kids as C;
        }
      },
      predecessor(place) {
        const kids = listAt(state, place);
        if (kids.length === 0) return state.predecessors.get(place) ?? '';
        return adapter.uid(kids.reduce((a, b) => (adapter.isNewer(b, a) ? b : a)));
      },
      ofRevision: (revision) => state.revisions.get(revision) ?? 0,
      get nextDue() {
        let next: number | undefined;
        for (const at of state.due.keys()) if (next === undefined || at < next) next = at;
        return next;
      },
    };
    return state;
  }

  return {
    apply(event) {
      switch (event.type) {
        case 'node':
          return setNode(event.node);
        case 'node-gone':
          return removeNode(event.name);
        case 'daemon':
          return setDaemon(event.daemon);
        case 'daemon-gone':
          return removeDaemon(event.key);
        case 'child':
          return setChild(event.daemon, event.child, event.old);
        case 'child-gone':
          return removeChild(event.daemon, event.child);
        case 'time':
          return setTime(event.now);
      }
    },
    daemon: (key) => daemons.get(key),
    node: (place) => table.node(place),
    nodeName: (place) => table.nodeName(place),
    placeOf: (name) => table.place(name),
    nodes: table,
  };
}
