/** One pass over all nodes: signs of life are read, silent nodes called Unknown, nodes that are down queued for their taint. */
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { hasOwnLease, type LifecycleState } from './lifecycle-state.ts';
import { LEASE_NAMESPACE, type LeaseSign, observe, observeLease, readyCondition } from './node-health.ts';
import { isExecuting } from './node-taints.ts';
import { handleDisruption, queueTaint, removeTaint } from './not-ready-taints.ts';
import { markUnknown } from './unknown-nodes.ts';
import { isExcluded, type ZoneCount, zoneOf } from './zones.ts';

/** Nodes observed before other work of the process gets a turn. */
const SLICE = 2_000;

export async function monitorNodeHealth(lifecycle: LifecycleState, signal: AbortSignal): Promise<void> {
  const { clock, healths, queue } = lifecycle;
  const now = clock.monotonic();
  const signOf = leaseReader(lifecycle, now);
  const counts = new Map<string, ZoneCount>();
  const silent: Stored<Node>[] = [];
  const down: Stored<Node>[] = [];
  const all = [...lifecycle.nodes.list()];
  for (let at = 0; at < all.length; at += 1) {
    if (at > 0 && at % SLICE === 0) await clock.sleep(0, signal);
    const node = all[at] as Stored<Node>;
    const { name } = node.metadata;
    if (isSilent(lifecycle, node, now, signOf)) silent.push(node);
    const ready = readyCondition(node)?.status;
    if (ready === 'True') {
      if (node.spec?.taints?.some(isExecuting) === true) await removeTaint(lifecycle, node, signal);
      queue.remove(name);
    } else if (ready !== undefined) down.push(node);
    if (!isExcluded(node)) countIn(counts, zoneOf(node), ready === 'True');
  }
  if (healths.size > all.length) forgetDeleted(lifecycle, all);
  await markUnknown(lifecycle, silent, counts, signal);
  for (const node of down) await queueTaint(lifecycle, node, signal);
  await handleDisruption(lifecycle, counts, all, signal);
}

type SignOf = (lease: string) => LeaseSign;

/** Reads each Lease once in a pass, however many nodes it speaks for. */
function leaseReader({ leases, signs }: LifecycleState, now: number): SignOf {
  const read = new Set<string>();
  return (lease) => {
    const known = signs.get(lease);
    if (known !== undefined && read.has(lease)) return known;
    read.add(lease);
    const renewTime = leases.get(lease, LEASE_NAMESPACE)?.spec?.renewTime ?? undefined;
    const sign = observeLease(known, renewTime, now);
    if (sign !== known) signs.set(lease, sign);
    return sign;
  };
}

/** Records the node's health; true where its last sign of life is longer ago than its grace. */
function isSilent(lifecycle: LifecycleState, node: Stored<Node>, now: number, signOf: SignOf): boolean {
  const { healths, graceMs, startupGraceMs } = lifecycle;
  const { name } = node.metadata;
  const known = healths.get(name);
  if (known === undefined) announce(lifecycle, node, 'RegisteredNode', `Registered Node ${name} in Controller`);
  const health = observe(known, node, now, signOf);
  if (health !== known) healths.set(name, health);
  let aliveAt = Math.max(health.aliveAt, signOf(health.lease).aliveAt, lifecycle.graceSince);
  if (hasOwnLease(lifecycle, health.lease, name)) aliveAt = Math.max(aliveAt, signOf(name).aliveAt);
  return now - aliveAt > (health.reports ? graceMs : startupGraceMs);
}

function countIn(counts: Map<string, ZoneCount>, zone: string, ready: boolean): void {
  let count = counts.get(zone);
  if (count === undefined) counts.set(zone, (count = { ready: 0, notReady: 0 }));
  if (ready) count.ready += 1;
  else count.notReady += 1;
}

function forgetDeleted(lifecycle: LifecycleState, all: readonly Stored<Node>[]): void {
  const { healths, signs, queue, unmarked } = lifecycle;
  const present = new Set(all.map(({ metadata }) => metadata.name));
  for (const [name, { uid }] of healths) {
    if (present.has(name)) continue;
    healths.delete(name);
    signs.delete(name);
    queue.remove(name);
    unmarked.delete(name);
    announce(lifecycle, { metadata: { name, uid } }, 'RemovingNode', `Removing Node ${name} from Controller`);
  }
}

function announce(
  { announcements, recorder }: LifecycleState,
  node: { readonly metadata: { readonly name: string; readonly uid: string } },
  reason: string,
  message: string,
): void {
  const { name, uid } = node.metadata;
  if (!announcements.tryTake()) return;
  const regarding = { apiVersion: 'v1', kind: 'Node', name, uid };
  recorder.event(regarding, { type: 'Normal', reason, note: `Node ${name} event: ${message}` });
}
