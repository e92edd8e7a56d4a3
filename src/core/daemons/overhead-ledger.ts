/**
 * The overhead of daemons on a node: the sum of the requests of every daemon that wants it, present or yet to come. Daemons with
 * the same eligibility are summed once and nodes remember which groups want them, so an event costs what it changes and
 * a question costs a few additions. A node that does not exist yet can be asked about too.
 */
import type { Node } from '../api/types/core-v1.ts';
import { add, type Amount, subtract } from '../placement/amounts.ts';
import { type Requests, requestsOfSpec } from '../placement/requests.ts';
import type { Daemon } from './classify.ts';
import type { Eligibility } from './eligibility.ts';
import { SHOULD_RUN } from './verdict.ts';
import { createEligibilityIndex } from './eligibility-index.ts';

export interface Overhead {
  readonly cpu: Amount;
  readonly memory: Amount;
  readonly ephemeralStorage: Amount;
  readonly scalars: ReadonlyMap<string, Amount>;
  readonly pods: number;
}

export interface OverheadLedger {
  setNode(node: Node): void;
  removeNode(name: string): void;
  /** A daemon whose cost cannot be read counts as one pod that asks for nothing. */
  setDaemon(daemon: Daemon): void;
  removeDaemon(key: string): void;
  onNode(name: string): Overhead;
  /** The daemons that want this node. */
  wanting(name: string): readonly Daemon[];
  /** Another number whenever an answer about a known node, or what the node offers, may have changed. */
  readonly version: number;
  /** The overhead that a node like this would have. */
  forNode(node: Node): Overhead;
  /** The daemons that want the node, by key. */
  daemonsOn(node: Node): readonly Daemon[];
}

const NO_REQUESTS: Requests = requestsOfSpec({ containers: [] });

interface Total {
  /** Tells groups apart. */
  readonly id: number;
  cpu: Amount;
  memory: Amount;
  ephemeralStorage: Amount;
  readonly scalars: Map<string, Amount>;
  pods: number;
}

const emptyTotal = (id = 0): Total => ({ id, cpu: 0, memory: 0, ephemeralStorage: 0, scalars: new Map(), pods: 0 });

function count(total: Total, requests: Omit<Overhead, 'pods'>, pods: number, by: typeof add): void {
  total.cpu = by(total.cpu, requests.cpu);
  total.memory = by(total.memory, requests.memory);
  total.ephemeralStorage = by(total.ephemeralStorage, requests.ephemeralStorage);
  for (const [name, amount] of requests.scalars) {
    const sum = by(total.scalars.get(name) ?? 0, amount);
    if (sum === 0) total.scalars.delete(name);
    else total.scalars.set(name, sum);
  }
  total.pods = Number(by(total.pods, pods));
}

