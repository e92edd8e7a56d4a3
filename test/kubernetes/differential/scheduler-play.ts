/** A case played on both sides, step by step; after each step both must say the same. */
import { isDeepStrictEqual } from 'node:util';
import { EVENTS_IN_EVENTS_GROUP, NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import type { Pod } from '../../../src/core/api/types/core-v1.ts';
import type { JsonObject } from '../../../src/core/kube/json.ts';
import { type Difference, differenceOf } from './difference.ts';
import type { SchedulerCase, SchedulerStep } from './scheduler-case.ts';
import { askAnew, type SchedulerStage } from './scheduler-stage.ts';
import { refusalOf, type Side } from './side.ts';

export interface PlayOptions {
  /** What ours is given instead: to see that a difference is found. */
  readonly distort?: (pod: Pod) => Pod;
  /** How long to wait for what is not equal yet. */
  readonly patienceMs?: number;
  readonly count?: (what: 'decisions' | 'overtaken' | 'probes' | 'refreshed' | 'victims') => void;
}

/** What is not equal yet may become so: events and pauses take their time. */
const AGREE_WITHIN_MS = 12_000;
const LOOK_EVERY_MS = 25;
const REFRESH_EVERY_MS = 1_000;

type Answer = { [what: string]: unknown };
type Read = (side: Side) => Promise<Answer>;

const SENTINELS = 'sentinels';
const HARD = { gracePeriodSeconds: 0 };

const isOver = (pod: Pod | undefined): boolean =>
  pod === undefined ||
  (pod.spec.nodeName ?? '') !== '' ||
  (pod.status?.conditions?.some(({ type }) => type === 'PodScheduled') ?? false);

export async function playSchedulerCase(
  stage: SchedulerStage,
  world: SchedulerCase,
  { distort = (pod) => pod, patienceMs = AGREE_WITHIN_MS, count = () => undefined }: PlayOptions = {},
): Promise<Difference | undefined> {
  let nodes = 0;
  const own = (side: Side, pod: Pod): Pod => (side.name === 'everynode' ? distort(pod) : pod);

  /** Both have dealt with what was done; also with what Kubernetes was asked anew because ours had tried it again. */
  async function settled(): Promise<void> {
    let woken: number;
    do {
      woken = stage.woken;
      await stage.both((side) => stage.settle(side, nodes));
    } while (stage.woken !== woken);
  }

  /**
   * Pods that wait on both sides, for reasons that differ: each was told at its own time, because a change that cannot help
   * makes the one try again and not the other. Asked now, both must say the same.
   */
  async function refreshReasons(except: string): Promise<void> {
    const [theirs, ours] = await stage.both(readPods);
    for (const [name, theirAnswer] of Object.entries(theirs)) {
      const ourAnswer = ours[name];
      if (name === except || ourAnswer === undefined || theirAnswer.node !== '' || ourAnswer.node !== '') continue;
      if (isDeepStrictEqual(theirAnswer, ourAnswer)) continue;
      const [namespace = '', pod = ''] = name.split('/');
      count('refreshed');
      await stage.both((side) => askAnew(side, { namespace, name: pod }));
      await settled();
    }
  }

  /** Pods that Kubernetes placed when their pause ended before that of a more important one, which then drove them away. */
  const overtaken = new Set<string>();

  /** Ours places the more important one first, and such a pod goes on waiting: it is taken away there, too. */
  async function takeAwayOvertaken(): Promise<void> {
    const [theirs, ours] = await stage.both(readPods);
    const waiting = Object.keys(ours).filter((name) => theirs[name] === undefined && ours[name]?.node === '');
    if (waiting.length === 0) return;
    const { items } = await stage.kubernetes.client.list(EVENTS_IN_EVENTS_GROUP);
    for (const name of waiting) {
      const [namespace = '', pod = ''] = name.split('/');
      const isVictim = items.some(
        ({ reason, regarding }) =>
          reason === 'Preempted' && regarding?.namespace === namespace && regarding.name === pod,
      );
      if (!isVictim) continue;
      overtaken.add(name);
      count('overtaken');
      await refusalOf(stage.everynode.client.delete(PODS, { namespace, name: pod }, HARD));
      await stage.everynode.sees(() => stage.everynode.pods.get(pod, namespace) === undefined);
    }
  }

  /** Both have settled, and say the same; or what they say when patience ended. */
  async function agreed(after: string, read: Read, fresh?: string) {
    await settled();
    const end = Date.now() + patienceMs;
    let refreshAt = 0;
    for (;;) {
      const [wrong] = stage.wrongChoices();
      if (wrong !== undefined) return { after, kubernetes: wrong.kubernetes, everynode: wrong };
      const [theirs, ours] = await stage.both(read);
      const answers =
        read === readEvents
          ? withoutSwallowed(without(theirs, overtaken), without(ours, overtaken))
          : ([theirs, ours] as const);
      const difference = differenceOf(after, ...answers);
      if (difference === undefined || Date.now() > end) return difference;
      if (fresh !== undefined && Date.now() > refreshAt) {
        await refreshReasons(fresh);
        await takeAwayOvertaken();
        refreshAt = Date.now() + REFRESH_EVERY_MS;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  async function decided(pod: Pod): Promise<Difference | undefined> {
    const { name, namespace } = pod.metadata;
    const refusals = await stage.both(async (side) => {
      const refusal = await refusalOf(side.client.create(PODS, own(side, pod)));
      if (refusal !== undefined) return { refusal };
      await side.sees(() => side.pods.get(name, namespace) !== undefined);
      const isDecided = await side.sees(() => isOver(side.pods.get(name, namespace)));
      return isDecided ? {} : { refusal: 'never decided' };
    });
    return differenceOf(`creating ${name}`, refusals[0], refusals[1]);
  }

  async function probe(pod: Pod): Promise<Difference | undefined> {
    const { items } = await stage.kubernetes.client.list(NODES);
    for (const node of items.map(({ metadata }) => metadata.name).toSorted()) {
      count('probes');
      const copy = pinned(pod, node);
      const { name, namespace = '' } = copy.metadata;
      const difference =
        (await decided(copy)) ?? (await agreed(`asking ${node} about ${name}`, readPods, nameOf(copy)));
      if (difference !== undefined) return difference;
      await stage.both(async (side) => {
        await refusalOf(side.client.delete(PODS, { namespace, name }, HARD));
        await side.sees(() => side.pods.get(name, namespace) === undefined);
      });
    }
    return undefined;
  }

  async function change(side: Side, step: SchedulerStep): Promise<{ refusal?: string }> {
    const done = (work: Promise<unknown>) =>
      refusalOf(work).then((refusal) => (refusal === undefined ? {} : { refusal }));
    const { client } = side;
    switch (step.do) {
      case 'add-node':
        return done(client.create(NODES, step.node));
      case 'delete-node':
        return done(client.delete(NODES, { name: step.node }));
      case 'patch-node': {
        const options = step.subresource === undefined ? {} : { subresource: step.subresource };
        return done(client.patch(NODES, { name: step.node }, { type: 'merge', body: step.body }, options));
      }
      case 'delete-pod':
        return done(client.delete(PODS, { namespace: step.namespace, name: step.pod }, HARD));
      case 'patch-pod': {
        const key = { namespace: step.namespace, name: step.pod };
        return done(client.patch(PODS, key, { type: 'merge', body: step.body }));
      }
      case 'end-pod': {
        const key = { namespace: step.namespace, name: step.pod };
        const body: JsonObject = { status: { phase: step.phase } };
        return done(client.patch(PODS, key, { type: 'merge', body }, { subresource: 'status' }));
      }
      case 'finish-deletions': {
        for (const { metadata } of side.pods.list())
          if (metadata.deletionTimestamp !== undefined)
            await done(client.delete(PODS, { namespace: metadata.namespace ?? '', name: metadata.name }, HARD));
        return {};
      }
      case 'schedule':
      case 'probe':
        return {};
    }
  }

  async function take(step: SchedulerStep, at: number): Promise<Difference | undefined> {
    const after = `step ${at}, ${step.do}`;
    if (step.do === 'probe') return probe(step.pod);
    if (step.do === 'schedule') {
      count('decisions');
      const difference = await decided(step.pod);
      if (difference !== undefined) return difference;
    } else {
      const answers = await stage.both((side) => change(side, step));
      const difference = differenceOf(after, answers[0], answers[1]);
      if (difference !== undefined) return difference;
      nodes = (await stage.kubernetes.client.list(NODES)).items.length;
    }
    return agreed(after, readPods, step.do === 'schedule' ? nameOf(step.pod) : '');
  }

  try {
    const [theirs, ours] = await stage.both((side) => stage.setUp(side, world));
    const refused = differenceOf('setting up', { refused: theirs }, { refused: ours });
    if (refused !== undefined) return refused;
    nodes = (await stage.kubernetes.client.list(NODES)).items.length;
    await settled();
    for (const [at, step] of world.steps.entries()) {
      const difference = await take(step, at);
      if (difference !== undefined) return difference;
    }
    return await agreed('all steps, in events', readEvents, '');
  } finally {
    stage.wrongChoices();
    const { items } = await stage.kubernetes.client.list(EVENTS_IN_EVENTS_GROUP);
    items.filter(({ reason }) => reason === 'Preempted').forEach(() => count('victims'));
    await stage.both((side) => stage.clear(side));
  }
}

/** The copy may go to that node only, and drives nobody away. */
function pinned(pod: Pod, node: string): Pod {
  const { priorityClassName, schedulingGates: _, affinity, ...spec } = pod.spec;
  const field = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}];
  const nodeSelectorTerms = required.map(({ matchExpressions }) => ({
    ...(matchExpressions === undefined ? {} : { matchExpressions }),
    ...field,
  }));
  return {
    ...pod,
    metadata: { ...pod.metadata, name: `${pod.metadata.name}-on-${node}` },
    spec: {
      ...spec,
      ...(priorityClassName === undefined ? {} : { priorityClassName: 'top-but-kind' }),
      affinity: {
        ...affinity,
        nodeAffinity: {
          ...affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
        },
      },
    },
  };
}

const without = (answer: Answer, names: ReadonlySet<string>): Answer =>
  Object.fromEntries(Object.entries(answer).filter(([name]) => !names.has(name)));

const nameOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;

const SAID = new Set(['PodScheduled', 'DisruptionTarget']);

interface PodAnswer {
  readonly node: string;
  readonly nominated: string;
  readonly terminating: boolean;
  readonly conditions: readonly unknown[];
}

/** What schedulers decide about pods. */
async function readPods(side: Side): Promise<{ [pod: string]: PodAnswer }> {
  const answer: { [pod: string]: PodAnswer } = {};
  for (const { metadata, spec, status } of side.pods.list()) {
    if (metadata.namespace === SENTINELS) continue;
    const nominated = status?.nominatedNodeName ?? '';
    answer[`${metadata.namespace}/${metadata.name}`] = {
      node: spec.nodeName ?? '',
      nominated,
      terminating: metadata.deletionTimestamp !== undefined,
      conditions: (status?.conditions ?? [])
        .filter(({ type }) => SAID.has(type))
        .map(({ type, status, reason, message, observedGeneration }) => ({
          type,
          status,
          reason,
          // While victims leave it is tried now and then, and finds fewer of them each time.
          message: nominated === '' ? message : 'waits for the room it was promised',
          observed: observedGeneration === metadata.generation ? 'this generation' : observedGeneration,
        })),
    };
  }
  return answer;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const NOTE_LIMIT = 1024;

/** Whether the reason is the one that stands in the pod's condition now. What was told before depends on when it was tried. */
function isCurrent(side: Side, namespace: string, name: string, note: string): boolean {
  const { status } = side.pods.get(name, namespace) ?? {};
  if ((status?.nominatedNodeName ?? '') !== '') return false;
  const said = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (said?.status !== 'False') return false;
  return note.length < NOTE_LIMIT ? said.message === note : (said.message ?? '').startsWith(note.slice(0, -4));
}

/** Instead of a reason that was counted into an event with the words of an earlier one. */
const SWALLOWED = 'another reason';

/**
 * Client-go counts two reasons for the same version of a pod into one event, which keeps the words of the first; ours
 * writes two. Where that happened, what became of the last reason cannot be seen.
 */
function withoutSwallowed(theirs: Answer, ours: Answer): [Answer, Answer] {
  const isTold = (text: string): boolean => text !== SWALLOWED && !text.startsWith('Warning FailedScheduling ');
  const of = (answer: Answer, pod: string): readonly string[] => (answer[pod] ?? []) as readonly string[];
  const swallowed = new Set(
    Object.keys({ ...theirs, ...ours }).filter((pod) => [...of(theirs, pod), ...of(ours, pod)].includes(SWALLOWED)),
  );
  const level = (answer: Answer): Answer =>
    Object.fromEntries(
      Object.entries(answer)
        .map(([pod, texts]) => [pod, swallowed.has(pod) ? of(answer, pod).filter(isTold) : texts] as const)
        .filter(([, texts]) => (texts as readonly string[]).length > 0),
    );
  return [level(theirs), level(ours)];
}

/** What they tell people. How often it was said, and where chance chose, is left aside. */
async function readEvents(side: Side): Promise<Answer> {
  const { items } = await side.client.list(EVENTS_IN_EVENTS_GROUP);
  const told = new Map<string, Set<string>>();
  for (const { regarding, type, reason, action, note = '', reportingController, series } of items) {
    if (reportingController !== 'default-scheduler' || regarding?.namespace === SENTINELS) continue;
    const { namespace = '', name = '' } = regarding ?? {};
    const about = `${namespace}/${name}`;
    const known = told.get(about) ?? new Set();
    if (reason === 'FailedScheduling' && !isCurrent(side, namespace, name, note)) {
      const isOfThisPod = regarding?.uid === side.pods.get(name, namespace)?.metadata.uid;
      if (isOfThisPod && series !== undefined) told.set(about, known.add(SWALLOWED));
      continue;
    }
    const text = note
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'UID')
      .replace(/^(Successfully assigned \S+ to ).*/, '$1a node');
    told.set(about, known.add(`${type} ${reason} ${action}: ${text}`));
  }
  return Object.fromEntries([...told].map(([about, texts]) => [about, [...texts].toSorted(byText)]));
}
