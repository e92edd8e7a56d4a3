/**
 * The overhead of daemons on a node: the sum of the requests of every daemon that wants it, present or yet to come. Daemons with
 * the same eligibility are summed once and nodes remember which groups want them, so an event costs what it changes and
 * a question costs a few additions. A node that does not exist yet can be asked about too.
 */
import type { Node } from '../api/types/core-v1.ts';
import { add, type Amount, subtract } from '../placement/amounts.ts';
import { type Requests, requestsOfSpec } from '../placement/requests.ts';
import type { Daemon } from './classify.ts';
import { type Eligibility, SHOULD_RUN } from './eligibility.ts';
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
  /** The overhead that a node like this would have. */
  forNode(node: Node): Overhead;
  /** The daemons that want the node, by key. */
  daemonsOn(node: Node): readonly Daemon[];
}

const NO_REQUESTS: Requests = requestsOfSpec({ containers: [] });

interface Total {
  cpu: Amount;
  memory: Amount;
  ephemeralStorage: Amount;
  readonly scalars: Map<string, Amount>;
  pods: number;
}

const emptyTotal = (): Total => ({ cpu: 0, memory: 0, ephemeralStorage: 0, scalars: new Map(), pods: 0 });

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
  const costOf = (daemon: Daemon): Requests => (daemon.spec === undefined ? NO_REQUESTS : requestsOfSpec(daemon.spec));

  function include(daemon: Daemon): void {
    const { eligibility } = daemon;
    let total = totals.get(eligibility);
    if (total === undefined) {
      totals.set(eligibility, (total = emptyTotal()));
      for (const { node, wanting } of nodes.values())
        if ((eligibility.judge(node) & SHOULD_RUN) !== 0) wanting.add(eligibility);
    }
    count(total, costOf(daemon), 1, add);
    index.add(eligibility, daemon);
    daemons.set(daemon.key, daemon);
  }

  function exclude(daemon: Daemon): void {
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
    const result = emptyTotal();
    for (const eligibility of wanting) {
      const total = totals.get(eligibility);
      if (total !== undefined) count(result, total, total.pods, add);
    }
    return result;
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
        nodes.set(node.metadata.name, { node, wanting: wantingOf(node) });
        return;
      }
      const { wanting } = known;
      for (const { eligibility } of index.concerned(known.node, node)) {
        if ((eligibility.judge(node) & SHOULD_RUN) !== 0) wanting.add(eligibility);
        else wanting.delete(eligibility);
      }
      nodes.set(node.metadata.name, { node, wanting });
    },
    removeNode: (name) => void nodes.delete(name),
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
