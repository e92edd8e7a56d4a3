import { describe, expect, it } from 'vitest';
import type { Node, Pod, PodStatus } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { notFound, type StatusError } from '../../core/kube/status-error.ts';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
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

const nodeOf = (annotations: { readonly [name: string]: string } = {}): Stored<Node> => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-1', uid: 'n1', resourceVersion: '1', annotations } as Stored<Node>['metadata'],
  spec: {},
});
const SIMULATED = nodeOf({ 'everynode.dev/simulated': 'true' });

function setUp(current: () => Stored<Pod> | undefined = () => undefined, node = SIMULATED) {
  const clock = createVirtualClock(START);
  const streams = createPodStreams({
    clock,
    current: () => Promise.resolve(current()),
    node: (name) =>
      name === 'node-1' ? Promise.resolve(node) : Promise.reject(notFound({ group: '', resource: 'nodes' }, name)),
  });
  const open = async (name: string, of: Stored, query = '', signal?: AbortSignal): Promise<StreamAnswer> => {
    const stream = streams.get(`${of.kind === 'Node' ? 'nodes' : 'pods'}/${name}`);
    if (stream === undefined) throw new Error(`nothing answers ${name}`);
    return stream({ query: new URLSearchParams(query), ...(signal === undefined ? {} : { signal }) }, of);
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
    const answer = await open('log', podOf());
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
    expect(await textOf(await open('log', podOf(), query))).toBe(text);
  });

  it.each([
    ['container=nope', 'container nope is not valid for pod web'],
    ['previous=true', 'previous terminated container "main" in pod "web" not found'],
    ['tailLines=-1', 'tailLines: "-1" is no whole number'],
    ['limitBytes=x', 'limitBytes: "x" is no whole number'],
  ])('refuse %s before the first line', async (query, message) => {
    await expect(open('log', podOf(), query)).rejects.toThrow(message);
  });

  it('want a name where there are several containers', async () => {
    await expect(open('log', podOf(RUNNING, ['one', 'two']))).rejects.toThrow(
      'a container name must be specified for pod web, choose one of: [one two]',
    );
  });

  it('can be followed until the pod is gone, and by a client that leaves', async () => {
    let pod: Stored<Pod> | undefined = podOf();
    const { clock, open: follow } = setUp(() => pod);
    const reading = textOf(await follow('log', podOf(), 'follow=true'));
    await clock.advance(3000);
    pod = undefined;
    await clock.advance(2000);
    expect(await reading).toBe(LINE);

    pod = podOf();
    const leaving = new AbortController();
    const left = textOf(await follow('log', podOf(), 'follow=true', leaving.signal));
    await clock.advance(1500);
    leaving.abort();
    await clock.advance(0);
    expect(await left).toBe(LINE);
  });
});

const refusal = (attempt: Promise<unknown>): Promise<StatusError> =>
  attempt.then(
    () => Promise.reject(new Error('expected a refusal')),
    (error: unknown) => error as StatusError,
  );

describe('streams that need a process', () => {
  const { open } = setUp();

  it.each(['attach', 'exec', 'portforward', 'proxy'])('%s says that there is none', async (name) => {
    await expect(open(name, podOf())).rejects.toThrow(
      `${name} is not available: pod "web" runs on the simulated node "node-1", and simulated containers have no processes`,
    );
  });

  it('say so of a simulated node, too', async () => {
    await expect(open('proxy', SIMULATED)).rejects.toThrow(
      'proxy is not available: node "node-1" is simulated and has no kubelet that listens',
    );
  });

  it('want a container that there is, as a kube-apiserver does', async () => {
    const pair = podOf(RUNNING, ['one', 'two']);
    for (const name of ['attach', 'exec']) {
      await expect(open(name, pair)).rejects.toThrow(
        'a container name must be specified for pod web, choose one of: [one two]',
      );
      await expect(open(name, pair, 'container=x')).rejects.toThrow('container x is not valid for pod web');
    }
  });
});

describe('what opens behind a pod of a node that is not simulated', () => {
  const fixes = [
    ['log', 'crictl logs'],
    ['exec', 'crictl exec'],
    ['attach', 'crictl attach'],
    ['portforward', '10.0.0.7'],
    ['proxy', '10.0.0.7'],
  ] as const;

  it.each(fixes)(
    '%s is answered by its kubelet, which is not reached from here, and nothing is made up',
    async (name, fix) => {
      const letGo = { 'everynode.dev/simulated': 'false' };
      for (const node of [nodeOf(), nodeOf(letGo), nodeOf({ 'everynode.dev/startup-delay': '1s' })]) {
        const { open } = setUp(undefined, node);
        const running = podOf({ ...RUNNING, podIP: '10.0.0.7' });
        for (const query of ['', 'container=main', 'follow=true', 'previous=true', 'tailLines=0']) {
          const error = await refusal(open(name, running, query));
          expect([error.code, error.reason]).toEqual([503, 'ServiceUnavailable']);
          expect(error.message).toContain(
            `${name} is not available: pod "web" runs on node "node-1", whose kubelet is not reached from here`,
          );
          expect(error.message).toContain(fix);
        }
      }
    },
  );

  it('is the same for the node itself', async () => {
    const error = await refusal(setUp(undefined, nodeOf()).open('proxy', nodeOf()));
    expect([error.code, error.message]).toEqual([
      503,
      expect.stringContaining('proxy is not available: the kubelet of node "node-1" is not reached from here'),
    ]);
  });

  it('is judged for its container first, and not found where its node is gone', async () => {
    const gone = { ...podOf(), spec: { ...podOf().spec, nodeName: 'node-2' } };
    const { open } = setUp(undefined, nodeOf());
    for (const [name] of fixes.slice(0, 3)) {
      const error = await refusal(open(name, podOf(), 'container=nope'));
      expect([error.code, error.message]).toEqual([400, 'container nope is not valid for pod web']);
    }
    for (const [name] of fixes) {
      const error = await refusal(open(name, gone));
      expect([error.code, error.message]).toEqual([404, 'nodes "node-2" not found']);
    }
  });
});

describe('what opens behind a pod that is on no node', () => {
  const { open } = setUp();
  const { nodeName: _nodeName, ...spec } = podOf().spec;
  const waiting: Stored<Pod> = { ...podOf({ phase: 'Pending' }), spec };

  it('is an empty log, as a kube-apiserver answers', async () => {
    expect(await textOf(await open('log', waiting))).toBe('');
  });

  it.each(['attach', 'exec', 'portforward'])('%s has no host', async (name) => {
    const error = await refusal(open(name, waiting));
    expect([error.code, error.message]).toEqual([400, 'pod web does not have a host assigned']);
  });

  it('proxy has no address', async () => {
    const error = await refusal(open('proxy', waiting));
    expect([error.code, error.message]).toEqual([400, 'address not allowed']);
  });
});
