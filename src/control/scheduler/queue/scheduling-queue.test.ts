import { beforeEach, describe, expect, it } from 'vitest';
import { type ClusterState, createClusterState } from '../../../core/placement/cluster-state.ts';
import { compilePodOnce } from '../../../core/placement/compiled-pod.ts';
import { recordOf } from '../../../core/placement/pod-record.ts';
import { createVirtualClock, type VirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { nodeOf, podOf, type PodWish } from '../testing/scheduler-harness.ts';
import { backoffUntil, DEFAULT_BACKOFF, isBackingOff } from './backoff.ts';
import { createChangeLog } from './change-log.ts';
import type { PlacementChange } from './cluster-change.ts';
import { queuedPod, type QueuedPod } from './queued-pod.ts';
import { REJECTOR } from './rejectors.ts';
import { createSchedulingQueue, type SchedulingQueue } from './scheduling-queue.ts';

let clock: VirtualClock;
let cluster: ClusterState;
let queue: SchedulingQueue;
let ready: number;

beforeEach(() => {
  clock = createVirtualClock();
  cluster = createClusterState();
  ready = 0;
  queue = createSchedulingQueue({ clock, cluster, onReady: () => void ready++ });
});

const add = (name: string, wish?: PodWish): void => queue.add(podOf(name, wish));
const taken = (): QueuedPod => {
  const entry = queue.take();
  if (entry === undefined) throw new Error('nothing to take');
  return entry;
};
const nameOf = (entry: QueuedPod | undefined): string | undefined => entry?.pod.metadata.name;
const refuse = (entry: QueuedPod, rejectors: number = REJECTOR.NodeResourcesFit): void =>
  queue.refused(entry, rejectors, [], compilePodOnce(entry.pod));
const room = (nodeName: string, cpu = 4): PlacementChange => ({
  kind: 'room',
  nodeName,
  record: recordOf(podOf('gone', { cpu })),
  atMost: Infinity,
});

describe('the order of pods', () => {
  it('is by priority, then by age', async () => {
    add('old');
    await clock.advance(5);
    add('young');
    add('urgent', { priority: 7 });
    expect([nameOf(taken()), nameOf(taken()), nameOf(taken()), queue.take()]).toEqual([
      'urgent',
      'old',
      'young',
      undefined,
    ]);
  });

  it('puts one that failed behind those of its priority that came before its failure', async () => {
    cluster.setNode(nodeOf('a'));
    add('first');
    const first = taken();
    await clock.advance(10);
    add('second');
    refuse(first);
    await clock.advance(20_000);
    queue.changed(room('a'));
    expect([nameOf(taken()), nameOf(taken())]).toEqual(['second', 'first']);
  });

  it('says when there is something to take', () => {
    add('p');
    expect(ready).toBe(1);
  });
});

describe('the pause after a failure', () => {
  it.each([
    [1, 0, 1000],
    [2, 0, 2000],
    [3, 0, 4000],
    [4, 0, 8000],
    [5, 0, 10_000],
    [60, 0, 10_000],
    [9, 1, 1000],
    [0, 3, 4000],
  ])('after %i refusals and %i errors in a row is %i ms', (refusals, errors, pause) => {
    const entry = { ...queuedPod(podOf('p'), 5_000, 0), refusals, errors };
    expect(backoffUntil(entry, DEFAULT_BACKOFF)).toBe(5_000 + pause);
  });

  it('is none before the first failure', () => {
    expect(isBackingOff(queuedPod(podOf('p'), 0, 0), 0)).toBe(false);
  });

  it('ends with its window of a second', () => {
    const entry = { ...queuedPod(podOf('p'), 400, 0), refusals: 1 };
    entry.backoffUntil = backoffUntil(entry, DEFAULT_BACKOFF);
    expect([isBackingOff(entry, 1_999), isBackingOff(entry, 2_000)]).toEqual([true, false]);
  });

  it('is cut short when there is nothing else to do', () => {
    cluster.setNode(nodeOf('a'));
    add('p');
    refuse(taken());
    queue.changed(room('a'));
    expect(queue.counts).toMatchObject({ active: 0, backoff: 1 });
    expect(nameOf(queue.take())).toBe('p');
  });

  it('lets others go first while it lasts, whatever their priority', () => {
    cluster.setNode(nodeOf('a'));
    add('paused', { priority: 9 });
    refuse(taken());
    queue.changed(room('a'));
    add('fresh');
    expect([nameOf(taken()), nameOf(taken())]).toEqual(['fresh', 'paused']);
  });

  it('is never cut short after an error, and grows with each in a row', async () => {
    add('p');
    queue.failed(taken());
    expect(queue.take()).toBeUndefined();
    await clock.advance(1999);
    expect(queue.take()).toBeUndefined();
    await clock.advance(1);
    const entry = taken();
    queue.failed(entry);
    await clock.advance(2_000);
    expect(queue.take()).toBeUndefined();
    await clock.advance(1_000);
    expect(queue.take()).toBe(entry);
  });
});

describe('a pod that waits', () => {
  it('is tried again after five minutes, whatever happened', async () => {
    cluster.setNode(nodeOf('a'));
    add('p', { cpu: 9 });
    refuse(taken());
    await clock.advance(299_000);
    expect(queue.take()).toBeUndefined();
    await clock.advance(32_000);
    expect(nameOf(queue.take())).toBe('p');
  });

  it('leaves no timer behind when it is gone', async () => {
    add('p', { cpu: 9 });
    refuse(taken());
    queue.remove('uid-p');
    await clock.runUntilIdle();
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps its object current, and is tried again when its own change helps', () => {
    add('p', { cpu: 9 });
    const entry = taken();
    refuse(entry, REJECTOR.TaintToleration);
    const old = entry.pod;
    const relabelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } } };
    queue.update(old, relabelled);
    expect([queue.take(), entry.pod]).toEqual([undefined, relabelled]);
    queue.update(relabelled, { ...old, spec: { ...old.spec, tolerations: [{ operator: 'Exists' }] } });
    expect(queue.take()).toBe(entry);
  });
});

