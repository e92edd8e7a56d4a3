/** A case played on both sides, step by step; between any two acts of scheduler and kubelets both must look the same. */
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import type { DaemonSet, ControllerRevision } from '../../../src/core/api/types/apps-v1.ts';
import type { Pod } from '../../../src/core/api/types/core-v1.ts';
import type { Json, JsonObject } from '../../../src/core/kube/json.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { answerOf, type DaemonSetAnswer, pinnedNode, strayed } from './daemonset-answer.ts';
import type { DaemonSetCase, DaemonSetStep } from './daemonset-case.ts';
import type { DaemonSetStage } from './daemonset-stage.ts';
import { type Difference, differenceOf } from './difference.ts';
import { refusalOf, type Side } from './side.ts';

export interface PlayOptions {
  /** What ours is given instead: to see that a difference is found. */
  readonly distort?: (set: DaemonSet) => DaemonSet;
  readonly patienceMs?: number;
  /** Between what kubelets did and the look at it: what a busy machine takes. */
  readonly pauseMs?: number;
  readonly count?: (what: 'sets' | 'comparisons' | 'steps') => void;
}

const AGREE_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 40;
/** More rounds of kubelets than any rollout here takes. */
const MOST_ROUNDS = 30;
const SECOND_MS = 1_050;
/** `minReadySeconds` here, a second because moments are told in whole ones, and the time to notice. */
const COUNTS_AFTER_MS = 2_350;
const HARD = { gracePeriodSeconds: 0 };

export async function playDaemonSetCase(
  stage: DaemonSetStage,
  world: DaemonSetCase,
  { distort = (set) => set, patienceMs = AGREE_WITHIN_MS, pauseMs = 0, count = () => undefined }: PlayOptions = {},
): Promise<Difference | undefined> {
  const namespace = await stage.open();
  const isPatient = world.sets.some(({ spec }) => (spec.minReadySeconds ?? 0) > 0);
  let astray: ReadonlySet<string> = new Set();
  /** When the last comparison began: what counted by then was compared. */
  let comparedAt = 0;

  /** `isStale` where Kubernetes may have missed something that the next change of the DaemonSet shows it. */
  async function agreed(after: string, { isStale = isPatient, atRest = false } = {}): Promise<Difference | undefined> {
    count('comparisons');
    comparedAt = Date.now();
    await stage.both((side) => stage.settle(side));
    const end = Date.now() + patienceMs;
    let looksAt = Date.now() + patienceMs / 10;
    for (let equal = 0; ;) {
      const [theirs, ours] = await stage.both(async (side) =>
        answerOf(await stage.see(side, namespace), namespace, { atRest, astray }),
      );
      const difference = differenceOf(after, ...withoutFloods(theirs, ours));
      equal = difference === undefined ? equal + 1 : 0;
      // Once more, because both may have been about to do something.
      if (equal === 2 || (difference !== undefined && Date.now() > end)) return difference;
      if (difference !== undefined && isStale && Date.now() > looksAt) {
        looksAt = Date.now() + patienceMs / 5;
        await lookAgain(stage.kubernetes, namespace);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Until nobody has anything to do. */
  async function runOn(after: string): Promise<Difference | undefined> {
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      if (isPatient && (await ripened())) {
        const difference = await agreed(`${after}, when pods count before round ${round} of kubelets`);
        if (difference !== undefined) return difference;
      }
      const [theirs, ours] = await stage.both((side) => stage.act(side, namespace));
      if (theirs === 0 && ours === 0) return agreed(`${after}, at rest`, { atRest: true });
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const difference = await agreed(`${after}, round ${round} of kubelets`);
      if (difference !== undefined) return difference;
    }
    return { after, kubernetes: 'never comes to rest', everynode: 'never comes to rest' };
  }

  /**
   * Waits until every pod that is ready counts as available, and says whether any has come to count since the last comparison.
   * Each side notices in its own moment within a second; were kubelets to act in between, one side would be a round ahead.
   */
  async function ripened(): Promise<boolean> {
    const since = await stage.both((side) => youngestReady(side, namespace));
    const countsAt = Math.max(...since) + COUNTS_AFTER_MS;
    if (countsAt <= comparedAt) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, countsAt - Date.now())));
    await lookAgain(stage.kubernetes, namespace);
    return true;
  }

  async function setUp(side: Side): Promise<{ refused: readonly string[] }> {
    const { client } = side;
    const own = (set: DaemonSet): DaemonSet => (side.name === 'everynode' ? distort(set) : set);
    const refused = [
      ...(await Promise.all(world.nodes.map((node) => refusalOf(client.create(NODES, node))))),
      ...(await Promise.all(world.orphans.map((pod) => refusalOf(client.create(PODS, within(pod)))))),
    ];
    // Who is older decides who stays; moments are told in seconds.
    if (world.orphans.length > 0) await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
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
      if (step.do === 'patch-set' || step.do === 'roll-back') await stage.both((side) => grownUp(side, namespace));
      astray = new Set((await stage.both(async (side) => strayed(await stage.see(side, namespace)))).flat());
      const [theirAnswer, ourAnswer] = await stage.both((side) => take(side, namespace, step));
      const difference =
        differenceOf(after, theirAnswer, ourAnswer) ??
        (await agreed(after, { isStale: isPatient || step.do.endsWith('-node') })) ??
        (await runOn(after));
      if (difference !== undefined) return difference;
    }
    return undefined;
  } finally {
    await stage.both((side) => stage.close(side, namespace));
  }
}

/**
 * Kubernetes leaves counts as they are when a node goes, or when one that has a pod should not have got it, until something
 * else happens to the DaemonSet. It also misses that a pod has come to count when two became ready within
 * `minReadySeconds`: its queue keeps the earlier of two delays for one DaemonSet, at whose end the second pod does not
 * count yet, and in a surge no count differs that would make it look once more.
 */
async function lookAgain({ client }: Side, namespace: string): Promise<void> {
  const { items } = await client.list(DAEMON_SETS, { namespace });
  for (const { metadata } of items) {
    const body = { metadata: { labels: { looked: metadata.resourceVersion } } };
    await client.patch(DAEMON_SETS, { namespace, name: metadata.name }, { type: 'merge', body });
  }
}

async function youngestReady({ client }: Side, namespace: string): Promise<number> {
  const { items } = await client.list(PODS, { namespace });
  const ready = items.flatMap(({ status }) => status?.conditions ?? []).filter(({ type }) => type === 'Ready');
  return Math.max(0, ...ready.map(({ lastTransitionTime }) => Date.parse(lastTransitionTime ?? '') || 0));
}

/** Where two pods are on a node the older counts; moments are told in seconds, so that pods of one second are told apart by name. */
async function grownUp({ client }: Side, namespace: string): Promise<void> {
  const { items } = await client.list(PODS, { namespace });
  const youngest = Math.max(0, ...items.map(({ metadata }) => Date.parse(metadata.creationTimestamp)));
  const wait = youngest + SECOND_MS - Date.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
}

/** Where one was flooded with events, what got lost cannot be compared. */
function withoutFloods(a: DaemonSetAnswer, b: DaemonSetAnswer): readonly [DaemonSetAnswer, DaemonSetAnswer] {
  const flooded = Object.keys({ ...a, ...b }).filter((what) => a[what] === 'too many' || b[what] === 'too many');
  const calm = (answer: DaemonSetAnswer): DaemonSetAnswer =>
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
    case 'delete-node':
      return done(client.delete(NODES, { name: step.node }));
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
