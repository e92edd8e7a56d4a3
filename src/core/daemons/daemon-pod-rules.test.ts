import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../api/types/core-v1.ts';
import {
  AVAILABLE,
  CURRENT,
  daemonPodRules,
  type DaemonSetDefinition,
  DESIRED,
  manage,
  MISSCHEDULED,
  READY,
  UPDATED,
} from './daemon-pod-rules.ts';
import { desired } from './desired.ts';
import { SHOULD_CONTINUE, SHOULD_RUN } from './verdict.ts';
import { createEngine } from './engine.ts';
import { type DaemonPod, GENERATION_LABEL, REVISION_LABEL } from './pod-child.ts';
import { createRolloutOrder } from './rollout-order.ts';
import { decidesBeforeCreation, planRollout, rolloutLimits } from './rollout-plan.ts';
import { anyNodeWish, anyPlacement, makeDaemon, makeNode, makePod, type PodWish } from './testing/samples.ts';

interface Case {
  readonly nodes: readonly Node[];
  readonly pods: readonly DaemonPod[];
  readonly daemon: DaemonSetDefinition;
  readonly now: number;
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
}

const NAMES = ['n0', 'n1', 'n2', 'n3'];
const NOW = 100_000;

const anyPod: fc.Arbitrary<Omit<PodWish, 'uid' | 'version'>> = fc.record(
  {
    node: fc.constantFrom(...NAMES, 'no-such-node'),
    hash: fc.constantFrom('new', 'old'),
    generation: fc.constantFrom('1', '2'),
    bound: fc.boolean(),
    phase: fc.constantFrom('Pending', 'Running', 'Running', 'Running', 'Failed', 'Succeeded'),
    readySince: fc.constantFrom(NOW - 60_000, NOW - 5000),
    deleting: fc.constantFrom(false, false, false, true),
    createdAt: fc.integer({ min: 0, max: 9 }).map((s) => s * 1000),
  },
  { requiredKeys: ['node'] },
);

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    wishes: fc.array(anyNodeWish, { minLength: 4, maxLength: 4 }),
    present: fc.subarray(NAMES),
    pods: fc.array(anyPod, { maxLength: 8 }),
    spec: anyPlacement,
    surge: fc.boolean(),
    limit: fc.constantFrom<number | string>(1, 2, 3, '25%', '100%'),
    minReadySeconds: fc.constantFrom(0, 10),
    templateGeneration: fc.constantFrom(undefined, '1'),
  })
  .map(({ wishes, present, pods, spec, surge, limit, minReadySeconds, templateGeneration }) => ({
    nodes: present.map((name, i) => makeNode(name, wishes[i])),
    pods: pods.map((wish, i) => makePod({ ...wish, uid: `p${i}`, version: i + 1 })),
    daemon: makeDaemon('d', spec, { surge, minReadySeconds, templateGeneration }),
    now: NOW,
    maxUnavailable: surge ? 0 : limit,
    maxSurge: surge ? limit : 0,
  }));

/** Which pods go by the rollout, and which nodes get another. */
interface RolledOut {
  readonly remove: readonly string[];
  readonly at: readonly string[];
  readonly state: string;
}

function rolledOut({ nodes, pods, daemon, now, maxUnavailable, maxSurge }: Case): RolledOut {
  const engine = createEngine(daemonPodRules, now);
  for (const node of nodes) engine.apply({ type: 'node', node });
  engine.apply({ type: 'daemon', daemon });
  for (const child of pods) engine.apply({ type: 'child', daemon: 'd', child });
  const view = engine.daemon('d');
  if (view === undefined) throw new Error('lost');
  const limits = rolloutLimits(
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } },
    view.count(DESIRED),
  );
  const { remove, createAt, state } = planRollout(engine, view, limits, createRolloutOrder(engine));
  return { remove: remove.map(({ metadata }) => metadata.name), at: createAt.map((at) => engine.nodeName(at)), state };
}

/** The same, with the pods made that are missing. */
function withMissingPods(each: Case): Case {
  const judged = desired(daemonPodRules, each.nodes, each.daemon, each.pods, each.now).values();
  const empty = [...judged].filter(
    ({ verdict, node, children }) => manage(each.daemon, verdict, node, children, each.now).create,
  );
  const made = empty.map(({ name }, i) => makePod({ node: name, hash: 'new', uid: `made-${i}`, version: 100 + i }));
  return { ...each, pods: [...each.pods, ...made] };
}

