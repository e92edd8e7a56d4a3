/** Everything that is wrong with what clients and watchers of one server were told; empty when nothing is. */
import { NAMES, type Seen, type Stretch, type Watched } from './clients.ts';
import { ABSENT, isLinearizable, type Operation, type Step } from './linearizable.ts';
import type { Call, Recorded, Sight } from './recorder.ts';

export function problemsIn(calls: readonly Recorded[], watchers: readonly Watched[]): string[] {
  return [
    ...objectsOutOfOrder(calls),
    ...revisionsOutOfOrder(calls),
    ...watchers.flatMap((watched) => gapsIn(watched, calls)),
    ...listsThatNeverWere(calls, watchers),
  ];
}

function objectsOutOfOrder(calls: readonly Recorded[]): string[] {
  return NAMES.filter((name) => !isLinearizable(historyOf(name, calls))).map(
    (name) => `what clients saw of ${name} is not linearizable:\n${describe(name, calls)}`,
  );
}

/** The operations of one object; a list reads each of them. */
const historyOf = (name: string, calls: readonly Recorded[]): Operation[] =>
  calls.flatMap(({ call, answer, begin, end }) => {
    const step = stepOf(name, call, answer);
    return step === undefined ? [] : [{ step, begin, end, isMaybe: answer.type === 'unknown' }];
  });

function stepOf(name: string, call: Call, answer: Recorded['answer']): Step | undefined {
  if (answer.type === 'list')
    return { type: 'read', value: answer.items.find((i) => i.name === name)?.value ?? ABSENT };
  if (call.verb === 'list' || call.name !== name) return undefined;
  if (call.verb === 'get') {
    if (answer.type === 'unknown') return undefined;
    return { type: 'read', value: answer.type === 'ok' ? (answer.seen?.value ?? ABSENT) : ABSENT };
  }
  if (call.verb === 'create') {
    return { type: 'create', value: call.value, outcome: answer.type === 'exists' ? 'exists' : 'ok' };
  }
  const outcome = answer.type === 'conflict' || answer.type === 'absent' ? answer.type : 'ok';
  if (call.verb === 'update') return { type: 'update', expected: call.expected.value, value: call.value, outcome };
  return { type: 'delete', expected: call.expected?.value, outcome };
}

const describe = (name: string, calls: readonly Recorded[]): string =>
  historyOf(name, calls)
    .toSorted((a, b) => a.begin - b.begin)
    .map(({ begin, end, step, isMaybe }) => `  ${begin}–${end}${isMaybe ? ' maybe' : ''} ${JSON.stringify(step)}`)
    .join('\n');

/** The revision that an answered write got, or that a list is of. */
function revisionOf({ call, answer }: Recorded): { readonly revision: number; readonly isWrite: boolean } | undefined {
  if (answer.type === 'list') return { revision: answer.revision, isWrite: false };
  if (answer.type !== 'ok' || answer.seen === undefined || call.verb === 'get') return undefined;
  return { revision: answer.seen.revision, isWrite: true };
}

/** What begins after something else has ended is of a later revision, whichever object it is of; a list at least of the same. */
function revisionsOutOfOrder(calls: readonly Recorded[]): string[] {
  const moments = calls.flatMap((recorded) => {
    const at = revisionOf(recorded);
    return at === undefined ? [] : [{ ...at, begin: recorded.begin, end: recorded.end }];
  });
  const byEnd = moments.toSorted((a, b) => a.end - b.end);
  const problems: string[] = [];
  let ended = 0;
  let newest = 0;
  for (const moment of moments.toSorted((a, b) => a.begin - b.begin)) {
    for (let done = byEnd[ended]; done !== undefined && done.end < moment.begin; done = byEnd[(ended += 1)]) {
      newest = Math.max(newest, done.revision);
    }
    const isBehind = moment.isWrite ? moment.revision <= newest : moment.revision < newest;
    if (isBehind) problems.push(`revision ${moment.revision} was given when ${newest} was known`);
  }
  return problems;
}

/** A watcher sees every change once and in order, from its list on. */
function gapsIn({ stretches }: Watched, calls: readonly Recorded[]): string[] {
  return stretches.flatMap((stretch) => [...contradictions(stretch), ...missedBy(stretch, calls)]);
}

/** A missed or repeated event shows: an object is added that is there, or changed that is not. */
function contradictions({ since, listed, events }: Stretch): string[] {
  const problems: string[] = [];
  const there = new Set(listed.map(({ name }) => name));
  let last = since;
  for (const { type, sight } of events) {
    if (sight.revision <= last) problems.push(`a watcher saw revision ${sight.revision} after ${last}`);
    last = sight.revision;
    if (there.has(sight.name) === (type === 'ADDED')) {
      problems.push(
        `a watcher saw ${type} of ${sight.name} at ${sight.revision}, which ${type === 'ADDED' ? 'was' : 'was not'} there`,
      );
    }
    if (type === 'DELETED') there.delete(sight.name);
    else there.add(sight.name);
  }
  return problems;
}

function missedBy({ since, reached, events }: Stretch, calls: readonly Recorded[]): string[] {
  const seen = new Map(events.map((event) => [event.sight.revision, event]));
  const written = calls.flatMap(({ call, answer }) =>
    answer.type === 'ok' && answer.seen !== undefined && call.verb !== 'get' ? [answer.seen] : [],
  );
  return written.flatMap((sight) => {
    if (sight.revision <= since || sight.revision > reached) return [];
    const event = seen.get(sight.revision);
    return isSame(event, sight)
      ? []
      : [`a watcher from ${since} to ${reached} missed ${sight.name} at ${sight.revision}`];
  });
}

const isSame = (event: Seen | undefined, { name, value }: Sight): boolean =>
  event !== undefined && event.type !== 'DELETED' && event.sight.name === name && event.sight.value === value;

/** Every list is exactly what a watcher's list and its events up to that revision add up to. */
function listsThatNeverWere(calls: readonly Recorded[], watchers: readonly Watched[]): string[] {
  const stretches = watchers.flatMap((watched) => watched.stretches);
  return calls.flatMap(({ answer }) => {
    if (answer.type !== 'list') return [];
    const { revision } = answer;
    const stretch = stretches.find(({ since, reached }) => since <= revision && revision <= reached);
    if (stretch === undefined) return [];
    const wanted = shape(stateAt(stretch, revision));
    const found = shape(new Map(answer.items.map(({ name, value }) => [name, value])));
    return wanted === found ? [] : [`the list at ${revision} is ${found} and must be ${wanted}`];
  });
}

function stateAt({ listed, events }: Stretch, revision: number): Map<string, string> {
  const state = new Map(listed.map(({ name, value }) => [name, value]));
  for (const { type, sight } of events) {
    if (sight.revision > revision) break;
    if (type === 'DELETED') state.delete(sight.name);
    else state.set(sight.name, sight.value);
  }
  return state;
}

const shape = (state: ReadonlyMap<string, string>): string =>
  [...state]
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join(' ');
