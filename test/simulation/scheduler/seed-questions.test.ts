/** What people asked for when daemon pods were left to the default scheduler; one test a question. */
import { describe, expect, it } from 'vitest';
import { PODS } from '../../../src/core/api/registry/resources.ts';
import { affinity, antiAffinity, keyed, pinnedTo, schedulerWorld } from './scheduler-world.ts';

const NO_ROOM =
  "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. " +
  'no new claims to deallocate, preemption: 0/2 nodes are available: ' +
  '1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.';

describe('room after pods exit', () => {
  it('reaches a daemon pod that waits for its node, at once and without a new attempt of anybody else', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addNode('b');
    await world.addPod('tenant', { cpu: '4', on: 'a' });
    await world.addPod('elsewhere', { cpu: '4', on: 'b' });
    await world.addPod('daemon-a', { cpu: '1', node: 'a' });
    await world.addPod('daemon-b', { cpu: '1', node: 'b' });
    await world.pass(100);
    expect(await world.nodeOf('daemon-a')).toBe('');
    expect((await world.condition('daemon-a'))?.message).toBe(NO_ROOM);

    await world.removePod('tenant');
    await world.pass(10);
    expect(await world.nodeOf('daemon-a')).toBe('a');
    expect(await world.nodeOf('daemon-b')).toBe('');
    expect(await world.events('daemon-b')).toHaveLength(1);
  });

  it('counts a pod that has ended as gone', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('batch', { cpu: '4', on: 'a' });
    await world.addPod('daemon', { cpu: '1', node: 'a' });
    await world.pass(100);
    await world.setStatus('batch', { phase: 'Succeeded' });
    await world.pass(10);
    expect(await world.nodeOf('daemon')).toBe('a');
  });

  it('comes too when the node grows', async () => {
    const world = await schedulerWorld();
    await world.addNode('a', { cpu: '1' });
    await world.addPod('daemon', { cpu: '2', node: 'a' });
    await world.pass(100);
    expect(await world.nodeOf('daemon')).toBe('');
    await world.changeNode('a', (node) => ({
      ...node,
      status: { ...node.status, allocatable: { ...node.status?.allocatable, cpu: '8' } },
    }));
    await world.pass(10);
    expect(await world.nodeOf('daemon')).toBe('a');
  });
});

describe('pod affinity and anti-affinity respected', () => {
  it('keeps a daemon off the node of a pod it avoids, until that pod is gone', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addNode('b');
    await world.addPod('noisy', { labels: { app: 'noisy' }, on: 'a' });
    for (const name of ['a', 'b']) {
      await world.addPod(`quiet-${name}`, { spec: { affinity: { ...pinnedTo(name), ...antiAffinity('noisy') } } });
    }
    await world.pass(100);
    expect(await world.nodeOf('quiet-b')).toBe('b');
    expect((await world.condition('quiet-a'))?.message).toContain("1 node(s) didn't match pod anti-affinity rules");
    await world.removePod('noisy');
    await world.pass(10);
    expect(await world.nodeOf('quiet-a')).toBe('a');
  });

  it('brings a daemon to the node of the pod it belongs to, when that comes', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('helper', { spec: { affinity: { ...pinnedTo('a'), ...affinity('main') } } });
    await world.pass(100);
    expect((await world.condition('helper'))?.message).toContain("1 node(s) didn't match pod affinity rules");
    await world.addPod('main', { labels: { app: 'main' } });
    await world.pass(10);
    expect(await world.nodeOf('helper')).toBe('a');
  });
});

describe("pending pod with the scheduler's reason", () => {
  it('shows it in an event and in the condition, written once', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addNode('b');
    await world.addPod('tenant', { cpu: '4', on: 'a' });
    await world.addPod('daemon', { cpu: '1', node: 'a' });
    await world.pass(1000);
    expect(await world.events('daemon')).toEqual([`FailedScheduling: ${NO_ROOM}`]);
    expect(await world.condition('daemon')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message: NO_ROOM,
      observedGeneration: 1,
    });
    const writes = world.writes.lasting.length;
    await world.pass(600_000);
    expect(world.writes.lasting.length).toBe(writes);
  });

  it('speaks of a node that is not there', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('daemon', { node: 'gone' });
    await world.pass(100);
    expect((await world.condition('daemon'))?.message).toBe(
      "0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    );
    await world.addNode('gone');
    await world.pass(10);
    expect(await world.nodeOf('daemon')).toBe('gone');
  });

  it('says when there is no node at all, and looks again when one comes', async () => {
    const world = await schedulerWorld();
    await world.addPod('p', { cpu: '8' });
    await world.pass(100);
    expect((await world.condition('p'))?.message).toBe('no nodes available to schedule pods');
    await world.addNode('small');
    await world.pass(2000);
    expect((await world.condition('p'))?.message).toMatch(/^0\/1 nodes are available: 1 Insufficient cpu\./);
  });
});

