/** Suggestions for unknown names: the nearest known word. */

const MAX_LENGTH = 64;

/** Edits (insert, delete, replace, swap neighbours) that turn one word into the other, counted up to `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit || a.length > MAX_LENGTH || b.length > MAX_LENGTH) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? limit + 1;
}

/** The name without case, dashes and underscores, which do not count in comparisons. */
export const folded = (name: string): string => name.replaceAll(/[-_]/g, '').toLowerCase();

/** The candidate with the fewest edits; undefined if none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = folded(word);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, folded(candidate), limit);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}