export function createOverheadLedger(): OverheadLedger {
  const daemons = new Map<string, Daemon>();
  const index = createEligibilityIndex<Daemon>();
  const totals = new Map<Eligibility, Total>();
  /** Each node with the groups that want it. */
  const nodes = new Map<string, { readonly node: Node; readonly wanting: Set<Eligibility> }>();
  /** Answers for sets of groups, by the numbers of the groups; forgotten when a daemon changes. Nodes have few different sets. */
  const sums = new Map<string, Overhead>();
  const lists = new Map<string, readonly Daemon[]>();
  let groupCount = 0;
  let version = 0;
  const costOf = (daemon: Daemon): Requests => (daemon.spec === undefined ? NO_REQUESTS : requestsOfSpec(daemon.spec));

  function changeDaemons(): void {
    version += 1;
    sums.clear();
    lists.clear();
  }

  function keyOf(wanting: Iterable<Eligibility>): string {
    let key = '';
    for (const eligibility of wanting) key += `${totals.get(eligibility)?.id ?? ''} `;
    return key;
  }

  function include(daemon: Daemon): void {
    changeDaemons();
    const { eligibility } = daemon;
    let total = totals.get(eligibility);
    if (total === undefined) {
      totals.set(eligibility, (total = emptyTotal((groupCount += 1))));
      for (const { node, wanting } of nodes.values())
        if ((eligibility.judge(node) & SHOULD_RUN) !== 0) wanting.add(eligibility);
    }
    count(total, costOf(daemon), 1, add);
    index.add(eligibility, daemon);
    daemons.set(daemon.key, daemon);
  }

  function exclude(daemon: Daemon): void {
    changeDaemons();
    const { eligibility } = daemon;
    const total = totals.get(eligibility);
    daemons.delete(daemon.key);
    index.remove(eligibility, daemon);
    if (total === undefined) return;
    count(total, costOf(daemon), 1, subtract);
    if (total.pods > 0) return;
    totals.delete(eligibility);
    for (const { wanting } of nodes.values()) wanting.delete(eligibility);
  }

  function sum(wanting: Iterable<Eligibility>): Overhead {
    const key = keyOf(wanting);
    const known = sums.get(key);
    if (known !== undefined) return known;
    const result = emptyTotal();
    for (const eligibility of wanting) {
      const total = totals.get(eligibility);
      if (total !== undefined) count(result, total, total.pods, add);
    }
    const { id: _id, ...overhead } = result;
    sums.set(key, overhead);
    return overhead;
  }

  function daemonsOf(wanting: ReadonlySet<Eligibility>): readonly Daemon[] {
    const key = keyOf(wanting);
    let list = lists.get(key);
    if (list === undefined) {
      list = [...daemons.values()].filter(({ eligibility }) => wanting.has(eligibility));
      lists.set(key, list);
    }
    return list;
  }

  function wantingOf(node: Node): Set<Eligibility> {
    const wanting = new Set<Eligibility>();
    for (const { eligibility } of index.mayWant(node))
      if ((eligibility.judge(node) & SHOULD_RUN) !== 0) wanting.add(eligibility);
    return wanting;
  }

  return {
    setNode(node) {
      const known = nodes.get(node.metadata.name);
      if (known === undefined) {
        version += 1;
        nodes.set(node.metadata.name, { node, wanting: wantingOf(node) });
        return;
      }
      const { wanting } = known;
      const before = keyOf(wanting);
      for (const { eligibility } of index.concerned(known.node, node)) {
        if ((eligibility.judge(node) & SHOULD_RUN) !== 0) wanting.add(eligibility);
        else wanting.delete(eligibility);
      }
      nodes.set(node.metadata.name, { node, wanting });
      if (known.node.status?.allocatable !== node.status?.allocatable || keyOf(wanting) !== before) version += 1;
    },
    removeNode(name) {
      if (nodes.delete(name)) version += 1;
    },
    setDaemon(daemon) {
      const known = daemons.get(daemon.key);
      if (known?.spec === daemon.spec && known?.eligibility === daemon.eligibility && known !== undefined) return;
      // The new one first: a group that both are in is then not judged anew.
      if (known === undefined) include(daemon);
      else {
        const before = { ...known, key: `${known.key}\n` };
        daemons.delete(known.key);
        index.remove(known.eligibility, known);
        index.add(before.eligibility, before);
        include(daemon);
        exclude(before);
      }
    },
    removeDaemon(key) {
      const known = daemons.get(key);
      if (known !== undefined) exclude(known);
    },
    get version() {
      return version;
    },
    wanting(name) {
      const known = nodes.get(name);
      return known === undefined ? [] : daemonsOf(known.wanting);
    },
    onNode: (name) => sum(nodes.get(name)?.wanting ?? []),
    forNode: (node) => sum(wantingOf(node)),
    daemonsOn(node) {
      const found: Daemon[] = [];
      const seen = new Set<Eligibility>();
      for (const group of index.mayWant(node)) {
        if (seen.has(group.eligibility) || (group.eligibility.judge(node) & SHOULD_RUN) === 0) continue;
        seen.add(group.eligibility);
        found.push(...group.daemons);
      }
      return found;
    },
  };
}