/** The published behaviour of upstream's controller, pass by pass over all nodes, written apart from the rules. */
function upstream({ nodes, pods, daemon, now, maxUnavailable, maxSurge }: Case) {
  const targetOf = (pod: DaemonPod): string =>
    pod.spec.nodeName ??
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]
      ?.matchFields?.[0]?.values?.[0] ??
    '';
  const isDeleting = (pod: DaemonPod): boolean => pod.metadata.deletionTimestamp !== undefined;
  const isTerminalPod = (pod: DaemonPod): boolean => ['Failed', 'Succeeded'].includes(pod.status?.phase ?? '');
  const readyAt = (pod: DaemonPod): number | undefined => {
    const condition = pod.status?.conditions?.find(({ type }) => type === 'Ready');
    return condition?.status === 'True' ? Date.parse(condition.lastTransitionTime ?? '') : undefined;
  };
  const ready = (pod: DaemonPod): boolean => readyAt(pod) !== undefined;
  const available = (pod: DaemonPod): boolean =>
    ready(pod) && (readyAt(pod) ?? 0) + daemon.minReadySeconds * 1000 <= now;
  const updated = (pod: DaemonPod): boolean =>
    pod.metadata.labels?.[REVISION_LABEL] === daemon.hash ||
    (daemon.templateGeneration !== undefined && pod.metadata.labels?.[GENERATION_LABEL] === daemon.templateGeneration);
  const bySeniority = (a: DaemonPod, b: DaemonPod): number =>
    Number(a.spec.nodeName === undefined) - Number(b.spec.nodeName === undefined) ||
    Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
    (a.metadata.name < b.metadata.name ? -1 : 1);
  const names = (list: readonly DaemonPod[]): readonly string[] => list.map((pod) => pod.metadata.name).toSorted();

  const onNode = new Map<string, DaemonPod[]>();
  for (const pod of pods) {
    if (isTerminalPod(pod) && isDeleting(pod)) continue;
    onNode.set(targetOf(pod), [...(onNode.get(targetOf(pod)) ?? []), pod]);
  }
  const should = (node: Node): readonly [boolean, boolean] => {
    const verdict = daemon.eligibility.judge(node);
    return [(verdict & SHOULD_RUN) !== 0, (verdict & SHOULD_CONTINUE) !== 0];
  };

  // manage
  const create: string[] = [];
  const remove: DaemonPod[] = [];
  for (const node of nodes) {
    const [run, stay] = should(node);
    const here = onNode.get(node.metadata.name);
    if (run && here === undefined) create.push(node.metadata.name);
    else if (stay) {
      const living: DaemonPod[] = [];
      for (const pod of (here ?? []).filter((each) => !isDeleting(each)))
        (isTerminalPod(pod) ? remove : living).push(pod);
      living.sort(bySeniority);
      if (!daemon.surge) remove.push(...living.slice(1));
      else if (living.length === 0) {
        if (run) create.push(node.metadata.name);
      } else if (living.length > 1) {
        const news = living.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === daemon.hash);
        const olds = living.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] !== daemon.hash);
        remove.push(...news.slice(1), ...olds.slice(1));
        const [oldestNew] = news;
        const [oldestOld] = olds;
        if (oldestNew !== undefined && oldestOld !== undefined && (!ready(oldestOld) || available(oldestNew)))
          remove.push(oldestOld);
      }
    } else if (here !== undefined) remove.push(...here.filter((pod) => !isDeleting(pod)));
  }
  const known = new Set(nodes.map((node) => node.metadata.name));
  for (const [name, here] of onNode)
    if (!known.has(name)) remove.push(...here.filter((pod) => pod.spec.nodeName === undefined && !isDeleting(pod)));

  // status
  const status = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const [run] = should(node);
    const here = (onNode.get(node.metadata.name) ?? []).toSorted(bySeniority);
    const [first] = here;
    if (!run) {
      if (first !== undefined) status.misscheduled += 1;
      continue;
    }
    status.desired += 1;
    if (first === undefined) continue;
    status.current += 1;
    if (ready(first)) status.ready += 1;
    if (available(first)) status.available += 1;
    if (updated(first)) status.updated += 1;
  }

  // rolling update
  const scale = (value: number | string): number =>
    typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * status.desired) / 100);
  for (const node of nodes) if (should(node)[0] && !onNode.has(node.metadata.name)) onNode.set(node.metadata.name, []);
  const rolled: { must: DaemonPod[]; may: DaemonPod[]; budget: number; mustCreate: string[]; mayCreate: string[] } = {
    must: [],
    may: [],
    budget: 0,
    mustCreate: [],
    mayCreate: [],
  };
  let spent = 0;
  let serving = 0;
  const sunset: DaemonPod[] = [];
  for (const [name, here] of onNode) {
    const live = here.filter((pod) => !isDeleting(pod));
    const news = live.filter(updated);
    const olds = live.filter((pod) => !updated(pod));
    const [newPod] = news;
    const [oldPod] = olds;
    const node = nodes.find((each) => each.metadata.name === name);
    const run = node !== undefined && should(node)[0];
    if (news.length > 1 || olds.length > 1) {
      spent += 1;
      continue;
    }
    if (!daemon.surge) {
      if (oldPod === undefined && newPod !== undefined) spent += available(newPod) ? 0 : 1;
      else if (oldPod === undefined || newPod !== undefined) spent += 1;
      else if (available(oldPod)) rolled.may.push(oldPod);
      else {
        rolled.must.push(oldPod);
        spent += 1;
      }
      continue;
    }
    if (oldPod === undefined ? newPod !== undefined && available(newPod) : available(oldPod)) serving += 1;
    if (oldPod === undefined) continue;
    if (newPod !== undefined) {
      if (available(newPod)) rolled.must.push(oldPod);
      else spent += 1;
    } else if (!available(oldPod)) {
      if (run) rolled.mustCreate.push(name);
      else rolled.must.push(oldPod);
    } else if (run) rolled.mayCreate.push(name);
    else sunset.push(oldPod);
  }
  const limit = daemon.surge ? scale(maxSurge) : scale(maxUnavailable);
  const budget = Math.max(0, limit - spent);
  const setting = Math.max(0, Math.min(serving - status.desired, sunset.length));
  return { create, remove: names(remove), status, rolled, budget, sunset, setting, names };
}

