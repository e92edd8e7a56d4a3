/**
 * The smallest part of a list that still fails, as Zeller's ddmin finds it: halves first, then finer and finer, each
 * kept out where it is not needed. `fails` is asked at most `most` times, never twice about the same part.
 */
export async function smallestFailing<T>(
  whole: readonly T[],
  fails: (part: readonly T[]) => Promise<boolean>,
  most: number,
): Promise<readonly T[]> {
  let tries = 0;
  const known = new Map<string, boolean>();
  const order = new Map(whole.map((item, index) => [item, index]));
  const ask = async (part: readonly T[]): Promise<boolean> => {
    const key = part.map((item) => order.get(item)).join(',');
    const before = known.get(key);
    if (before !== undefined) return before;
    if (tries >= most) return false;
    tries += 1;
    const answer = await fails(part);
    known.set(key, answer);
    return answer;
  };

  if (await ask([])) return [];
  let current = whole;
  let pieces = 2;
  while (current.length >= 2 && tries < most) {
    const size = Math.ceil(current.length / pieces);
    let smaller: readonly T[] | undefined;
    for (let at = 0; at < current.length && smaller === undefined; at += size) {
      const rest = [...current.slice(0, at), ...current.slice(at + size)];
      if (rest.length < current.length && (await ask(rest))) smaller = rest;
    }
    if (smaller !== undefined) {
      current = smaller;
      pieces = Math.max(2, pieces - 1);
    } else if (size === 1) {
      break;
    } else {
      pieces = Math.min(current.length, pieces * 2);
    }
  }
  return current;
}
