/**
 * A pod has been given a node: the pod is assumed there at once, plugins and volumes reserve, and the binding runs beside
 * the deciding of the next pods. A binding that fails frees the node's room and sends the pod back to the queue.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Refusal } from '../../core/placement/answer.ts';
import type { CompiledPod } from '../../core/placement/compiled-pod.ts';
import { recordOf } from '../../core/placement/pod-record.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { Binding } from './binder.ts';
import { reservationMessage } from './failure-reports.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import { rejectorBit } from './queue/rejectors.ts';
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
  scheduler.assumed.assume(pod, nodeName);
  const refusal = scheduler.binder.reserve(compiled, nodeName);
  if (refusal !== undefined) {
    refuseReservation(scheduler, entry, compiled, refusal, began);
    return;
  }
  const node = cluster.nodes.get(nodeName)?.node;
  const reservation = node === undefined ? undefined : scheduler.volumes.reserve(pod, node);
  queue.placed(entry, nodeName);
  scheduler.nominations.end(pod, nodeName);
  scheduler.statuses.forget(entry.uid);
  queue.changed({ kind: 'pod-placed', record: recordOf(pod), nodeName });
  if (reservation !== undefined) {
    track(scheduler, bindVolumes(scheduler, reservation, entry, compiled, nodeName, began));
    return;
  }
  scheduler.bindings += 1;
  track(scheduler, bind(scheduler, entry, compiled, nodeName, began));
}

/** A plugin refused to reserve on the node that was chosen. */
function refuseReservation(
  scheduler: SchedulerState,
  entry: QueuedPod,
  compiled: CompiledPod,
  refusal: Refusal,
  began: number,
): void {
  scheduler.assumed.forget(entry.pod);
  scheduler.metrics.attempted('unschedulable', scheduler.clock.monotonic() - began);
  const plugins = refusal.nos.map((no) => no.plugin);
  const rejectors = plugins.reduce((bits, name) => bits | rejectorBit(name), 0);
  scheduler.reports.unschedulable(entry.pod, reservationMessage(refusal), '');
  scheduler.queue.refused(entry, rejectors, plugins, compiled);
}

/** Binding volumes may take minutes; such pods do not count among the bindings that hold up further decisions. */
async function bindVolumes(
  scheduler: SchedulerState,
  reservation: Reservation,
  entry: QueuedPod,
  compiled: CompiledPod,
  nodeName: string,
  began: number,
): Promise<void> {
  const message = await reservation.bind(scheduler.stopping.signal);
  reservation.undo();
  if (message === undefined) {
    scheduler.bindings += 1;
    return bind(scheduler, entry, compiled, nodeName, began);
  }
  bindingEnded(scheduler, entry, compiled, nodeName, { bound: false, settled: false, message }, began);
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
  scheduler.binder.unreserve(compiled, nodeName);
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