describe('gated pods', () => {
  it('are not taken until the last gate is gone', () => {
    const gated = podOf('p', { spec: { schedulingGates: [{ name: 'a' }, { name: 'b' }] } });
    queue.add(gated);
    expect([queue.take(), queue.counts.gated]).toEqual([undefined, 1]);
    const half = podOf('p', { spec: { schedulingGates: [{ name: 'b' }] } });
    queue.update(gated, half);
    expect(queue.take()).toBeUndefined();
    queue.update(half, podOf('p'));
    expect(nameOf(queue.take())).toBe('p');
  });
});

describe('changes while a pod is in flight', () => {
  it('are held against its refusal', () => {
    cluster.setNode(nodeOf('a'));
    add('p', { cpu: 1 });
    const entry = taken();
    queue.changed(room('a'));
    refuse(entry);
    expect(queue.take()).toBe(entry);
  });

  it('do not matter when they cannot help', () => {
    cluster.setNode(nodeOf('a', { taint: 'x' }));
    add('p', { cpu: 1 });
    const entry = taken();
    queue.changed(room('a'));
    refuse(entry);
    expect(queue.take()).toBeUndefined();
  });

  it('include those of the pod itself', () => {
    add('p', { cpu: 9 });
    const entry = taken();
    const old = entry.pod;
    queue.update(old, { ...old, spec: { ...old.spec, tolerations: [{ operator: 'Exists' }] } });
    queue.refused(entry, REJECTOR.TaintToleration, [], compilePodOnce(old));
    expect(queue.take()).toBe(entry);
  });

  it('are forgotten once nobody is in flight', () => {
    const log = createChangeLog();
    log.note(room('a'));
    const first = log.begin();
    log.note(room('b'));
    const second = log.begin();
    log.note(room('c'));
    const names = (place: number): unknown[] =>
      log.since(place).map((change) => 'nodeName' in change && change.nodeName);
    expect([names(first), names(second)]).toEqual([['b', 'c'], ['c']]);
    log.end(first);
    expect(names(second)).toEqual(['c']);
    log.end(second);
    log.note(room('d'));
    expect(log.since(log.begin())).toEqual([]);
  });

  it('leave one that was deleted out of the queue for good', () => {
    add('p');
    const entry = taken();
    queue.remove(entry.uid);
    refuse(entry);
    queue.putBack(entry);
    expect([queue.get(entry.uid), queue.take(), queue.counts.unschedulable]).toEqual([undefined, undefined, 0]);
  });
});

describe('a pod whose preemption is under way', () => {
  it('is not tried before that has ended', () => {
    cluster.setNode(nodeOf('a'));
    add('p', { cpu: 1 });
    const entry = taken();
    queue.hold(entry.uid);
    refuse(entry);
    queue.changed(room('a'));
    expect(queue.take()).toBeUndefined();
    queue.release(entry.uid, 'done');
    expect(queue.take()).toBe(entry);
  });

  it('is tried again after a pause that grows when it could not be carried out', async () => {
    add('p');
    for (const pause of [2_000, 3_000, 5_000]) {
      const entry = taken();
      queue.hold(entry.uid);
      refuse(entry);
      queue.release(entry.uid, 'failed');
      await clock.advance(pause - 1);
      expect(queue.take()).toBeUndefined();
      await clock.advance(1);
    }
    expect(nameOf(queue.take())).toBe('p');
  });
});

describe('room for a limited number', () => {
  const fill = (count: number): void => {
    cluster.setNode(nodeOf('a', { cpu: 2 }));
    cluster.setNode(nodeOf('b', { cpu: 2, taint: 'x' }));
    for (let i = 0; i < count; i++) add(`p${i}`, { cpu: 1 });
    for (let i = 0; i < count; i++) refuse(taken());
  };

  it('calls as many as it is for, the oldest first', () => {
    fill(5);
    queue.changed(room('a'));
    expect(queue.counts).toMatchObject({ backoff: 2, unschedulable: 3 });
    expect([nameOf(queue.take()), nameOf(queue.take())]).toEqual(['p0', 'p1']);
  });

  it('is handed on by one that is deleted before it was tried', () => {
    fill(4);
    queue.changed(room('a'));
    queue.remove('uid-p0');
    expect([nameOf(queue.take()), nameOf(queue.take()), nameOf(queue.take())]).toEqual(['p1', 'p2', 'p3']);
  });

  it('is handed on by one that goes elsewhere, but not by one that takes it', () => {
    fill(4);
    queue.changed(room('a'));
    const [first, second] = [taken(), taken()];
    queue.placed(first, 'a');
    cluster.setPod(first.pod, 'a');
    expect(queue.counts.unschedulable).toBe(2);
    queue.placed(second, 'b');
    expect(queue.counts).toMatchObject({ backoff: 1, unschedulable: 1 });
  });

  it('calls all where there is room for all', () => {
    fill(2);
    queue.changed(room('a'));
    expect(queue.counts).toMatchObject({ backoff: 2, unschedulable: 0 });
  });
});
