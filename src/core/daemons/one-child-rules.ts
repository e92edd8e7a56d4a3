/**
 * The plainest rules there are: one child on every eligible node, none elsewhere. For children that are not rolled out; DaemonSets
 * and Orders have rules of their own (daemon-pod-rules.ts, ticket-rules.ts).
 */
import { SHOULD_CONTINUE, SHOULD_RUN } from './verdict.ts';
import type { ChildAdapter, DaemonDefinition, Rules } from './engine-types.ts';

/** A child belongs here. */
export const WANTED = 1;
/** A child belongs here and there is none, not even a terminating one. */
export const MISSING = 2;
/** Children must be deleted: more than one is here, or any where none may stay. */
export const SURPLUS = 4;
/** A child is here that may stay. */
export const PRESENT = 8;

export interface PlainChildAdapter<C> extends ChildAdapter<C> {
  isTerminating(child: C): boolean;
}

export function oneChildRules<C>(child: PlainChildAdapter<C>): Rules<C, DaemonDefinition> {
  return {
    child,
    judge(_daemon, verdict, _node, children) {
      const staying = children.filter((each) => !child.isTerminating(each)).length;
      const allowed = (verdict & SHOULD_CONTINUE) === 0 ? 0 : 1;
      let bits = staying > 0 && allowed > 0 ? PRESENT : 0;
      if ((verdict & SHOULD_RUN) !== 0) bits |= children.length === 0 ? WANTED | MISSING : WANTED;
      return staying > allowed ? bits | SURPLUS : bits;
    },
    waits: 0,
    dueAt: () => Infinity,
    listed: MISSING | SURPLUS,
  };
}

/** The children to delete from a node with the SURPLUS bit; the best one stays if one may. */
export const surplusOf = <C>(child: PlainChildAdapter<C>, verdict: number, children: readonly C[]): readonly C[] =>
  children.filter((each) => !child.isTerminating(each)).slice((verdict & SHOULD_CONTINUE) === 0 ? 0 : 1);
