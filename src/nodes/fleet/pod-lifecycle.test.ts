import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FLEET_ANNOTATIONS as A } from '../../core/api/names.ts';
import type { Container, Pod, PodStatus } from '../../core/api/types/core-v1.ts';
import { deepFreeze } from '../../core/kube/immutable.ts';
import { formatTime } from '../../core/kube/time.ts';
import { nextStep, type Situation } from './pod-lifecycle.ts';
import { phaseOf } from './pod-status.ts';
import { podSettings } from './settings.ts';

const START = Date.UTC(2026, 0, 1);
const HOST: Situation['hostIPs'] = [{ ip: '10.0.0.1' }];

const at = (now: number, delay: number, exactly?: number): Situation => ({
  now,
  text: formatTime(now),
  exactly,
  hostIPs: HOST,
  podStartDelayMs: delay,
});

interface Played {
  readonly pod: Pod;
  readonly statuses: readonly PodStatus[];
  readonly end: 'rest' | 'removed' | 'still going';
}

/** Carries out every answer, as the fleet does, for a virtual day. `amnesia` forgets exact moments, as a restart does. */
function play(first: Pod, delay: number, amnesia: (i: number) => boolean = () => false): Played {
  let pod = first;
  let now = START;
  let exactly: number | undefined;
  const statuses: PodStatus[] = [];
  for (let i = 0; i < 400 && now < START + 86_400_000; i += 1) {
    if (amnesia(i)) exactly = undefined;
    const step = nextStep(deepFreeze(pod), at(now, delay, exactly));
    if (step.do === 'rest') return { pod, statuses, end: 'rest' };
    if (step.do === 'remove') return { pod, statuses, end: 'removed' };
    if (step.do === 'wait') {
      expect(step.until).toBeGreaterThan(now);
      now = step.until;
    } else {
      expect(step.status).not.toBe(pod.status);
      statuses.push(step.status);
      exactly = now;
      pod = { ...pod, status: step.status };
    }
  }
  return { pod, statuses, end: 'still going' };
}

const image = fc.constantFrom('agent:1', 'non-existent:1');
const container = (name: string): fc.Arbitrary<Container> => image.map((ref) => ({ name, image: ref }));
const pods = fc
  .record({
    containers: fc.oneof(fc.tuple(container('a')), fc.tuple(container('a'), container('b'))),
    init: fc.oneof(
      fc.constant([]),
      fc.tuple(container('i')),
      fc.tuple(container('i').map((each) => ({ ...each, restartPolicy: 'Always' }))),
    ),
    restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
    exitAfter: fc.constantFrom(undefined, '0s', '300ms', '5s', '11m'),
    exitCode: fc.constantFrom('0', '1'),
    deadline: fc.constantFrom(undefined, 60),
    generation: fc.constantFrom(undefined, 1),
  })
  .map(({ containers, init, restartPolicy, exitAfter, exitCode, deadline, generation }): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      namespace: 'default',
      uid: 'u',
      ...(generation === undefined ? {} : { generation }),
      annotations: { ...(exitAfter === undefined ? {} : { [A.exitAfter]: exitAfter }), [A.exitCode]: exitCode },
    },
    spec: {
      containers,
      ...(init.length === 0 ? {} : { initContainers: init }),
      restartPolicy,
      ...(deadline === undefined ? {} : { activeDeadlineSeconds: deadline }),
    },
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  }));

const condition = (pod: Pod, type: string) => pod.status?.conditions?.find((each) => each.type === type);
const isBroken = ({ image: ref = '' }: Container): boolean => ref.includes('non-existent');

