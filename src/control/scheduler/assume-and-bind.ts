/**
 * A pod has been given a node: the pod is assumed there at once, volumes and a plugin that binds reserve, and the binding
 * runs beside the deciding of the next pods. A binding that fails frees the node's room and sends the pod back to the queue.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { CompiledPod } from '../../core/placement/compiled-pod.ts';
import type { Binding, PluginReservation } from '../../core/placement/plugin.ts';
import { recordOf } from '../../core/placement/pod-record.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import { requestTurn, type SchedulerState, track } from './scheduler-state.ts';
import type { Reservation } from './volume-bindings.ts';

export function assumeAndBind(
  scheduler: SchedulerState,
  entry: QueuedPod,
  compiled: CompiledPod,
  nodeName: string,
  began: number,
): void {
  const { queue, cluster } = scheduler;
  const { pod } = entry;
  const slot = reserveSlot(scheduler, compiled, nodeName);
  scheduler.assumed.assume(pod, nodeName);
  const node = cluster.nodes.get(nodeName)?.node;
  const reservation = node === undefined ? undefined : scheduler.volumes.reserve(pod, node);
  queue.placed(entry, nodeName);
  scheduler.nominations.end(pod, nodeName);
  scheduler.statuses.forget(entry.uid);
  queue.changed({ kind: 'pod-placed', record: recordOf(pod), nodeName });
  if (reservation !== undefined || slot !== undefined) {
    track(scheduler, bindSlowly(scheduler, reservation, slot, entry, compiled, nodeName, began));
    return;
  }
  scheduler.bindings += 1;
  track(scheduler, bind(scheduler, entry, compiled, nodeName, began));
}

/** Asked before the pod is assumed: the plugin's part is the one that the decision was made with. */
function reserveSlot(
  { plugins, cluster }: SchedulerState,
  compiled: CompiledPod,
  nodeName: string,
): PluginReservation | undefined {
  for (const plugin of plugins) {
    const part = plugin.partIn(compiled, cluster);
    if (part?.reserve !== undefined) return part.reserve(nodeName);
  }
  return undefined;
}

/** Volumes and plugins may take minutes; such pods do not count among the bindings that hold up further decisions. */
async function bindSlowly(
  scheduler: SchedulerState,
  volumes: Reservation | undefined,
  slot: PluginReservation | undefined,
  entry: QueuedPod,
  compiled: CompiledPod,
  nodeName: string,
  began: number,
): Promise<void> {
  const message = await volumes?.bind(scheduler.stopping.signal);
  volumes?.undo();
  if (message === undefined && slot === undefined) {
    scheduler.bindings += 1;
    return bind(scheduler, entry, compiled, nodeName, began);
  }
  const result: Binding =
    message === undefined && slot !== undefined
      ? await slot.bind(scheduler.stopping.signal)
      : { bound: false, settled: false, message: message ?? '' };
  if (!result.bound) slot?.undo();
  bindingEnded(scheduler, entry, compiled, nodeName, result, began);
  requestTurn(scheduler);
}

async function bind(
  scheduler: SchedulerState,
  entry: QueuedPod,
  compiled: CompiledPod,
  nodeName: string,
  began: number,
): Promise<void> {
  const result = await scheduler.binder.bind(compiled, nodeName);
  scheduler.bindings -= 1;
  bindingEnded(scheduler, entry, compiled, nodeName, result, began);
  requestTurn(scheduler);
}

function bindingEnded(
  scheduler: SchedulerState,
  entry: QueuedPod,
  compiled: CompiledPod,
  nodeName: string,
  result: Binding,
  began: number,
): void {
  const { queue, metrics, clock } = scheduler;
  const pod = compiled.pod as Stored<Pod>;
  if (result.bound) {
    metrics.attempted('scheduled', clock.monotonic() - began);
    scheduler.events.scheduled(pod, nodeName);
    return;
  }
  if (scheduler.assumed.forget(pod)) {
    queue.changed({ kind: 'room', nodeName, record: recordOf(pod), atMost: Infinity });
  }
  if (result.settled) return;
  metrics.attempted('error', clock.monotonic() - began);
  const now = scheduler.pods.get(pod.metadata.name, pod.metadata.namespace);
  if (now === undefined || now.metadata.uid !== entry.uid || (now.spec.nodeName ?? '') !== '') return;
  scheduler.logger.warn('Could not bind a pod', { ...keyOf(pod), node: nodeName, reason: result.message });
  entry.pod = now;
  queue.failed(entry);
  scheduler.reports.error(now, result.message);
}
