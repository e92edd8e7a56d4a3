/**
 * Keeps the pods on simulated nodes: takes each through admission and its lifecycle, with a bounded number of writes
 * under way and a bounded slice of the process at a time.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod, PodStatus } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { addPod, removePod } from '../../core/placement/node-state.ts';
import { isTerminal, podKey, recordOf } from '../../core/placement/pod-record.ts';
import type { Client } from '../../machinery/client.ts';
import type { Clock, Timer } from '../../machinery/clock.ts';
import type { Logger } from '../../machinery/logger.ts';
import { keyOf, keyText, parseKeyText } from '../../machinery/object-keys.ts';
import type { Lister } from '../../machinery/object-store.ts';
import { admit } from './kubelet-admission.ts';
import type { SimulatedNode } from './node-keeper.ts';
import { nextStep } from './pod-lifecycle.ts';
import { rejectedStatus } from './pod-status.ts';

export interface PodKeeper {
  look(pod: Stored<Pod>): void;
  forget(pod: Stored<Pod>): void;
  nodeUp(name: string): void;
  /** The node is no longer ours; its pods wait in case one of that name comes back. */
  nodeGone(name: string, node: SimulatedNode | undefined): void;
  /** Waits for writes under way. */
  stop(): Promise<void>;
}

export interface PodKeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly now: () => string;
  readonly lister: Lister<Pod>;
  readonly nodeOf: (name: string) => SimulatedNode | undefined;
  readonly onReadyDaemon: (nodeName: string, daemon: string) => void;
}

const MAX_IN_FLIGHT = 256;
const SLICE_MS = 4;
const RETRY_MS = 1000;