describe('the life of a simulated pod', () => {
  it('ends where its containers lead it, whatever they are', () => {
    fc.assert(
      fc.property(pods, fc.constantFrom(0, 250, 3000), (first, delay) => {
        const { pod, end } = play(first, delay);
        const { spec } = first;
        const { exitAfterMs, exitCode } = podSettings(first);
        const cannotStart = [...(spec.initContainers ?? []), ...spec.containers].some(isBroken);
        const phase = pod.status?.phase;
        const comesBack = spec.restartPolicy === 'Always' || (spec.restartPolicy === 'OnFailure' && exitCode !== 0);
        const deadlineMs = (spec.activeDeadlineSeconds ?? Infinity) * 1000;
        const endsInTime = !cannotStart && exitAfterMs !== undefined && !comesBack && delay + exitAfterMs < deadlineMs;
        if (endsInTime) expect([phase, end]).toEqual([exitCode === 0 ? 'Succeeded' : 'Failed', 'rest']);
        else if (deadlineMs < Infinity) expect([phase, pod.status?.reason]).toEqual(['Failed', 'DeadlineExceeded']);
        else if (cannotStart) expect(phase).toBe('Pending');
        else expect(phase).toBe('Running');
        expect(condition(pod, 'Ready')?.status === 'True').toBe(
          phase === 'Running' && pod.status?.containerStatuses?.every(({ ready }) => ready) === true,
        );
        if (cannotStart && exitAfterMs === undefined) expect(end).toBe('rest');
      }),
      { numRuns: 300 },
    );
  });

  it('is the same, at most a second early, when the fleet forgets everything at any step', () => {
    fc.assert(
      fc.property(pods, fc.constantFrom(0, 250, 3000), fc.nat(7), (first, delay, when) => {
        const whole = play(first, delay);
        const broken = play(first, delay, (i) => i % 8 === when);
        expect(broken.end).toBe(whole.end);
        expect(broken.pod.status?.phase).toBe(whole.pod.status?.phase);
        // A step a second early may fall before a deadline instead of after it.
        const mayReorder = first.spec.activeDeadlineSeconds !== undefined;
        if (whole.end === 'rest' && !mayReorder) expect(broken.statuses.length).toBe(whole.statuses.length);
      }),
      { numRuns: 200 },
    );
  });

  it('goes through phases only forward, and conditions agree with containers at every step', () => {
    const rank = new Map([
      ['Pending', 0],
      ['Running', 1],
      ['Succeeded', 2],
      ['Failed', 2],
    ]);
    fc.assert(
      fc.property(pods, (first) => {
        let last = 0;
        for (const status of play(first, 250).statuses) {
          const phase = status.phase ?? '';
          expect(rank.get(phase)).toBeGreaterThanOrEqual(last);
          last = rank.get(phase) ?? 0;
          const pod = { ...first, status };
          const isOver = last === 2;
          if (!isOver)
            expect(phaseOf(pod, status.initContainerStatuses ?? [], status.containerStatuses ?? [])).toBe(phase);
          expect(status.containerStatuses).toHaveLength(first.spec.containers.length);
          const allReady = status.containerStatuses?.every(({ ready }) => ready) === true && !isOver;
          expect(condition(pod, 'ContainersReady')?.status).toBe(allReady ? 'True' : 'False');
          expect(status.startTime).toBeDefined();
        }
      }),
      { numRuns: 200 },
    );
  });

  it('is left alone when it has come to rest', () => {
    fc.assert(
      fc.property(pods, (first) => {
        const { pod, end } = play(first, 0);
        if (end !== 'rest') return;
        expect(nextStep(pod, at(START + 7 * 86_400_000, 0))).toEqual({ do: 'rest' });
      }),
    );
  });

  it('is removed exactly when its containers have stopped', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(90), fc.nat(2000), (grace, stop, late) => {
        const deletionTimestamp = formatTime(START + grace * 1000);
        const pod: Pod = {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {
            name: 'p',
            uid: 'u',
            deletionTimestamp,
            deletionGracePeriodSeconds: grace,
            annotations: { [A.stopDelay]: `${stop}s` },
          },
          spec: { containers: [{ name: 'a', image: 'x' }] },
          status: { phase: 'Running' },
        };
        const end = Math.min(grace, stop) * 1000;
        const step = nextStep(pod, at(START + late, 0));
        expect(step).toEqual(late >= end ? { do: 'remove' } : { do: 'wait', until: START + end });
      }),
    );
  });

  it('takes in containers that somebody adds to look around, and is otherwise as it was', () => {
    fc.assert(
      fc.property(pods, fc.array(image, { minLength: 1, maxLength: 2 }), (first, images) => {
        const before = play(first, 0);
        const ephemeralContainers = images.map((ref, i) => ({ name: `debug-${i}`, image: ref }));
        const { pod, end } = play({ ...before.pod, spec: { ...before.pod.spec, ephemeralContainers } }, 0);
        if (before.end !== 'rest' || before.pod.status?.phase !== 'Running') return;
        const { ephemeralContainerStatuses: added = [], ...rest } = pod.status ?? {};
        expect([end, rest]).toEqual(['rest', before.pod.status]);
        expect(added.map(({ state }) => Object.keys(state ?? {})[0])).toEqual(
          images.map((ref) => (ref.includes('non-existent') ? 'waiting' : 'running')),
        );
      }),
    );
  });

  it('ends with what was added to it', () => {
    const added = { name: 'debug', image: 'busybox' };
    const spec = { containers: [{ name: 'a', image: 'x' }], ephemeralContainers: [added], activeDeadlineSeconds: 60 };
    const { pod } = play({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', uid: 'u' }, spec, status: {} }, 0);
    expect(pod.status?.phase).toBe('Failed');
    expect(pod.status?.ephemeralContainerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  });
});
