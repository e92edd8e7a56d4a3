/**
 * Edits between two lists of lines by their longest common run, then the longest left and right of it, and so on. The library that
 * Kubernetes quotes differences with searches in this way, so messages of the API server come out line for line the same.
 */
import type { Edit } from './edit-script.ts';

/** Lines `[a, a + size)` of the old text equal lines `[b, b + size)` of the new one. */
interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** In texts of this length, lines that occur in more than one of a hundred places start no match. */
const POPULAR_FROM = 200;

/** The edits, in order. The cost grows with the square of the number of lines. */
export function editsByRuns(a: readonly string[], b: readonly string[]): readonly Edit[] {
  const edits: Edit[] = [];
  let aStart = 0;
  let bStart = 0;
  for (const block of [...matchingBlocks(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (aStart < block.a || bStart < block.b) edits.push({ aStart, aEnd: block.a, bStart, bEnd: block.b });
    aStart = block.a + block.size;
    bStart = block.b + block.size;
  }
  return edits;
}

function matchingBlocks(a: readonly string[], b: readonly string[]): readonly Block[] {
  const positions = positionsOf(b);
  const blocks: Block[] = [];
  const open: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [aLow, aHigh, bLow, bHigh] = range;
    const match = longestMatch(a, b, positions, range);
    if (match.size === 0) continue;
    blocks.push(match);
    open.push([aLow, match.a, bLow, match.b], [match.a + match.size, aHigh, match.b + match.size, bHigh]);
  }
  blocks.sort((x, y) => x.a - y.a || x.b - y.b);
  return joined(blocks);
}

function positionsOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const positions = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const known = positions.get(line);
    if (known) known.push(index);
    else positions.set(line, [index]);
  }
  if (lines.length >= POPULAR_FROM) {
    const limit = Math.floor(lines.length / 100) + 1;
    for (const [line, indices] of positions) if (indices.length > limit) positions.delete(line);
  }
  return positions;
}

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  positions: ReadonlyMap<string, readonly number[]>,
  [aLow, aHigh, bLow, bHigh]: readonly [number, number, number, number],
): Block {
  let best = { a: aLow, b: bLow, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of positions.get(a[i] ?? '') ?? []) {
      if (j < bLow) continue;
      if (j >= bHigh) break;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > best.size) best = { a: i - length + 1, b: j - length + 1, size: length };
    }
    lengths = next;
  }
  let { a: start, b: other, size } = best;
  while (start > aLow && other > bLow && a[start - 1] === b[other - 1])
    [start, other, size] = [start - 1, other - 1, size + 1];
  while (start + size < aHigh && other + size < bHigh && a[start + size] === b[other + size]) size++;
  return { a: start, b: other, size };
}

/** Blocks that touch are one. */
function joined(blocks: readonly Block[]): readonly Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (last && last.a + last.size === block.a && last.b + last.size === block.b) {
      result[result.length - 1] = { ...last, size: last.size + block.size };
    } else result.push(block);
  }
  return result;
}
