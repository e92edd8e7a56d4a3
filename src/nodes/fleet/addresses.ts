/** Addresses of simulated nodes and pods: derived from identity, so a restart changes none of them. */
import { fnv1a32 } from '../../core/kube/hash.ts';

const dotted = (prefix: number, bits: number, hash: number): string => {
  const host = hash % 2 ** bits;
  const address = (prefix + host) >>> 0;
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
};

/** 10.0.0.0/9 */
const NODES = 10 * 2 ** 24;
/** 10.128.0.0/9 */
const PODS = NODES + 2 ** 23;

export const nodeAddress = (identity: string): string => dotted(NODES, 23, fnv1a32(identity));
export const podAddress = (identity: string): string => dotted(PODS, 23, fnv1a32(identity));
