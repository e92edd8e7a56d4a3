/** A case played on both sides, step by step; between any two acts of scheduler and kubelets both must look the same. */
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import type { DaemonSet, ControllerRevision } from '../../../src/core/api/types/apps-v1.ts';
import type { Pod } from '../../../src/core/api/types/core-v1.ts';
import type { Json, JsonObject } from '../../../src/core/kube/json.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { answerOf, pinnedNode, withoutNodes } from './daemonset-answer.ts';
import type { DaemonSetCase, DaemonSetStep } from './daemonset-case.ts';
import type { DaemonSetStage } from './daemonset-stage.ts';
import { type Difference, differenceOf } from './difference.ts';
import { refusalOf, type Side } from './side.ts';

export interface PlayOptions {
  /** What ours is given instead: to see that a difference is found. */
  readonly distort?: (set: DaemonSet) => DaemonSet;
  readonly patienceMs?: number;
  readonly count?: (what: 'sets' | 'comparisons' | 'steps') => void;
}

const AGREE_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 40;
/** More rounds of kubelets than any rollout here takes. */
const MOST_ROUNDS = 30;
const HARD = { gracePeriodSeconds: 0 };

export async function playDaemonSetCase(
  stage: DaemonSetStage,
  world: DaemonSetCase,
  { distort = (set) => set, patienceMs = AGREE_WITHIN_MS, count = () => undefined }: PlayOptions = {},
): Promise<Difference | undefined> {
  const namespace = await stage.open();

  async function agreed(after: string): Promise<Difference | undefined> {
    count('comparisons');
    await stage.both((side) => stage.settle(side));
    const end = Date.now() + patienceMs;
    for (let equal = 0; ;) {
      const [theirs, ours] = await stage.both(async (side) => answerOf(await stage.see(side, namespace), namespace));
      const isEven = theirs.isEven && ours.isEven;
      const [a, b] = isEven ? [theirs.answer, ours.answer] : [withoutNodes(theirs), withoutNodes(ours)];
      // Where one was flooded with events, what got lost cannot be compared.
      const difference = differenceOf(after, ...sameFlood(a, b));
      equal = difference === undefined ? equal + 1 : 0;
      // Once more, because both may have been about to do something.
      if (equal === 2 || (difference !== undefined && Date.now() > end)) return difference;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Until nobody has anything to do. */
  async function runOn(after: string): Promise<Difference | undefined> {
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      const [theirs, ours] = await stage.both((side) => stage.act(side, namespace));
      if (theirs === 0 && ours === 0) return undefined;
      const difference = await agreed(`${after}, round ${round} of kubelets`);
      if (difference !== undefined) return difference;
    }
    return { after, kubernetes: 'never comes to rest', everynode: 'never comes to rest' };
  }

  async function setUp(side: Side): Promise<{ refused: readonly string[] }> {
    const { client } = side;
    const own = (set: DaemonSet): DaemonSet => (side.name === 'everynode' ? distort(set) : set);
    const refused = [
      ...(await Promise.all(world.nodes.map((node) => refusalOf(client.create(NODES, node))))),
      ...(await Promise.all(world.orphans.map((pod) => refusalOf(client.create(PODS, within(pod)))))),
    ];
    // Who is older decides who stays; moments are told in seconds.
    if (world.orphans.length > 0) await new Promise((resolve) => setTimeout(resolve, 1100));
    refused.push(
      ...(await Promise.all(world.sets.map((set) => refusalOf(client.create(DAEMON_SETS, within(own(set))))))),
    );
    return { refused: refused.filter((refusal) => refusal !== undefined) };
  }

  const within = <T extends { readonly metadata: object }>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, namespace },
  });

  try {
    const [theirs, ours] = await stage.both(setUp);
    world.sets.forEach(() => count('sets'));
    const first = differenceOf('setting up', theirs, ours) ?? (await agreed('creation')) ?? (await runOn('creation'));
    if (first !== undefined) return first;
    for (const [at, step] of world.steps.entries()) {
      count('steps');
      const after = `step ${at}, ${step.do}`;
      const [theirAnswer, ourAnswer] = await stage.both((side) => take(side, namespace, step));
      const difference = differenceOf(after, theirAnswer, ourAnswer) ?? (await agreed(after)) ?? (await runOn(after));
      if (difference !== undefined) return difference;
    }
    return undefined;
  } finally {
    await stage.both((side) => stage.close(side, namespace));
  }
}

