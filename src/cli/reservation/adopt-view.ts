/** What has become of pods and Tickets that an Order was to adopt, for people. Pure. */
import type { Adopted } from '../../control/reservation/adopt/adopt.ts';
import { count, printable, table } from '../component/text.ts';

export type Selected = 'pods' | 'tickets';

export function adoptTable(items: readonly Adopted[], selected: Selected): string {
  const headings = selected === 'pods' ? ['POD', 'NODE', 'RESULT', 'TICKET'] : ['TICKET', 'NODE', 'RESULT'];
  const rows = items.map(({ name, node = '-', result, ticket = '-' }) =>
    selected === 'pods' ? [name, node, result, ticket] : [name, node, result],
  );
  return table([headings, ...rows]);
}

const MOST_NAMES = 3;

/** One line for each reason and note, with the fix below; those with the same words stand together. */
export function adoptNotes(items: readonly Adopted[]): readonly string[] {
  const names = new Map<string, string[]>();
  const tell = (name: string, text: string): void => {
    const told = names.get(text);
    if (told === undefined) names.set(text, [name]);
    else told.push(name);
  };
  for (const { name, why, fix, notes = [] } of items) {
    if (why !== undefined) tell(name, `${printable(why)}${fix === undefined ? '' : `\n    ${printable(fix)}`}`);
    for (const note of notes) tell(name, printable(note));
  }
  return [...names].map(([text, all]) => {
    const more = all.length - MOST_NAMES;
    return `${all.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${text}`;
  });
}

export function adoptSummary(items: readonly Adopted[], selected: Selected, order: string): string {
  const [one, many] = selected === 'pods' ? ['pod', 'pods'] : ['Ticket', 'Tickets'];
  const had = items.filter(({ result }) => result === 'already').length;
  const would = items.filter(({ result }) => result === 'would-adopt').length;
  const now = items.filter(({ result }) => result === 'adopted').length;
  const all = count(items.length, one, many);
  if (would > 0) return `${would} of ${all} would be adopted by Order ${order} (dry run)`;
  return `${now} of ${all} adopted by Order ${order}${had === 0 ? '' : `, ${had} before`}`;
}
