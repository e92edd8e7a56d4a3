/** Daemons that come, change and go: a daemon with a new definition is judged again at every place. */
import { DaemonState } from './daemon-state.ts';
import { type EngineState, grow } from './engine-state.ts';
import type { DaemonDefinition } from './engine-types.ts';
import { judge } from './judge.ts';

const NONE: readonly never[] = Object.freeze([]);

export function setDaemon<C, D extends DaemonDefinition>(engine: EngineState<C, D>, definition: D): readonly string[] {
  const { daemons, index, nodes } = engine;
  let daemon = daemons.get(definition.key);
  const known = daemon?.definition;
  if (daemon === undefined)
    daemons.set(definition.key, (daemon = new DaemonState(definition, engine.rules.child, nodes)));
  daemon.definition = definition;
  if (definition.readsLabels === true) engine.labelReaders.add(daemon);
  else engine.labelReaders.delete(daemon);
  grow(nodes, daemon);
  if (known?.eligibility !== definition.eligibility) {
    if (known !== undefined) index.remove(known.eligibility, daemon);
    index.add(definition.eligibility, daemon);
    for (const [place, node] of nodes.entries()) daemon.verdicts[place] = definition.eligibility.judge(node);
  }
  for (const place of nodes.places()) judge(engine, daemon, place);
  return daemon.self;
}

export function removeDaemon<C, D extends DaemonDefinition>(engine: EngineState<C, D>, key: string): readonly string[] {
  const { daemons, hostnamePinned, nodes } = engine;
  const daemon = daemons.get(key);
  if (daemon === undefined) return NONE;
  daemons.delete(key);
  engine.labelReaders.delete(daemon);
  engine.index.remove(daemon.definition.eligibility, daemon);
  for (const [uid, owner] of hostnamePinned) if (owner === daemon) hostnamePinned.delete(uid);
  for (const place of daemon.held.keys()) for (const _ of daemon.childrenHeld(place)) nodes.leave(place);
  return daemon.self;
}
