/** The only way to change a judgement, and with it the counts, lists and due times of a daemon. */
import { type DaemonState, indexOfBit } from './daemon-state.ts';
import type { EngineState } from './engine-state.ts';
import type { DaemonDefinition } from './engine-types.ts';

const NONE: readonly never[] = Object.freeze([]);
/** Additions kept for `takeListed`; beyond that, taking the whole list costs no more. */
const ADDITIONS_LIMIT = 10_000;

/** Judges one place of one daemon again. True where the judgement changed. */
export function judge<C, D extends DaemonDefinition>(
  engine: EngineState<C, D>,
  daemon: DaemonState<C, D>,
  place: number,
): boolean {
  const { rules, now } = engine;
  const children = liveForJudging(engine, daemon, place);
  const before = daemon.judgements[place] ?? 0;
  const verdict = daemon.verdict(place);
  const node = engine.nodes.node(place);
  const after = rules.judge(daemon.definition, verdict, node, children, now);
  if ((after & rules.waits) !== 0)
    judgeAgainAt(daemon, place, rules.dueAt(daemon.definition, verdict, node, children, now));
  if (after === before) return false;
  daemon.judgements[place] = after;
  let changed = after ^ before;
  while (changed !== 0) {
    const bit = changed & -changed;
    changed ^= bit;
    const index = indexOfBit(bit);
    const isSet = (after & bit) !== 0;
    daemon.counts[index] = (daemon.counts[index] ?? 0) + (isSet ? 1 : -1);
    if ((bit & rules.listed) === 0) continue;
    const list = (daemon.lists[index] ??= new Set());
    if (isSet) {
      list.add(place);
      noteAddition(daemon, index, place);
    } else list.delete(place);
  }
  return true;
}

/** Judges, and adds the daemon's key to `touched` where the judgement changed. */
export function judgeInto<C, D extends DaemonDefinition>(
  engine: EngineState<C, D>,
  daemon: DaemonState<C, D>,
  place: number,
  touched: string[],
): void {
  if (judge(engine, daemon, place)) touched.push(daemon.definition.key);
}

/**
 * Like `DaemonState.children`, but returns a shared scratch array for a single child, valid only until the next call. Saves
 * one allocation per judgement.
 */
function liveForJudging<C, D extends DaemonDefinition>(
  { rules, scratch }: EngineState<C, D>,
  daemon: DaemonState<C, D>,
  place: number,
): readonly C[] {
  const held = daemon.held[place];
  if (held === undefined) return NONE;
  if (Array.isArray(held)) return daemon.children(place);
  if (rules.child.isOver(held as C)) return NONE;
  scratch[0] = held as C;
  return scratch;
}

function noteAddition<C, D extends DaemonDefinition>(daemon: DaemonState<C, D>, index: number, place: number): void {
  const additions = daemon.additions[index];
  if (additions === undefined) return;
  if (additions.length >= ADDITIONS_LIMIT) daemon.additions[index] = undefined;
  else additions.push(place);
}

function judgeAgainAt<C, D extends DaemonDefinition>(daemon: DaemonState<C, D>, place: number, at: number): void {
  const places = daemon.due.get(at);
  if (places === undefined) daemon.due.set(at, new Set([place]));
  else places.add(place);
}
