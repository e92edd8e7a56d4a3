/** The verdict on one node for one daemon, as bits, and the states of a node that it is made from. */
import type { Node, Taint } from '../api/types/core-v1.ts';
import { UNSCHEDULABLE_TAINT } from '../placement/taints.ts';

/** The node should have a child: one is created if there is none. */
export const SHOULD_RUN = 1;
/** A child on the node may stay. */
export const SHOULD_CONTINUE = 2;
/** The node exists. */
export const NODE_KNOWN = 4;
/** The node itself says that it is not ready. */
export const NODE_DOWN = 8;
/** Orders: the node is not Ready, unreachable or cordoned. A child stays for a grace period, none is created. */
export const TEMPORARY = 16;
/** Orders: a NoExecute taint is tolerated for a time. A child stays until `toleratedUntil`, none is created. */
export const FOR_A_TIME = 32;

/** The status of the node's Ready condition, if it has one. */
export function readiness(node: Node): string | undefined {
  const conditions = node.status?.conditions;
  if (conditions === undefined) return undefined;
  for (const condition of conditions) if (condition.type === 'Ready') return condition.status;
  return undefined;
}

export const isReady = (node: Node): boolean => readiness(node) === 'True';

/** Says of itself that it is not ready. A node that says nothing (none has reported yet) is not called down. */
export function isDown(node: Node): boolean {
  const status = readiness(node);
  return status !== undefined && status !== 'True';
}

/** Of cordoned nodes. */
export const isOfCordon = ({ key }: Taint): boolean => key === UNSCHEDULABLE_TAINT;

/** By the field, or by the taint that follows it. */
export const isCordoned = ({ spec }: Node): boolean =>
  spec?.unschedulable === true || (spec?.taints?.some((taint) => isOfCordon(taint) && keepsAway(taint)) ?? false);

const keepsAway = ({ effect }: Taint): boolean => effect === 'NoSchedule' || effect === 'NoExecute';