export function createPodKeeper(options: PodKeeperOptions): PodKeeper {
  const { client, clock, logger, lister, nodeOf } = options;
  /** Keys to look at, each once, oldest first. */
  const queue = new Set<string>();
  /** Keys with a write under way; a change that arrives meanwhile waits in `queue`. */
  const inFlight = new Set<string>();
  /** Pods bound to a node that is not up (or not ours, or not there yet), by node. */
  const waiting = new Map<string, Set<string>>();
  const timers = new Map<string, Timer>();
  /** Exact time of admission, for delays finer than a second. Only while a pod starts. */
  const admittedAt = new Map<string, number>();
  let pumping = false;
  let stopped = false;
  let idle: (() => void) | undefined;

  function enqueue(key: string): void {
    queue.add(key);
    if (!pumping && !stopped) {
      pumping = true;
      clock.after(0, pump);
    }
  }

  function pump(): void {
    const end = clock.monotonic() + SLICE_MS;
    for (const key of queue) {
      if (stopped || inFlight.size >= MAX_IN_FLIGHT) break;
      if (inFlight.has(key)) continue;
      queue.delete(key);
      process(key);
      if (clock.monotonic() >= end) break;
    }
    const canGoOn = !stopped && inFlight.size < MAX_IN_FLIGHT && queue.size > inFlight.size;
    pumping = canGoOn;
    if (canGoOn) clock.after(0, pump);
  }

  function process(key: string): void {
    const { name, namespace } = parseKeyText(key);
    const pod = lister.get(name, namespace);
    const nodeName = pod?.spec.nodeName;
    if (pod === undefined || nodeName === undefined) return;
    const node = nodeOf(nodeName);
    if (node?.up !== true) return wait(nodeName, key);
    const rejected = account(pod, node);
    if (rejected !== undefined) return void report(key, pod, rejected);
    advance(key, pod, node);
  }

  function wait(nodeName: string, key: string): void {
    const keys = waiting.get(nodeName) ?? new Set<string>();
    waiting.set(nodeName, keys.add(key));
  }

  /** Counts the pod on its node; answers with a status where the node refuses it. */
  function account(pod: Stored<Pod>, { state, hostIPs }: SimulatedNode): PodStatus | undefined {
    const uid = podKey(pod);
    const known = state.pods.has(uid);
    if (isTerminal(pod)) {
      if (known) removePod(state, uid);
      return undefined;
    }
    if (known) {
      // The newest object replaces the one counted before, which would otherwise be kept alive.
      removePod(state, uid);
    } else if (pod.status?.startTime === undefined && pod.metadata.deletionTimestamp === undefined) {
      const rejection = admit(pod, state);
      if (rejection !== undefined) return rejectedStatus(pod, { now: options.now(), hostIPs }, rejection);
    }
    addPod(state, recordOf(pod));
    return undefined;
  }

  function advance(key: string, pod: Stored<Pod>, node: SimulatedNode): void {
    const now = clock.now();
    const { podStartDelayMs } = node.settings;
    if (podStartDelayMs > 0 && pod.status?.startTime === undefined && !admittedAt.has(key)) admittedAt.set(key, now);
    const step = nextStep(pod, {
      now,
      context: { now: options.now(), hostIPs: node.hostIPs },
      podStartDelayMs,
      admittedAt: admittedAt.get(key),
    });
    switch (step.do) {
      case 'rest':
        admittedAt.delete(key);
        timers.get(key)?.cancel();
        timers.delete(key);
        tellDaemon(pod);
        return;
      case 'wait':
        return lookAgain(key, step.until - now);
      case 'report':
        return void report(key, pod, step.status);
      case 'remove':
        return void remove(key, pod);
    }
  }

  function tellDaemon(pod: Stored<Pod>): void {
    const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller === true);
    if (owner?.kind !== 'DaemonSet' || pod.spec.nodeName === undefined) return;
    const ready = pod.status?.conditions?.some(
      (condition) => condition.type === 'Ready' && condition.status === 'True',
    );
    if (ready === true) options.onReadyDaemon(pod.spec.nodeName, `${pod.metadata.namespace}/${owner.name}`);
  }

  function lookAgain(key: string, delayMs: number): void {
    timers.get(key)?.cancel();
    timers.set(
      key,
      clock.after(Math.max(1, delayMs), () => {
        timers.delete(key);
        enqueue(key);
      }),
    );
  }

  const report = (key: string, pod: Stored<Pod>, status: PodStatus): Promise<void> =>
    write(key, () => client.update(PODS, { ...pod, status }, { subresource: 'status' }));

  const remove = (key: string, pod: Stored<Pod>): Promise<void> =>
    write(key, () =>
      client.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } }),
    );

  async function write(key: string, send: () => Promise<unknown>): Promise<void> {
    inFlight.add(key);
    try {
      await send();
    } catch (error) {
      // Gone, or changed: the change itself brings the pod back here.
      if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) {
        logger.warn('Could not write a pod', { name: key, error });
        if (!stopped) lookAgain(key, RETRY_MS);
      }
    }
    inFlight.delete(key);
    if (inFlight.size === 0) idle?.();
    if (queue.size > 0 && !pumping && !stopped) {
      pumping = true;
      clock.after(0, pump);
    }
  }

  return {
    look(pod) {
      if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '') enqueue(keyText(keyOf(pod)));
    },
    forget(pod) {
      const key = keyText(keyOf(pod));
      queue.delete(key);
      admittedAt.delete(key);
      timers.get(key)?.cancel();
      timers.delete(key);
      const { nodeName } = pod.spec;
      if (nodeName === undefined) return;
      const keys = waiting.get(nodeName);
      if (keys?.delete(key) === true && keys.size === 0) waiting.delete(nodeName);
      const node = nodeOf(nodeName);
      if (node !== undefined) removePod(node.state, podKey(pod));
    },
    nodeUp(name) {
      const keys = waiting.get(name);
      waiting.delete(name);
      for (const key of keys ?? []) enqueue(key);
    },
    nodeGone(name, node) {
      if (node === undefined) return;
      for (const { pod } of node.state.pods.values()) wait(name, keyText(keyOf(pod)));
    },
    async stop() {
      stopped = true;
      for (const timer of timers.values()) timer.cancel();
      if (inFlight.size > 0) await new Promise<void>((resolve) => (idle = resolve));
    },
  };
}