/** Kubernetes does not notice by itself that a node is gone: counts stay as they are until something else happens. */
async function lookAgain({ client }: Side, namespace: string): Promise<void> {
  const { items } = await client.list(DAEMON_SETS, { namespace });
  for (const { metadata } of items) {
    const body = { metadata: { labels: { looked: metadata.resourceVersion } } };
    await client.patch(DAEMON_SETS, { namespace, name: metadata.name }, { type: 'merge', body });
  }
}

type Answer = { readonly [what: string]: unknown };

function sameFlood(a: Answer, b: Answer): readonly [Answer, Answer] {
  const flooded = Object.keys({ ...a, ...b }).filter((what) => a[what] === 'too many' || b[what] === 'too many');
  const calm = (answer: Answer): Answer =>
    Object.fromEntries(Object.entries(answer).filter(([what]) => !flooded.includes(what)));
  return flooded.length === 0 ? [a, b] : [calm(a), calm(b)];
}

/** Answers why the server refused it. */
async function take(side: Side, namespace: string, step: DaemonSetStep): Promise<{ refusal?: string }> {
  const { client } = side;
  const done = (work: Promise<unknown>) =>
    refusalOf(work).then((refusal) =>
      refusal === undefined ? {} : { refusal: refusal.replaceAll(namespace, 'NAMESPACE') },
    );
  const ofSet = async (set: string, node: string): Promise<readonly Stored<Pod>[]> => {
    const { items } = await client.list(PODS, { namespace });
    return items.filter(
      (pod) =>
        pod.metadata.ownerReferences?.[0]?.name === set && ((pod.spec.nodeName ?? '') || pinnedNode(pod)) === node,
    );
  };
  const eachPod = async (
    set: string,
    node: string,
    act: (key: { namespace: string; name: string }) => Promise<unknown>,
  ) => {
    for (const { metadata } of await ofSet(set, node)) await act({ namespace, name: metadata.name });
    return {};
  };
  const patchStatus = (body: JsonObject) => (key: { namespace: string; name: string }) =>
    client.patch(PODS, key, { type: 'strategic', body }, { subresource: 'status' });
  switch (step.do) {
    case 'add-node':
      return done(client.create(NODES, step.node));
    case 'delete-node': {
      const answer = await done(client.delete(NODES, { name: step.node }));
      await lookAgain(side, namespace);
      return answer;
    }
    case 'patch-node':
      return done(client.patch(NODES, { name: step.node }, { type: 'merge', body: step.body }));
    case 'patch-set':
      return done(client.patch(DAEMON_SETS, { namespace, name: step.set }, { type: 'merge', body: step.body }));
    case 'roll-back': {
      const { items } = await client.list<ControllerRevision>(CONTROLLER_REVISIONS, { namespace });
      const own = items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === step.set);
      const former = own.toSorted((a, b) => b.revision - a.revision)[1];
      if (former === undefined) return {};
      const body = former.data as Json;
      return done(client.patch(DAEMON_SETS, { namespace, name: step.set }, { type: 'strategic', body }));
    }
    case 'delete-pod':
      return eachPod(step.set, step.node, (key) => client.delete(PODS, key, HARD));
    case 'end-pod':
      return eachPod(step.set, step.node, patchStatus({ status: { phase: step.phase } }));
    case 'unready-pod': {
      const lastTransitionTime = new Date().toISOString().replace(/\.\d+/, '');
      const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime }];
      return eachPod(step.set, step.node, patchStatus({ status: { conditions } }));
    }
    case 'relabel-pod':
      return eachPod(step.set, step.node, (key) =>
        client.patch(PODS, key, { type: 'merge', body: { metadata: { labels: { app: 'nobody' } } } }),
      );
  }
}
