import { describe, expect, it } from 'vitest';
import { templatePods } from '../../../bench/support/pods.ts';
import { FLEET_ANNOTATIONS as A } from '../../../src/core/api/names.ts';
import { NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import { fleet } from './fleet-world.ts';
import { isReadyPod, podOn, simulatedNode, type World } from '../support/world.ts';

const states = (pod: Awaited<ReturnType<World['pod']>>) =>
  pod.status?.containerStatuses?.map(({ state, restartCount }) => `${Object.keys(state ?? {})[0]} ${restartCount}`);

describe('a pod on a simulated node', () => {
  it('runs and is Ready at once, with addresses and times', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.client.create(PODS, podOn('n', 'p'));
    const pod = await world.podWhen('p', isReadyPod, 100);
    expect(pod.status).toMatchObject({
      phase: 'Running',
      startTime: '2026-01-01T00:00:00Z',
      hostIP: expect.stringMatching(/^10\./),
    });
    expect(pod.status?.podIP).toMatch(/^10\.(12[89]|1[3-9]\d|2\d\d)\./);
    expect(pod.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
    expect(pod.status?.observedGeneration).toBe(1);
  });

  it('costs one status write, and none when nothing changes', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.client.create(PODS, podOn('n', 'p'));
    await world.pass(1000);
    const written = world.writes.lasting.length;
    expect(world.writes.lasting.filter(({ resource }) => resource === 'pods')).toHaveLength(1);
    await world.pass(3_600_000);
    expect(world.writes.lasting).toHaveLength(written);
  });

  it('starts after a delay finer than a second', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n', { [A.podStartDelay]: '250ms' }));
    await world.pass(700);
    await world.client.create(PODS, podOn('n', 'p'));
    await world.pass(240);
    const before = await world.pod('p');
    expect(before.status).toMatchObject({ phase: 'Pending', startTime: '2026-01-01T00:00:00Z' });
    expect(before.status?.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    expect(before.status?.podIP).toBeUndefined();
    await world.pass(20);
    expect((await world.pod('p')).status?.phase).toBe('Running');
  });

  it('never becomes Ready with an image that does not exist', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.client.create(
      PODS,
      podOn('n', 'p', {
        containers: [
          { name: 'good', image: 'agent:1' },
          { name: 'bad', image: 'registry.example/non-existent:2' },
        ],
      }),
    );
    await world.pass(100);
    const reason = async () => (await world.pod('p')).status?.containerStatuses?.[1]?.state?.waiting?.reason;
    expect(await reason()).toBe('ErrImagePull');
    await world.pass(11_000);
    expect(await reason()).toBe('ImagePullBackOff');
    const written = world.writes.lasting.length;
    await world.pass(3_600_000);
    const pod = await world.pod('p');
    expect(pod.status?.phase).toBe('Pending');
    expect(isReadyPod(pod)).toBe(false);
    expect(states(pod)).toEqual(['running 0', 'waiting 0']);
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
      'containers with unready status: [bad]',
    );
    expect(world.writes.lasting).toHaveLength(written);
  });

  it('starts when a broken image is mended, and restarts when a good one is replaced', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.client.create(PODS, podOn('n', 'p', { containers: [{ name: 'main', image: 'non-existent' }] }));
    await world.pass(20_000);
    const patch = (image: string) =>
      world.client.patch(
        PODS,
        { namespace: 'default', name: 'p' },
        { type: 'json', body: [{ op: 'replace', path: '/spec/containers/0/image', value: image }] },
      );
    await patch('agent:1');
    await world.podWhen('p', isReadyPod, 100);
    await patch('agent:2');
    const pod = await world.podWhen('p', ({ status }) => status?.containerStatuses?.[0]?.image === 'agent:2', 100);
    expect(states(pod)).toEqual(['running 1']);
    expect(pod.status?.observedGeneration).toBe(3);
  });

  it('runs init containers to their end and sidecars beside the others', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n', { [A.podStartDelay]: '2s' }));
    const initContainers = [
      { name: 'prepare', image: 'init:1' },
      { name: 'proxy', image: 'proxy:1', restartPolicy: 'Always' },
    ];
    await world.client.create(PODS, podOn('n', 'p', { initContainers }));
    await world.pass(1000);
    const before = await world.pod('p');
    expect(before.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('PodInitializing');
    expect(before.status?.conditions?.find(({ type }) => type === 'Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [prepare proxy]',
    });
    const pod = await world.podWhen('p', isReadyPod, 2000);
    expect(pod.status?.initContainerStatuses?.map(({ state }) => Object.keys(state ?? {})[0])).toEqual([
      'terminated',
      'running',
    ]);
  });

  it('holds everything back when an init image is broken', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    const initContainers = [{ name: 'prepare', image: 'non-existent' }];
    await world.client.create(PODS, podOn('n', 'p', { initContainers }));
    await world.pass(20_000);
    const pod = await world.pod('p');
    expect(pod.status?.phase).toBe('Pending');
    expect(pod.status?.initContainerStatuses?.[0]?.state?.waiting?.reason).toBe('ImagePullBackOff');
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('PodInitializing');
  });

  it('is Ready only when its readiness gates are', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    const readinessGates = [{ conditionType: 'example.com/route' }];
    await world.client.create(PODS, podOn('n', 'p', { readinessGates }));
    await world.pass(1000);
    const pod = await world.pod('p');
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'corresponding condition of pod readiness gate "example.com/route" does not exist.',
    });
    const gate = (status: string) => ({ type: 'example.com/route', status });
    const write = async (status: string) => {
      const current = await world.pod('p');
      const conditions = [
        ...(current.status?.conditions ?? []).filter(({ type }) => type !== 'example.com/route'),
        gate(status),
      ];
      await world.client.update(
        PODS,
        { ...current, status: { ...current.status, conditions } },
        { subresource: 'status' },
      );
    };
    await write('True');
    const ready = await world.podWhen('p', isReadyPod, 100);
    expect(ready.status?.conditions).toContainEqual(expect.objectContaining(gate('True')));
    await write('False');
    await world.podWhen('p', (now) => !isReadyPod(now), 100);
  });
});

