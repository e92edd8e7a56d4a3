/** The order of things that need each other, or the cycle that makes an order impossible. */
export type Ordered =
  | { readonly order: readonly number[]; readonly cycle?: undefined }
  | { readonly cycle: readonly number[]; readonly order?: undefined };

/** `needs[i]` are the indexes that come before i. Of several that are free, the first in the list comes first. */
export function dependencyOrder(needs: readonly ReadonlySet<number>[]): Ordered {
  const waiting = needs.map(({ size }) => size);
  const neededBy = needs.map((): number[] => []);
  for (const [index, each] of needs.entries()) for (const need of each) neededBy[need]?.push(index);
  const order: number[] = [];
  const done = new Set<number>();
  let free = waiting.flatMap((count, index) => (count === 0 ? [index] : []));
  while (free.length > 0) {
    const [next = 0, ...others] = free;
    order.push(next);
    done.add(next);
    const freed = (neededBy[next] ?? []).filter((index) => {
      waiting[index] = (waiting[index] ?? 0) - 1;
      return waiting[index] === 0;
    });
    free = freed.length === 0 ? others : [...others, ...freed].toSorted((a, b) => a - b);
  }
  return order.length === needs.length ? { order } : { cycle: findCycle(needs, done) };
}

/** From an index that was never freed, along its needs, until an index comes again. */
function findCycle(needs: readonly ReadonlySet<number>[], done: ReadonlySet<number>): readonly number[] {
  const path: number[] = [];
  let at = needs.findIndex((_, index) => !done.has(index));
  while (!path.includes(at)) {
    path.push(at);
    at = [...(needs[at] ?? [])].find((need) => !done.has(need)) ?? at;
  }
  return [...path.slice(path.indexOf(at)), at];
}