describe('the rules of daemon pods', () => {
  it('manage every node as upstream does', () => {
    fc.assert(
      fc.property(anyCase, (each) => {
        const right = upstream(each);
        const create: string[] = [];
        const remove: DaemonPod[] = [];
        for (const { name, verdict, node, children } of desired(
          daemonPodRules,
          each.nodes,
          each.daemon,
          each.pods,
          each.now,
        ).values()) {
          const work = manage(each.daemon, verdict, node, children, each.now);
          if (work.create) create.push(name);
          remove.push(...work.remove, ...work.failed, ...work.succeeded);
        }
        expect(create.toSorted()).toEqual(right.create.toSorted());
        expect(right.names(remove)).toEqual(right.remove);
      }),
      { numRuns: 500 },
    );
  });

  it('count what upstream counts', () => {
    fc.assert(
      fc.property(anyCase, (each) => {
        const judged = [...desired(daemonPodRules, each.nodes, each.daemon, each.pods, each.now).values()];
        const count = (bit: number): number => judged.filter(({ judgement }) => (judgement & bit) !== 0).length;
        expect({
          desired: count(DESIRED),
          current: count(CURRENT),
          misscheduled: count(MISSCHEDULED),
          ready: count(READY),
          available: count(AVAILABLE),
          updated: count(UPDATED),
        }).toEqual(upstream(each).status);
      }),
      { numRuns: 500 },
    );
  });

  it('roll out the same before and after missing pods are made, where that is said', () => {
    fc.assert(
      fc.property(anyCase, fc.boolean(), (each, ignoreDownNodes) => {
        const given = { ...each, daemon: { ...each.daemon, ignoreDownNodes } };
        fc.pre(decidesBeforeCreation(given.daemon));
        expect(rolledOut(withMissingPods(given))).toEqual(rolledOut(given));
      }),
      { numRuns: 1000 },
    );
  });

  it('hold a new pod on a node that is down against the rollout, though none there is excused', () => {
    const each: Case = {
      nodes: [makeNode('n0', { ready: 'False' }), makeNode('n1')],
      pods: [makePod({ node: 'n1', hash: 'old', uid: 'p1', version: 1, bound: true, readySince: NOW - 60_000 })],
      daemon: makeDaemon('d', {}, { ignoreDownNodes: true }),
      now: NOW,
      maxUnavailable: 1,
      maxSurge: 0,
    };
    expect(decidesBeforeCreation(each.daemon)).toBe(false);
    expect(rolledOut(each)).toMatchObject({ remove: [expect.any(String)] });
    expect(rolledOut(withMissingPods(each))).toMatchObject({ remove: [] });
  });

  it('roll out within the limits upstream keeps', () => {
    fc.assert(
      fc.property(anyCase, (each) => {
        const right = upstream(each);
        const { remove, at } = rolledOut(each);
        const removed = new Set(remove);
        const created = new Set(at);
        for (const pod of right.rolled.must) expect(removed).toContain(pod.metadata.name);
        for (const name of right.rolled.mustCreate) expect(created).toContain(name);
        if (each.daemon.surge) {
          expect(created.size - right.rolled.mustCreate.length).toBe(
            Math.min(right.budget, right.rolled.mayCreate.length),
          );
          expect(removed.size - right.rolled.must.length).toBe(right.setting);
          const mayGo = new Set([...right.rolled.must, ...right.sunset].map((pod) => pod.metadata.name));
          expect(removed.isSubsetOf(mayGo)).toBe(true);
          expect(created.isSubsetOf(new Set([...right.rolled.mustCreate, ...right.rolled.mayCreate]))).toBe(true);
        } else {
          expect(created.size).toBe(0);
          expect(removed.size - right.rolled.must.length).toBe(Math.min(right.budget, right.rolled.may.length));
          const mayGo = new Set([...right.rolled.must, ...right.rolled.may].map((pod) => pod.metadata.name));
          expect(removed.isSubsetOf(mayGo)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