describe('containers that end', () => {
  const exits = (after: string, code: string) => ({ annotations: { [A.exitAfter]: after, [A.exitCode]: code } });

  it.each([
    ['Never', '0', 'Succeeded'],
    ['Never', '3', 'Failed'],
    ['OnFailure', '0', 'Succeeded'],
  ])('with policy %s and code %s leave the pod %s', async (restartPolicy, code, phase) => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.client.create(PODS, podOn('n', 'p', { restartPolicy }, exits('5s', code)));
    await world.pass(4900);
    expect((await world.pod('p')).status?.phase).toBe('Running');
    await world.pass(200);
    const pod = await world.pod('p');
    expect(pod.status?.phase).toBe(phase);
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toEqual({
      exitCode: Number(code),
      reason: code === '0' ? 'Completed' : 'Error',
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:05Z',
    });
    const written = world.writes.lasting.length;
    await world.pass(3_600_000);
    expect(world.writes.lasting).toHaveLength(written);
  });

  it.each([
    ['Always', '0'],
    ['OnFailure', '1'],
  ])('with policy %s and code %s start again, at once and then after 10s, 20s, … 5m', async (restartPolicy, code) => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.client.create(PODS, podOn('n', 'p', { restartPolicy }, exits('1s', code)));
    await world.pass(1100);
    expect(states(await world.pod('p'))).toEqual(['running 1']);
    const starts: number[] = [];
    for (let count = 1; starts.length < 7; count += 1) {
      await world.podWhen(
        'p',
        ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff',
        5000,
      );
      const waiting = world.clock.now();
      expect((await world.pod('p')).status?.phase).toBe('Running');
      await world.podWhen('p', ({ status }) => status?.containerStatuses?.[0]?.restartCount === count + 1, 400_000);
      starts.push(Math.round((world.clock.now() - waiting) / 1000));
    }
    expect(starts).toEqual([10, 20, 40, 80, 160, 300, 300]);
    const pod = await world.pod('p');
    expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(Number(code));
  });

  it('complete a Job pod after a second without being told', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }];
    await world.client.create(PODS, podOn('n', 'p', { restartPolicy: 'Never' }, { ownerReferences }));
    await world.pass(1100);
    expect((await world.pod('p')).status?.phase).toBe('Succeeded');
  });

  it('take their sidecars with them', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    const initContainers = [{ name: 'proxy', image: 'proxy:1', restartPolicy: 'Always' }];
    await world.client.create(PODS, podOn('n', 'p', { restartPolicy: 'Never', initContainers }, exits('1s', '0')));
    await world.pass(1100);
    const pod = await world.pod('p');
    expect(pod.status?.phase).toBe('Succeeded');
    expect(pod.status?.initContainerStatuses?.[0]?.state?.terminated).toBeDefined();
  });

  it('are stopped when the pod has been active too long', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.client.create(PODS, podOn('n', 'p', { activeDeadlineSeconds: 30 }));
    await world.pass(29_000);
    expect((await world.pod('p')).status?.phase).toBe('Running');
    await world.pass(2000);
    expect((await world.pod('p')).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });
});

describe('a phase somebody else has set', () => {
  it.each(['Failed', 'Succeeded'])('%s is left alone', async (phase) => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.client.create(PODS, podOn('n', 'p'));
    const pod = await world.podWhen('p', isReadyPod, 100);
    await world.client.update(PODS, { ...pod, status: { ...pod.status, phase } }, { subresource: 'status' });
    const written = world.writes.lasting.length;
    await world.pass(600_000);
    expect((await world.pod('p')).status?.phase).toBe(phase);
    expect(world.writes.lasting).toHaveLength(written);
  });
});

describe('statuses', () => {
  it('are shared by pods of one template that start in the same second', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('a'));
    await world.client.create(NODES, simulatedNode('b', { [A.podStartDelay]: '1s' }));
    const make = await templatePods(world.client);
    const names: string[] = [];
    // The API server remembers a template when it sees it again.
    for (const [i, node] of ['b', 'a', 'a', 'a', 'b', 'b'].entries()) {
      const { name } = (await world.client.create(PODS, make(i, node))).metadata;
      await world.client.bind({ namespace: 'default', name }, node);
      names.push(name);
    }
    await world.pass(1500);
    const { status: a1 } = await world.pod(names.at(-4) ?? '');
    const { status: a2 } = await world.pod(names.at(-3) ?? '');
    const { status: b1 } = await world.pod(names.at(-2) ?? '');
    const { status: b2 } = await world.pod(names.at(-1) ?? '');
    expect(a1?.phase).toBe('Running');
    expect(a2?.containerStatuses).toBe(a1?.containerStatuses);
    expect(a2?.conditions).toBe(a1?.conditions);
    expect(a2?.hostIPs).toBe(a1?.hostIPs);
    expect(b1?.phase).toBe('Running');
    expect(b2?.containerStatuses).toBe(b1?.containerStatuses);
    expect(b2?.conditions).toBe(b1?.conditions);
  });
});
