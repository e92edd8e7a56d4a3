/** Which taints a node's state asks for, in Kubernetes' terms. Pure. */
import type { Node, Taint } from '../../../core/api/types/core-v1.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** Condition type → status → the taint it means. */
const BY_CONDITION: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'Ready',
    new Map([
      ['False', NOT_READY],
      ['Unknown', UNREACHABLE],
    ]),
  ],
  ['MemoryPressure', new Map([['True', 'node.kubernetes.io/memory-pressure']])],
  ['DiskPressure', new Map([['True', 'node.kubernetes.io/disk-pressure']])],
  ['NetworkUnavailable', new Map([['True', 'node.kubernetes.io/network-unavailable']])],
  ['PIDPressure', new Map([['True', 'node.kubernetes.io/pid-pressure']])],
]);

/** Taint keys that follow from conditions or from the cordon; with the effect NoSchedule this controller alone sets them. */
const OURS: ReadonlySet<string> = new Set([
  UNSCHEDULABLE,
  ...BY_CONDITION.values().flatMap((byStatus) => byStatus.values()),
]);

const isOurs = ({ key, effect }: Taint): boolean => effect === 'NoSchedule' && OURS.has(key);

/** Keys of the NoSchedule taints the node should have, of those that are ours. */
function wantedKeys(node: Node): readonly string[] {
  let keys: string[] | undefined;
  for (const { type, status } of node.status?.conditions ?? []) {
    const key = BY_CONDITION.get(type)?.get(status);
    if (key !== undefined && keys?.includes(key) !== true) (keys ??= []).push(key);
  }
  if (node.spec?.unschedulable === true) (keys ??= []).push(UNSCHEDULABLE);
  return keys ?? NONE;
}

const NONE: readonly string[] = [];
/** The taints of a node without any. */
export const NO_TAINTS: readonly Taint[] = [];

/** The node's taints with those of its conditions; the same list when they are right. */
export function withConditionTaints(node: Node, now: string): readonly Taint[] {
  const present = node.spec?.taints ?? NO_TAINTS;
  const wanted = wantedKeys(node);
  let surplus = false;
  let found = 0;
  for (const taint of present) {
    if (!isOurs(taint)) continue;
    if (wanted.includes(taint.key)) found += 1;
    else surplus = true;
  }
  if (!surplus && found === wanted.length) return present;
  const kept = present.filter((taint) => !isOurs(taint) || wanted.includes(taint.key));
  const missing = wanted.filter((key) => !kept.some((taint) => isOurs(taint) && taint.key === key));
  return [...kept, ...missing.map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded: now }))];
}

export const isExecuting = ({ key, effect }: Taint): boolean =>
  effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE);

/** The key of the two that a node with this Ready status should have; undefined when it is ready. */
export const executingKey = (ready: string | undefined): string | undefined =>
  ready === 'False' ? NOT_READY : ready === 'Unknown' ? UNREACHABLE : undefined;

/** The taints with exactly this NoExecute taint of the two, or with neither. The same list when nothing changes. */
export function withExecuting(taints: readonly Taint[], key: string | undefined, now: string): readonly Taint[] {
  const kept = taints.filter((taint) => !isExecuting(taint) || taint.key === key);
  const isThere = kept.some((taint) => isExecuting(taint));
  if (key === undefined || isThere) return kept.length === taints.length ? taints : kept;
  return [...kept, { key, effect: 'NoExecute', timeAdded: now }];
}

/** Stable labels and their names of former times, which old manifests still select by. */
const FORMER_LABELS = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

/** Labels to set so that the former names have the stable names' values; undefined when they do. */
export function missingLabels(node: Node): { readonly [key: string]: string } | undefined {
  const labels = node.metadata.labels;
  if (labels === undefined) return undefined;
  let missing: { [key: string]: string } | undefined;
  for (const [stable, former] of FORMER_LABELS) {
    const value = labels[stable];
    if (value !== undefined && labels[former] !== value) (missing ??= {})[former] = value;
  }
  return missing;
}
