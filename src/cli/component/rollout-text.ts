/** How far a rollout is, in lines: one for logs, a block of them for terminals. Pure. */
import type { Counts, RolloutSnapshot } from '../../control/component/rollout/snapshot.ts';
import type { colorsFor } from '../support/terminal.ts';
import { count, printable } from './text.ts';

const BAR = 20;
const MOST_REASONS = 3;

export function rolloutLine(snapshot: RolloutSnapshot): string {
  const { namespace, name, desired, updated, available, state } = snapshot;
  const who = `${namespace}/${name}`;
  if (snapshot.nowhere !== undefined) return nowhereText(snapshot, snapshot.nowhere);
  if (state === 'complete') return `${who} is rolled out: ${count(available, 'node')} of ${desired}`;
  if (state === 'on-delete') return `${who}: ${printable(snapshot.message)}`;
  if (state === 'unobserved') return `${who}: waiting for the controller to see the change`;
  const why = reasonLines(snapshot).slice(0, MOST_REASONS).join('; ');
  return `${who}: ${updated} of ${desired} updated, ${available} available${why === '' ? '' : `; ${why}`}`;
}

export const nowhereText = ({ namespace, name }: RolloutSnapshot, why: string): string =>
  `${namespace}/${name} runs nowhere: ${printable(why)}`;

/** `3 nodes, node-7 first: container app: ErrImagePull …` */
export const reasonLines = ({ reasons }: RolloutSnapshot): readonly string[] =>
  reasons.map(({ count: nodes, node, message }) =>
    printable(nodes === 1 ? `${node}: ${message}` : `${nodes} nodes (${node} and others): ${message}`),
  );

interface BlockOptions {
  readonly rows: number;
  readonly columns: number;
  readonly colors: ReturnType<typeof colorsFor>;
}

export function rolloutBlock(snapshot: RolloutSnapshot, { rows, columns, colors }: BlockOptions): readonly string[] {
  const { namespace, name, groups, desired, updated, available } = snapshot;
  const reasons = reasonLines(snapshot).slice(0, MOST_REASONS);
  const room = Math.max(1, rows - reasons.length - 2);
  // Groups that are done are the least interesting ones.
  const shown = groups.toSorted((a, b) => Number(isDone(a)) - Number(isDone(b))).slice(0, room);
  const width = Math.max(4, ...shown.map(({ group }) => Math.min(group.length, 30)));
  const lines = [
    `${namespace}/${name}: ${updated} of ${desired} updated, ${available} available`,
    ...shown.map((group) => groupLine(group, width)),
    ...(groups.length > shown.length ? [`  … and ${groups.length - shown.length} more groups`] : []),
    ...reasons.map((reason) => `  ${reason}`),
  ].map((line) => (line.length >= columns ? `${line.slice(0, Math.max(0, columns - 2))}…` : line));
  return lines.map((line, index) => (index > lines.length - 1 - reasons.length ? colors.yellow(line) : line));
}

const isDone = ({ desired, updated, available }: Counts): boolean => updated >= desired && available >= desired;

function groupLine({ group, ...counts }: Counts & { readonly group: string }, width: number): string {
  const { desired, updated, available } = counts;
  const share = (number: number): number => (desired === 0 ? BAR : Math.min(BAR, Math.floor((number / desired) * BAR)));
  const full = share(Math.min(updated, available));
  const half = Math.max(0, share(updated) - full);
  const bar = `${'█'.repeat(full)}${'▒'.repeat(half)}${'░'.repeat(BAR - full - half)}`;
  return `  ${printable(group).slice(0, 30).padEnd(width)} ${bar} ${updated}/${desired} updated, ${available} available`;
}
