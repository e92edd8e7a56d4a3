/** Children that come, change and go: each event concerns one place of one daemon, and judges it again. */
import type { DaemonState } from './daemon-state.ts';
import { type EngineState, grow } from './engine-state.ts';
import type { DaemonDefinition } from './engine-types.ts';
import { judge } from './judge.ts';

const NONE: readonly never[] = Object.freeze([]);

export function setChild<C, D extends DaemonDefinition>(
  engine: EngineState<C, D>,
  key: string,
  child: C,
  old: C | undefined,
): readonly string[] {
  const { nodes, hostnamePinned } = engine;
  const adapter = engine.rules.child;
  const daemon = engine.daemons.get(key);
  if (daemon === undefined) return NONE;
  const pin = adapter.pin(child);
  if (pin === undefined) {
    if (old !== undefined) moveAway(engine, daemon, old);
    return NONE;
  }
  const uid = adapter.uid(child);
  if (pin.by === 'hostname') hostnamePinned.set(uid, daemon);
  else if (hostnamePinned.size > 0) hostnamePinned.delete(uid);
  const name = nodes.resolve(pin);
  const place = nodes.place(name);
  const held = place === undefined ? undefined : daemon.held[place];
  if (place !== undefined && held !== undefined && !Array.isArray(held) && adapter.uid(held as C) === uid)
    return replaceChild(engine, daemon, place, held as C, child, child);
  const list = place === undefined ? NONE : daemon.childrenHeld(place);
  const at = list.findIndex((each) => adapter.uid(each) === uid);
  const known = list[at];
  if (place === undefined || known === undefined) {
    if (old !== undefined) moveAway(engine, daemon, old);
    return addChild(engine, daemon, name, child, list);
  }
  const replaced = list.with(at, child).sort((a, b) => adapter.compare(a, b));
  return replaceChild(engine, daemon, place, known, child, replaced);
}

export function removeChild<C, D extends DaemonDefinition>(
  engine: EngineState<C, D>,
  key: string,
  child: C,
): readonly string[] {
  const { nodes } = engine;
  const adapter = engine.rules.child;
  const daemon = engine.daemons.get(key);
  const pin = adapter.pin(child);
  if (daemon === undefined || pin === undefined) return NONE;
  const uid = adapter.uid(child);
  engine.hostnamePinned.delete(uid);
  const place = nodes.place(nodes.resolve(pin));
  return place === undefined ? NONE : removeAt(engine, daemon, place, uid);
}

/** Hostname labels changed: moves children pinned by a hostname to the node that has it now. */
export function moveHostnamePinned<C, D extends DaemonDefinition>(engine: EngineState<C, D>, touched: string[]): void {
  const { nodes } = engine;
  const adapter = engine.rules.child;
  for (const [uid, daemon] of engine.hostnamePinned) {
    for (const place of nodes.places()) {
      const child = daemon.childrenHeld(place).find((each) => adapter.uid(each) === uid);
      if (child === undefined) continue;
      const pin = adapter.pin(child);
      if (pin === undefined || nodes.resolve(pin) === nodes.nodeName(place)) break;
      touched.push(
        ...removeAt(engine, daemon, place, uid),
        ...setChild(engine, daemon.definition.key, child, undefined),
      );
      break;
    }
  }
}

function replaceChild<C, D extends DaemonDefinition>(
  engine: EngineState<C, D>,
  daemon: DaemonState<C, D>,
  place: number,
  known: C,
  child: C,
  held: C | readonly C[],
): readonly string[] {
  const adapter = engine.rules.child;
  if (adapter.isNotOlder(known, child)) return NONE;
  countRevision(daemon, adapter.revision(known), -1);
  countRevision(daemon, adapter.revision(child), 1);
  daemon.held[place] = held;
  return judge(engine, daemon, place) ? daemon.self : NONE;
}

function addChild<C, D extends DaemonDefinition>(
  engine: EngineState<C, D>,
  daemon: DaemonState<C, D>,
  nodeName: string,
  child: C,
  list: readonly C[],
): readonly string[] {
  const adapter = engine.rules.child;
  const place = engine.nodes.enter(nodeName);
  grow(engine.nodes, daemon);
  daemon.held[place] = list.length === 0 ? child : [...list, child].sort((a, b) => adapter.compare(a, b));
  daemon.predecessors.delete(place);
  countRevision(daemon, adapter.revision(child), 1);
  return judge(engine, daemon, place) ? daemon.self : NONE;
}

/** The child is pinned to another node than before, or to none: removes it from the former place. */
function moveAway<C, D extends DaemonDefinition>(engine: EngineState<C, D>, daemon: DaemonState<C, D>, old: C): void {
  const { nodes } = engine;
  const adapter = engine.rules.child;
  const pin = adapter.pin(old);
  const place = pin === undefined ? undefined : nodes.place(nodes.resolve(pin));
  if (place !== undefined) removeAt(engine, daemon, place, adapter.uid(old));
}

function removeAt<C, D extends DaemonDefinition>(
  engine: EngineState<C, D>,
  daemon: DaemonState<C, D>,
  place: number,
  uid: string,
): readonly string[] {
  const { nodes } = engine;
  const adapter = engine.rules.child;
  const list = daemon.childrenHeld(place);
  const gone = list.find((each) => adapter.uid(each) === uid);
  if (gone === undefined) return NONE;
  const rest = list.filter((each) => each !== gone);
  daemon.held[place] = rest.length > 1 ? rest : rest[0];
  countRevision(daemon, adapter.revision(gone), -1);
  if (rest.length === 0 && nodes.node(place) !== undefined) daemon.predecessors.set(place, uid);
  const isChanged = judge(engine, daemon, place);
  nodes.leave(place);
  return isChanged ? daemon.self : NONE;
}

function countRevision<C, D extends DaemonDefinition>(daemon: DaemonState<C, D>, revision: string, by: 1 | -1): void {
  const count = daemon.ofRevision(revision) + by;
  if (count === 0) daemon.revisions.delete(revision);
  else daemon.revisions.set(revision, count);
}
