import { describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { createVirtualClock } from '../../machinery/virtual-clock.ts';
import { createPodStreams, type StreamAnswer } from './pod-streams.ts';

const START = Date.UTC(2026, 0, 1);
const RUNNING: PodStatus = {
  phase: 'Running',
  containerStatuses: [
    {
      name: 'main',
      image: 'nginx',
      imageID: '',
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
    },
  ],
};
const podOf = (status: PodStatus = RUNNING, containers: readonly string[] = ['main']): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '1' } as Stored<Pod>['metadata'],
  spec: { nodeName: 'node-1', containers: containers.map((name) => ({ name, image: 'nginx' })) },
  status,
});

function setUp(current: () => Stored<Pod> | undefined = () => undefined) {
  const clock = createVirtualClock(START);
  const streams = createPodStreams({ clock, current: () => Promise.resolve(current()) });
  const open = (name: string, pod: Stored<Pod>, query = '', signal?: AbortSignal): StreamAnswer => {
    const stream = streams.get(`pods/${name}`);
    if (stream === undefined) throw new Error(`nothing answers ${name}`);
    return stream({ query: new URLSearchParams(query), ...(signal === undefined ? {} : { signal }) }, pod);
  };
  return { clock, open };
}

async function textOf({ body }: StreamAnswer): Promise<string> {
  let text = '';
  for await (const chunk of body) text += chunk;
  return text;
}

describe('pod logs', () => {
  const { open } = setUp();
  const LINE = 'everynode: container main of shop/web started on node-1 (simulated, image nginx)\n';

  it('tell what the simulation did', async () => {
    const answer = open('log', podOf());
    expect(answer.contentType).toBe('text/plain');
    expect(await textOf(answer)).toBe(LINE);
  });

  it.each([
    ['tailLines=0', ''],
    ['tailLines=5', LINE],
    ['timestamps=true', `2026-01-01T00:00:00Z ${LINE}`],
    ['limitBytes=9', 'everynode'],
    ['sinceSeconds=10', LINE],
    ['sinceTime=2026-01-01T00:00:01Z', ''],
  ])('choose with %s', async (query, text) => {
    expect(await textOf(open('log', podOf(), query))).toBe(text);
  });

  it.each([
    ['container=nope', 'container nope is not valid for pod web'],
    ['previous=true', 'previous terminated container "main" in pod "web" not found'],
    ['tailLines=-1', 'tailLines: "-1" is no whole number'],
    ['limitBytes=x', 'limitBytes: "x" is no whole number'],
  ])('refuse %s before the first line', (query, message) => {
    expect(() => open('log', podOf(), query)).toThrow(message);
  });

  it('want a name where there are several containers', () => {
    expect(() => open('log', podOf(RUNNING, ['one', 'two']))).toThrow(
      'a container name must be specified for pod web, choose one of: [one two]',
    );
  });

  it('can be followed until the pod is gone, and by a client that leaves', async () => {
    let pod: Stored<Pod> | undefined = podOf();
    const { clock, open: follow } = setUp(() => pod);
    const reading = textOf(follow('log', podOf(), 'follow=true'));
    await clock.advance(3000);
    pod = undefined;
    await clock.advance(2000);
    expect(await reading).toBe(LINE);

    pod = podOf();
    const leaving = new AbortController();
    const left = textOf(follow('log', podOf(), 'follow=true', leaving.signal));
    await clock.advance(1500);
    leaving.abort();
    await clock.advance(0);
    expect(await left).toBe(LINE);
  });
});

describe('streams that need a process', () => {
  const { open } = setUp();

  it.each(['attach', 'exec', 'portforward', 'proxy'])('%s says that there is none', (name) => {
    expect(() => open(name, podOf())).toThrow(
      `${name} is not available: pod "web" runs on the simulated node "node-1", and simulated containers have no processes`,
    );
  });
});
