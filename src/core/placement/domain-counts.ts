/**
 * How many pods each topology domain holds, and the least any domain holds, both kept up to date in O(1). The least is
 * tracked by a histogram (how many domains hold n pods), because a hostname key has as many domains as there are nodes.
 */
export interface DomainCounts {
  /** Pods by domain number; ABSENT where the number names no domain that counts. */
  readonly counts: Int32Array;
  /** How many domains count. */
  domains: number;
  /** How many domains hold exactly n pods; no zero entries. */
  readonly histogram: Map<number, number>;
  /** The least any domain holds; `Infinity` when there is none. */
  least: number;
}

/** Counts may go below zero while pods are imagined away, but never this far. */
const ABSENT = -0x80000000;

export const createDomainCounts = (numbers: number): DomainCounts => ({
  counts: new Int32Array(numbers).fill(ABSENT),
  domains: 0,
  histogram: new Map(),
  least: Infinity,
});

function leastOf(values: Iterable<number>): number {
  let least = Infinity;
  for (const value of values) if (value < least) least = value;
  return least;
}

function shift(domains: DomainCounts, from: number, to: number): void {
  const { histogram } = domains;
  const left = (histogram.get(from) ?? 0) - 1;
  if (left > 0) histogram.set(from, left);
  else histogram.delete(from);
  histogram.set(to, (histogram.get(to) ?? 0) + 1);
  if (to <= domains.least) domains.least = to;
  else if (from === domains.least && left <= 0) domains.least = leastOf(histogram.keys());
}

/** Makes the domain count, with no pods so far; one that counts already stays as it is. */
export function addDomain(domains: DomainCounts, domain: number): void {
  if (domains.counts[domain] !== ABSENT) return;
  domains.counts[domain] = 0;
  domains.domains++;
  domains.histogram.set(0, (domains.histogram.get(0) ?? 0) + 1);
  domains.least = Math.min(domains.least, 0);
}

/** Counts pods into a domain that counts (out of it when `delta` is negative). */
export function countInto(domains: DomainCounts, domain: number, delta: number): void {
  const before = domains.counts[domain];
  if (before === undefined || before === ABSENT || delta === 0) return;
  domains.counts[domain] = before + delta;
  shift(domains, before, before + delta);
}

/** Pods in the domain; none where it does not count. */
export function podsIn(domains: DomainCounts, domain: number): number {
  const count = domains.counts[domain];
  return count === undefined || count === ABSENT ? 0 : count;
}

/** The least if `delta` pods more stood in the domain, without changing anything. */
export function leastWith(domains: DomainCounts, domain: number, delta: number): number {
  const before = domains.counts[domain];
  if (delta === 0 || before === undefined || before === ABSENT) return domains.least;
  const others =
    before > domains.least || (domains.histogram.get(before) ?? 0) > 1
      ? domains.least
      : leastOf(domains.histogram.keys().filter((count) => count !== before));
  return Math.min(others, before + delta);
}
