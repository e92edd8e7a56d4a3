/** The reasons of many Tickets in few lines: Tickets with the same one stand together. Pure. */
import { TICKET_PHASES, TICKET_REASONS } from '../../core/api/names.ts';
import { count } from '../component/text.ts';
import type { TicketView, WhyNot } from './ticket-view.ts';

const MOST_LINES = 10;
const MOST_NODES = 3;

/** How API servers begin what they say of a pod that they refuse. */
const OWN_POD = /^(pods?) "[^"]*"/i;

interface Group {
  readonly first: TicketView;
  readonly why: WhyNot;
  readonly places: string[];
}

export function ticketNotes(views: readonly TicketView[], isWide: boolean): readonly string[] {
  const most = isWide ? Infinity : MOST_LINES;
  const groups = new Map<string, Group>();
  for (const view of views) {
    const { whyNot: why, phase } = view;
    // Finished Tickets say so in the table.
    if (why === undefined || phase === TICKET_PHASES.expired || phase === TICKET_PHASES.released) continue;
    const place = view.node ?? view.name;
    // Words that differ in the name of their own node or guardian alone are the same.
    const words = [why.message.replace(OWN_POD, '$1'), why.reason === TICKET_REASONS.unschedulable ? why.fix : ''];
    const key = [view.namespace, view.order, why.reason, ...words.map((text) => text.replaceAll(place, ''))].join('\0');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: view, why, places: [place] });
    else group.places.push(place);
  }
  const all = [...groups.values()].toSorted((a, b) => b.places.length - a.places.length);
  const lines = all.slice(0, most).flatMap(linesOf);
  const rest = all.length - most;
  return rest > 0 ? [...lines, `… and ${count(rest, 'other reason')}: -o wide or -o json has all`] : lines;
}

function linesOf({ first, why, places }: Group): readonly string[] {
  const who = `${first.namespace}/${first.order ?? first.name}`;
  const named = places.slice(0, MOST_NODES).join(', ');
  const all = places.length > MOST_NODES ? `${named} and ${places.length - MOST_NODES} more` : named;
  const where = first.node !== undefined ? ` on ${all}` : first.order === undefined ? '' : ` (${all})`;
  const line = `${who}${where}: ${why.reason}${why.message === '' ? '' : `: ${why.message}`}`;
  return why.fix === '' ? [line] : [line, `    ${why.fix}`];
}
