/** Nodes that come, change and go: judged again are the daemons whose answer for that node may have changed. */
import type { Node } from '../api/types/core-v1.ts';
import { labelOf } from '../kube/labels.ts';
import type { DaemonState } from './daemon-state.ts';
import { FOR_A_TIME, isDown } from './verdict.ts';
import { moveHostnamePinned } from './engine-children.ts';
import { type EngineState, grow } from './engine-state.ts';
import type { DaemonDefinition } from './engine-types.ts';
import { judgeInto } from './judge.ts';
import { HOSTNAME_LABEL } from './node-table.ts';

const NONE: readonly never[] = Object.freeze([]);

export function setNode<C, D extends DaemonDefinition>(engine: EngineState<C, D>, node: Node): readonly string[] {
  const { nodes, index, hostnamePinned } = engine;
  const old = nodes.find(node.metadata.name);
  const place = nodes.set(node);
  if (old === node) return NONE;
  const touched: string[] = [];
  const groups = old === undefined ? index.mayWant(node) : index.concerned(old, node);
  for (const { eligibility, daemons: members } of groups) {
    const verdict = eligibility.judge(node);
    for (const daemon of members) {
      if (daemon.verdicts.length <= place) grow(nodes, daemon);
      // The same verdict may have another end: the rules look at the times of the taints.
      if (daemon.verdicts[place] === verdict && (verdict & FOR_A_TIME) === 0) continue;
      daemon.verdicts[place] = verdict;
      judgeInto(engine, daemon, place, touched);
    }
  }
  // Whether the node exists, is the same and is up matters to every daemon with children there, whether it wants the node or not.
  if (old === undefined || isDown(old) !== isDown(node) || old.metadata.uid !== node.metadata.uid) {
    for (const daemon of engine.daemons.values())
      if (concerns(daemon, place)) judgeInto(engine, daemon, place, touched);
  }
  if (old !== undefined && old.metadata.labels !== node.metadata.labels)
    for (const daemon of engine.labelReaders) judgeInto(engine, daemon, place, touched);
  const hostname = labelOf(node.metadata.labels, HOSTNAME_LABEL);
  if (hostnamePinned.size > 0 && labelOf(old?.metadata.labels, HOSTNAME_LABEL) !== hostname)
    moveHostnamePinned(engine, touched);
  return touched;
}

export function removeNode<C, D extends DaemonDefinition>(engine: EngineState<C, D>, name: string): readonly string[] {
  const { nodes } = engine;
  const place = nodes.place(name);
  if (place === undefined || nodes.node(place) === undefined) return NONE;
  nodes.forgetNode(place);
  const touched: string[] = [];
  for (const daemon of engine.daemons.values()) {
    if (daemon.verdicts[place] !== 0) daemon.verdicts[place] = 0;
    if (concerns(daemon, place)) judgeInto(engine, daemon, place, touched);
    daemon.predecessors.delete(place);
  }
  nodes.leaveIfEmpty(place);
  if (engine.hostnamePinned.size > 0) moveHostnamePinned(engine, touched);
  return touched;
}

const concerns = <C, D extends DaemonDefinition>(daemon: DaemonState<C, D>, place: number): boolean =>
  daemon.held[place] !== undefined || daemon.judgement(place) !== 0;
