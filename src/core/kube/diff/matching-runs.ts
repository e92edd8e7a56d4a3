/**
 * A unified diff of two texts with three lines of context, in the form Kubernetes appends to its message about
 * forbidden pod changes. Matching blocks are found by the longest common run of lines, then left and right of it.
 */
interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

type Change = { readonly tag: 'equal' | 'replace' | 'delete' | 'insert' } & Range;
interface Range {
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

const CONTEXT = 3;
/** In long texts, lines that occur in more than one of a hundred places do not start a match. */
const POPULAR_FROM = 200;
/** Beyond this many differing lines only the common head and tail are looked for, to bound the work. */
const MAX_COMPARED = 4000;

export function unifiedDiff(before: string, after: string): string {
  const a = splitLines(before);
  const b = splitLines(after);
  let text = '';
  for (const group of grouped(changes(a, b))) {
    const first = group[0];
    const last = group.at(-1);
    if (!first || !last) continue;
    text += `@@ -${formatRange(first.a1, last.a2)} +${formatRange(first.b1, last.b2)} @@\n`;
    for (const { tag, a1, a2, b1, b2 } of group) {
      if (tag === 'equal') for (const line of a.slice(a1, a2)) text += ` ${line}`;
      else {
        for (const line of a.slice(a1, a2)) text += `-${line}`;
        for (const line of b.slice(b1, b2)) text += `+${line}`;
      }
    }
  }
  return text;
}

function splitLines(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => `${line}\n`);
  return lines;
}

function formatRange(start: number, stop: number): string {
  const length = stop - start;
  const beginning = length === 0 ? start : start + 1;
  return length === 1 ? String(beginning) : `${beginning},${length}`;
}

function changes(a: readonly string[], b: readonly string[]): readonly Change[] {
  const found: Change[] = [];
  let i = 0;
  let j = 0;
  for (const block of [...matchingBlocks(a, b), { a: a.length, b: b.length, size: 0 }]) {
    const range = { a1: i, a2: block.a, b1: j, b2: block.b };
    if (i < block.a && j < block.b) found.push({ tag: 'replace', ...range });
    else if (i < block.a) found.push({ tag: 'delete', ...range });
    else if (j < block.b) found.push({ tag: 'insert', ...range });
    i = block.a + block.size;
    j = block.b + block.size;
    if (block.size > 0) found.push({ tag: 'equal', a1: block.a, a2: i, b1: block.b, b2: j });
  }
  return found;
}

function matchingBlocks(a: readonly string[], b: readonly string[]): readonly Block[] {
  if (a.length + b.length > MAX_COMPARED) return headAndTail(a, b);
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

function headAndTail(a: readonly string[], b: readonly string[]): readonly Block[] {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const blocks: Block[] = [];
  if (head > 0) blocks.push({ a: 0, b: 0, size: head });
  if (tail > 0) blocks.push({ a: a.length - tail, b: b.length - tail, size: tail });
  return blocks;
}

/** Groups changes that stand close together; long equal runs are cut to the context around them. */
function grouped(all: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  for (const [index, change] of all.entries()) {
    let { a1, a2, b1, b2 } = change;
    if (change.tag === 'equal') {
      const first = index === 0;
      const last = index === all.length - 1;
      if (first) [a1, b1] = [Math.max(a1, a2 - CONTEXT), Math.max(b1, b2 - CONTEXT)];
      if (last) [a2, b2] = [Math.min(a2, a1 + CONTEXT), Math.min(b2, b1 + CONTEXT)];
      if (!first && !last && a2 - a1 > 2 * CONTEXT) {
        group.push({ tag: 'equal', a1, a2: a1 + CONTEXT, b1, b2: b1 + CONTEXT });
        groups.push(group);
        group = [];
        [a1, b1] = [a2 - CONTEXT, b2 - CONTEXT];
      }
    }
    group.push({ tag: change.tag, a1, a2, b1, b2 });
  }
  if (group.some(({ tag }) => tag !== 'equal')) groups.push(group);
  return groups.filter((candidate) => candidate.some(({ tag }) => tag !== 'equal'));
}
