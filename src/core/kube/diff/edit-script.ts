/**
 * The shortest edit script from one list of lines to another (Myers), in linear space. Where two texts have next to nothing in common
 * the search is given up and the part counts as replaced, so that no input costs more than it is worth.
 */

/** Lines `[aStart, aEnd)` of the old become lines `[bStart, bEnd)` of the new. */
export interface Edit {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

/** Differences within one part of the texts that are searched for before the part counts as replaced; the cost is their square. */
export const MOST_DIFFERENCES = 2000;

export function editScript(
  a: readonly string[],
  b: readonly string[],
  mostDifferences = MOST_DIFFERENCES,
): readonly Edit[] {
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]): Int32Array =>
    Int32Array.from(lines, (line) => {
      const known = numbers.get(line);
      if (known !== undefined) return known;
      numbers.set(line, numbers.size);
      return numbers.size - 1;
    });
  const edits: Edit[] = [];
  walk(numbered(a), numbered(b), { aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length }, mostDifferences, edits);
  return joined(edits);
}

function walk(a: Int32Array, b: Int32Array, whole: Edit, mostDifferences: number, edits: Edit[]): void {
  const stack: Edit[] = [whole];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    let { aStart, aEnd, bStart, bEnd } = part;
    while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) [aStart, bStart] = [aStart + 1, bStart + 1];
    while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) [aEnd, bEnd] = [aEnd - 1, bEnd - 1];
    if (aStart === aEnd && bStart === bEnd) continue;
    const rest = { aStart, aEnd, bStart, bEnd };
    const middle = aStart === aEnd || bStart === bEnd ? undefined : middleOf(a, b, rest, mostDifferences);
    if (middle === undefined) {
      edits.push(rest);
      continue;
    }
    // The later half first, so that the stack yields the earlier half before it.
    stack.push({ aStart: middle.a, aEnd, bStart: middle.b, bEnd }, { aStart, aEnd: middle.a, bStart, bEnd: middle.b });
  }
}

/** A point on a shortest script through the part, found from both ends; undefined beyond the most differences. */
function middleOf(
  a: Int32Array,
  b: Int32Array,
  part: Edit,
  mostDifferences: number,
): { readonly a: number; readonly b: number } | undefined {
  const { aStart, aEnd, bStart, bEnd } = part;
  const n = aEnd - aStart;
  const m = bEnd - bStart;
  const delta = n - m;
  const isOdd = (delta & 1) !== 0;
  const most = Math.min(Math.ceil((n + m) / 2), mostDifferences);
  const offset = most + 1;
  const size = 2 * most + 3;
  const forward = new Int32Array(size).fill(-1);
  const backward = new Int32Array(size).fill(-1);
  forward[offset + 1] = 0;
  backward[offset + 1] = 0;
  for (let d = 0; d <= most; d += 1) {
    for (let k = -d; k <= d; k += 2) {
      let x = nextStep(forward, offset, k, d);
      let y = x - k;
      if (x > n || y > m || y < 0) {
        forward[offset + k] = x > n ? n + 1 : x;
        continue;
      }
      while (x < n && y < m && a[aStart + x] === b[bStart + y]) [x, y] = [x + 1, y + 1];
      forward[offset + k] = x;
      const reverse = delta - k;
      if (isOdd && reverse >= -(d - 1) && reverse <= d - 1 && x + (backward[offset + reverse] ?? -1) >= n)
        return pointOf(part, x, y);
    }
    for (let k = -d; k <= d; k += 2) {
      let x = nextStep(backward, offset, k, d);
      let y = x - k;
      if (x > n || y > m || y < 0) {
        backward[offset + k] = x > n ? n + 1 : x;
        continue;
      }
      while (x < n && y < m && a[aEnd - 1 - x] === b[bEnd - 1 - y]) [x, y] = [x + 1, y + 1];
      backward[offset + k] = x;
      const reverse = delta - k;
      if (!isOdd && reverse >= -d && reverse <= d && x + (forward[offset + reverse] ?? -1) >= n)
        return pointOf(part, n - x, m - y);
    }
  }
  return undefined;
}

function nextStep(reach: Int32Array, offset: number, k: number, d: number): number {
  const below = reach[offset + k - 1] ?? -1;
  const above = reach[offset + k + 1] ?? -1;
  return k === -d || (k !== d && below < above) ? above : below + 1;
}

/** Undefined for a point at a corner: it would split nothing off, and the search would not end. */
function pointOf(part: Edit, x: number, y: number): { readonly a: number; readonly b: number } | undefined {
  const a = part.aStart + x;
  const b = part.bStart + y;
  const isCorner = (a === part.aStart && b === part.bStart) || (a === part.aEnd && b === part.bEnd);
  return isCorner ? undefined : { a, b };
}

/** Edits that touch are one. */
function joined(edits: readonly Edit[]): readonly Edit[] {
  const result: Edit[] = [];
  for (const edit of edits) {
    const last = result.at(-1);
    if (last !== undefined && last.aEnd === edit.aStart && last.bEnd === edit.bStart)
      result[result.length - 1] = { ...last, aEnd: edit.aEnd, bEnd: edit.bEnd };
    else result.push(edit);
  }
  return result;
}
