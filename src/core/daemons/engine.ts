/**
 * One child per eligible node, incrementally. The engine knows nodes, daemons and children; for every daemon and node it
 * keeps one number, the *judgement* that the rules make of the node and the children there, and for every bit of it the
 * number of nodes that have it and, where the rules ask for it, the list of them. An event makes the engine judge again only
 * where it may matter:
 *
 *   a child    → one node of one daemon (engine-children.ts)
 *   a node     → the daemons it may concern (engine-nodes.ts, eligibility-index.ts)
 *   a daemon   → its own nodes (engine-daemons.ts)
 *   time       → the nodes whose judgement was waiting for it
 *
 * The engine does no I/O and decides nothing by itself. Its state (engine-state.ts, daemon-state.ts) is a cache of `desired`
 * (desired.ts), and tests compare the two. `apply` is the only way to change it.
 */
import { createEligibilityIndex } from './eligibility-index.ts';
import { removeChild, setChild } from './engine-children.ts';
import { removeDaemon, setDaemon } from './engine-daemons.ts';
import { removeNode, setNode } from './engine-nodes.ts';
import type { EngineState } from './engine-state.ts';
import type { DaemonDefinition, Engine, EngineEvent, Rules } from './engine-types.ts';
import { judge } from './judge.ts';
import { createNodeTable } from './node-table.ts';

export function createEngine<C, D extends DaemonDefinition>(rules: Rules<C, D>, start = 0): Engine<C, D> {
  const nodes = createNodeTable();
  const engine: EngineState<C, D> = {
    rules,
    daemons: new Map(),
    index: createEligibilityIndex(),
    nodes,
    hostnamePinned: new Map(),
    labelReaders: new Set(),
    now: start,
    scratch: [],
  };
  return {
    apply: (event) => apply(engine, event),
    daemon: (key) => engine.daemons.get(key),
    node: (place) => nodes.node(place),
    nodeName: (place) => nodes.nodeName(place),
    placeOf: (name) => nodes.place(name),
    nodes,
  };
}

function apply<C, D extends DaemonDefinition>(engine: EngineState<C, D>, event: EngineEvent<C, D>): readonly string[] {
  switch (event.type) {
    case 'node':
      return setNode(engine, event.node);
    case 'node-gone':
      return removeNode(engine, event.name);
    case 'daemon':
      return setDaemon(engine, event.daemon);
    case 'daemon-gone':
      return removeDaemon(engine, event.key);
    case 'child':
      return setChild(engine, event.daemon, event.child, event.old);
    case 'child-gone':
      return removeChild(engine, event.daemon, event.child);
    case 'time':
      return setTime(engine, event.now);
  }
}

function setTime<C, D extends DaemonDefinition>(engine: EngineState<C, D>, now: number): readonly string[] {
  engine.now = now;
  const touched: string[] = [];
  for (const daemon of engine.daemons.values()) {
    if (daemon.due.size === 0) continue;
    let isChanged = false;
    for (const [at, places] of daemon.due) {
      if (at > now) continue;
      daemon.due.delete(at);
      for (const place of places) isChanged = judge(engine, daemon, place) || isChanged;
    }
    if (isChanged) touched.push(daemon.definition.key);
  }
  return touched;
}
