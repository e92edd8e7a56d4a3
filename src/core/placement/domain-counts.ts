/**
 * How many pods each topology domain holds, and the least any domain holds, both kept up to date in O(1). The least is
 * tracked by a histogram (how many domains hold n pods), because a hostname key has as many domains as there are nodes.
 */
export interface DomainCounts {
  readonly counts: Map<string, number>;
  /** How many domains hold exactly n pods; no zero entries. */
  readonly histogram: Map<number, number>;
  /** The least any domain holds; `Infinity` when there is no domain. */
  least: number;
}

export const createDomainCounts = (): DomainCounts => ({ counts: new Map(), histogram: new Map(), least: Infinity });

function shift(domains: DomainCounts, from: number | undefined, to: number): void {
  const { histogram } = domains;
  if (from !== undefined) {
    const left = (histogram.get(from) ?? 0) - 1;
    if (left > 0) histogram.set(from, left);
    else histogram.delete(from);
  }
  histogram.set(to, (histogram.get(to) ?? 0) + 1);
  if (to <= domains.least) domains.least = to;
  else if (from === domains.least && !histogram.has(from)) domains.least = leastOf(histogram.keys());
}

function leastOf(values: Iterable<number>): number {
  let least = Infinity;
  for (const value of values) if (value < least) least = value;
  return least;
}

/** Makes the domain known, with no pods so far; a known domain stays as it is. */
export function addDomain(domains: DomainCounts, value: string): void {
  if (domains.counts.has(value)) return;
  domains.counts.set(value, 0);
  shift(domains, undefined, 0);
}

/** Counts pods into a domain (out of it when `delta` is negative). */
export function countInto(domains: DomainCounts, value: string, delta: number): void {
  const before = domains.counts.get(value);
  const after = (before ?? 0) + delta;
  domains.counts.set(value, after);
  shift(domains, before, after);
}

/** The least if `delta` pods more stood in the domain `value`, without changing anything. */
export function leastWith(domains: DomainCounts, value: string, delta: number): number {
  const before = domains.counts.get(value);
  if (before === undefined || delta === 0) return domains.least;
  const others =
    before > domains.least || (domains.histogram.get(before) ?? 0) > 1
      ? domains.least
      : leastOf(domains.histogram.keys().filter((count) => count !== before));
  return Math.min(others, before + delta);
}