describe('critical daemons preempt', () => {
  it('takes the place of the least important pod of its node, tells it why, and is promised the room meanwhile', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addNode('b');
    await world.addPod('dear', { cpu: '2', priority: 10, on: 'a' });
    await world.addPod('cheap', { cpu: '2', priority: 1, on: 'a' });
    await world.addPod('other', { cpu: '4', priority: 5, on: 'b' });
    const daemon = { cpu: '1', node: 'a', spec: { priorityClassName: 'system-node-critical' } };
    await world.addPod('daemon', daemon);
    await world.pass(100);

    const victim = await world.pod('cheap');
    expect(victim.metadata.deletionTimestamp).toBeDefined();
    expect(await world.condition('cheap', 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    });
    const { uid } = (await world.pod('daemon')).metadata;
    expect(await world.events('cheap')).toEqual([`Preempted: Preempted by pod ${uid} on node a`]);
    expect((await world.pod('daemon')).status?.nominatedNodeName).toBe('a');
    expect(await world.events('daemon')).toEqual([
      "FailedScheduling: 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    ]);

    await world.addPod('thief', { cpu: '2', priority: 5 });
    await world.pass(100);
    expect(await world.nodeOf('thief')).toBe('');
    await world.removePod('cheap');
    await world.pass(10);
    expect(await world.nodeOf('daemon')).toBe('a');
    expect((await world.pod('daemon')).status?.nominatedNodeName).toBeUndefined();
    expect((await world.pod('dear')).metadata.deletionTimestamp).toBeUndefined();
    expect((await world.pod('other')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('never displaces its equals', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('first', { cpu: '4', priority: 5, on: 'a' });
    await world.addPod('second', { cpu: '4', priority: 5, node: 'a' });
    await world.pass(10_000);
    expect(await world.nodeOf('second')).toBe('');
    expect((await world.pod('first')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('does not preempt where the pod says never', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('cheap', { cpu: '4', priority: 1, on: 'a' });
    await world.client
      .create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: keyed('polite'),
        spec: {
          containers: [{ name: 'main', image: 'agent:1', resources: { requests: { cpu: '1' } } }],
          preemptionPolicy: 'Never',
          priorityClassName: 'system-cluster-critical',
        },
      })
      .catch(() => undefined);
    await world.pass(1000);
    expect((await world.pod('cheap')).metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('CNI daemon bootstraps network-unavailable nodes', () => {
  const untouched = { key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' };
  const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

  it('lets the daemon that tolerates them in, and the others after it', async () => {
    const world = await schedulerWorld();
    await world.addNode('a', { taints: [untouched, notReady] });
    const tolerations = [untouched, notReady].map(({ key, effect }) => ({ key, effect, operator: 'Exists' }));
    await world.addPod('cni', { node: 'a', spec: { tolerations } });
    await world.addPod('web');
    await world.pass(100);
    expect(await world.nodeOf('cni')).toBe('a');
    expect(await world.nodeOf('web')).toBe('');
    expect((await world.condition('web'))?.message).toMatch(
      /^0\/1 nodes are available: 1 node\(s\) had untolerated taint\(s\)\./,
    );
    await world.changeNode('a', (node) => ({ ...node, spec: { ...node.spec, taints: [notReady] } }));
    await world.pass(10);
    expect(await world.nodeOf('web')).toBe('');
    await world.changeNode('a', (node) => ({ ...node, spec: { ...node.spec, taints: [] } }));
    await world.pass(10);
    expect(await world.nodeOf('web')).toBe('a');
  });
});

describe('node recovering from pressure', () => {
  it('takes pods again as soon as the taint is gone', async () => {
    const world = await schedulerWorld();
    const pressure = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' };
    await world.addNode('a', { taints: [pressure] });
    await world.addPod('agent', { node: 'a' });
    await world.pass(100);
    expect(await world.nodeOf('agent')).toBe('');
    await world.changeNode('a', (node) => ({ ...node, spec: { ...node.spec, taints: [] } }));
    await world.pass(10);
    expect(await world.nodeOf('agent')).toBe('a');
  });

  it('takes pods again when it is uncordoned', async () => {
    const world = await schedulerWorld();
    await world.addNode('a', { unschedulable: true });
    await world.addPod('web');
    await world.pass(100);
    expect((await world.condition('web'))?.message).toContain('1 node(s) were unschedulable');
    await world.changeNode('a', ({ spec, ...node }) => ({ ...node, spec: { taints: spec.taints ?? [] } }));
    await world.pass(10);
    expect(await world.nodeOf('web')).toBe('a');
  });
});
