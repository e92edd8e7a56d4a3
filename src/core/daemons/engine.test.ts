import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../api/types/core-v1.ts';
import { daemonPodRules, type DaemonSetDefinition, DESIRED, OLD_AVAILABLE, WORK } from './daemon-pod-rules.ts';
import { desired } from './desired.ts';
import { createEngine } from './engine.ts';
import type { Engine } from './engine-types.ts';
import type { DaemonPod } from './pod-child.ts';
import {
  anyNodeWish,
  anyPlacement,
  makeDaemon,
  makeNode,
  makePod,
  type NodeWish,
  type PodWish,
} from './testing/samples.ts';

const NODES = ['n0', 'n1', 'n2'];
const DAEMONS = ['d0', 'd1'];

type Step =
  | { readonly do: 'node'; readonly name: string; readonly wish: NodeWish }
  | { readonly do: 'node-gone'; readonly name: string }
  | { readonly do: 'daemon'; readonly daemon: DaemonSetDefinition }
  | { readonly do: 'daemon-gone'; readonly key: string }
  | {
      readonly do: 'pod';
      readonly daemon: string;
      readonly uid: string;
      readonly wish: Omit<PodWish, 'uid' | 'version'>;
    }
  | { readonly do: 'pod-gone'; readonly daemon: string; readonly uid: string }
  | { readonly do: 'stale'; readonly daemon: string; readonly uid: string }
  | { readonly do: 'time'; readonly by: number };

const name = fc.constantFrom(...NODES);
const daemonKey = fc.constantFrom(...DAEMONS);
const podUid = fc.constantFrom('p0', 'p1', 'p2');
const anyPod = fc.record(
  {
    node: name,
    hash: fc.constantFrom('new', 'old'),
    generation: fc.constantFrom('1', '2'),
    bound: fc.boolean(),
    byHostname: fc.boolean(),
    phase: fc.constantFrom('Pending', 'Running', 'Failed', 'Succeeded'),
    readySince: fc.integer({ min: 1, max: 60 }).map((s) => s * 1000),
    deleting: fc.boolean(),
    createdAt: fc.integer({ min: 0, max: 9 }).map((s) => s * 1000),
  },
  { requiredKeys: ['node'] },
);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('node' as const), name, wish: anyNodeWish }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('node-gone' as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('daemon' as const),
      daemon: fc
        .tuple(
          daemonKey,
          anyPlacement,
          fc.record({
            hash: fc.constantFrom('new', 'old', ''),
            templateGeneration: fc.constantFrom(undefined, '1', '2'),
            minReadySeconds: fc.constantFrom(0, 10),
            surge: fc.boolean(),
            ignoreDownNodes: fc.boolean(),
          }),
        )
        .map(([key, spec, more]) => makeDaemon(key, spec, more)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('daemon-gone' as const), key: daemonKey }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('pod' as const), daemon: daemonKey, uid: podUid, wish: anyPod }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pod-gone' as const), daemon: daemonKey, uid: podUid }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('stale' as const), daemon: daemonKey, uid: podUid }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('time' as const), by: fc.integer({ min: 0, max: 20_000 }) }) },
);

/** A hostname that two nodes claim has no one meaning, so each has its own. */
const withOwnHostname = (nodeName: string, wish: NodeWish): NodeWish => {
  const labels = wish.labels;
  if (labels?.['kubernetes.io/hostname'] === undefined) return wish;
  return { ...wish, labels: { ...labels, 'kubernetes.io/hostname': `host-of-${nodeName}` } };
};

/** The nodes, daemons and pods that the engine was told of, kept in plain maps. */
function createModel() {
  const nodes = new Map<string, Node>();
  const daemons = new Map<string, DaemonSetDefinition>();
  const pods = new Map<string, Map<string, DaemonPod>>();
  const earlier = new Map<string, DaemonPod>();
  let now = 0;
  let version = 0;
  return {
    nodes,
    daemons,
    podsOf: (daemon: string): Map<string, DaemonPod> => pods.get(daemon) ?? new Map<string, DaemonPod>(),
    now: () => now,
    run(engine: Engine<DaemonPod, DaemonSetDefinition>, step: Step): void {
      switch (step.do) {
        case 'node': {
          const node = makeNode(step.name, withOwnHostname(step.name, step.wish));
          nodes.set(step.name, node);
          engine.apply({ type: 'node', node });
          return;
        }
        case 'node-gone':
          nodes.delete(step.name);
          engine.apply({ type: 'node-gone', name: step.name });
          return;
        case 'daemon':
          if (!daemons.has(step.daemon.key)) pods.set(step.daemon.key, new Map());
          daemons.set(step.daemon.key, step.daemon);
          engine.apply({ type: 'daemon', daemon: step.daemon });
          return;
        case 'daemon-gone':
          daemons.delete(step.key);
          pods.delete(step.key);
          engine.apply({ type: 'daemon-gone', key: step.key });
          return;
        case 'pod': {
          const uid = `${step.daemon}/${step.uid}`;
          const { node, byHostname, bound } = step.wish;
          const meant = byHostname === true && bound !== true && step.uid < 'p1' ? `host-of-${node}` : node;
          const child = makePod({ ...step.wish, node: meant, uid, version: (version += 1) });
          const old = pods.get(step.daemon)?.get(uid);
          engine.apply({ type: 'child', daemon: step.daemon, child, old });
          if (old !== undefined) earlier.set(uid, old);
          pods.get(step.daemon)?.set(uid, child);
          return;
        }
        case 'pod-gone': {
          const uid = `${step.daemon}/${step.uid}`;
          const child = pods.get(step.daemon)?.get(uid);
          if (child === undefined) return;
          pods.get(step.daemon)?.delete(uid);
          engine.apply({ type: 'child-gone', daemon: step.daemon, child });
          return;
        }
        case 'stale': {
          // A watch that lags behind an answer: an older state of a pod we know better.
          const uid = `${step.daemon}/${step.uid}`;
          const child = earlier.get(uid);
          const known = pods.get(step.daemon)?.get(uid);
          if (
            child === undefined ||
            known === undefined ||
            daemonPodRules.child.pin(child)?.value !== daemonPodRules.child.pin(known)?.value
          )
            return;
          engine.apply({ type: 'child', daemon: step.daemon, child });
          return;
        }
        case 'time':
          now += step.by;
          engine.apply({ type: 'time', now });
          return;
      }
    },
  };
}

const BITS = Array.from({ length: 31 }, (_, i) => 1 << i);
const LISTED = BITS.filter((bit) => (daemonPodRules.listed & bit) !== 0);

/** Both sides as one text a daemon: assertions by the thousand cost more than what they look at. */
function compare(engine: Engine<DaemonPod, DaemonSetDefinition>, model: ReturnType<typeof createModel>): void {
  for (const [key, definition] of model.daemons) {
    const pods = model.podsOf(key);
    const expected = [
      ...desired(daemonPodRules, model.nodes.values(), definition, pods.values(), model.now()).values(),
    ];
    const view = engine.daemon(key);
    if (view === undefined) throw new Error(`${key} is not known`);
    const actually = expected.map(({ name: nodeName }) => {
      const place = engine.placeOf(nodeName) ?? -1;
      return [
        nodeName,
        view.judgement(place),
        view.verdict(place),
        ...view.children(place).map((pod) => pod.metadata.uid),
      ];
    });
    const revisions = Map.groupBy(pods.values(), (pod) => daemonPodRules.child.revision(pod));
    const having = (bit: number): readonly string[] =>
      expected.filter(({ judgement }) => (judgement & bit) !== 0).map((each) => each.name);
    const told = {
      nodes: actually,
      counts: BITS.map((bit) => view.count(bit)),
      lists: LISTED.map((bit) => [...view.listed(bit)].map((place) => engine.nodeName(place)).toSorted()),
      revisions: [...revisions.keys()].map((revision) => [revision, view.ofRevision(revision)]),
    };
    const right = {
      nodes: expected.map((each) => [
        each.name,
        each.judgement,
        each.verdict,
        ...each.children.map((pod) => pod.metadata.uid),
      ]),
      counts: BITS.map((bit) => having(bit).length),
      lists: LISTED.map((bit) => having(bit).toSorted()),
      revisions: [...revisions].map(([revision, list]) => [revision, list.length]),
    };
    if (JSON.stringify(told) !== JSON.stringify(right)) expect({ [key]: told }).toEqual({ [key]: right });
  }
}

describe('the engine', () => {
  it('holds after any sequence of events what judging everything anew would give', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 40, maxLength: 120 }), (steps) => {
        const engine = createEngine(daemonPodRules);
        const model = createModel();
        for (const step of steps) {
          model.run(engine, step);
          compare(engine, model);
        }
      }),
      { numRuns: Number(process.env['FC_RUNS'] ?? 150) },
    );
  });

  it('answers an event with the daemons it changed, and only those', () => {
    const engine = createEngine(daemonPodRules);
    engine.apply({ type: 'daemon', daemon: makeDaemon('everywhere') });
    engine.apply({ type: 'daemon', daemon: makeDaemon('gpu', { nodeSelector: { gpu: 'yes' } }) });
    expect(engine.apply({ type: 'node', node: makeNode('n0') })).toEqual(['everywhere']);
    expect(engine.apply({ type: 'node', node: makeNode('n1', { labels: { gpu: 'yes' } }) })).toEqual([
      'everywhere',
      'gpu',
    ]);
    expect(engine.apply({ type: 'node', node: makeNode('n0', { labels: { colour: 'red' } }) })).toEqual([]);
    expect(engine.apply({ type: 'node', node: makeNode('n0', { labels: { gpu: 'yes' } }) })).toEqual(['gpu']);
  });

  it('asks no daemon about a node event that concerns none', () => {
    let asked = 0;
    const daemon = makeDaemon('gpu', { nodeSelector: { gpu: 'yes' } });
    const judge = daemon.eligibility.judge;
    const counting = {
      ...daemon,
      eligibility: { ...daemon.eligibility, judge: (node: Node) => ((asked += 1), judge(node)) },
    };
    const engine = createEngine(daemonPodRules);
    engine.apply({ type: 'daemon', daemon: counting });
    for (let i = 0; i < 100; i += 1) engine.apply({ type: 'node', node: makeNode(`n${i}`) });
    expect(asked).toBe(0);
    engine.apply({ type: 'node', node: makeNode('n1', { labels: { gpu: 'yes' } }) });
    expect(asked).toBe(1);
  });

  it('asks once for all daemons that want the same', () => {
    let asked = 0;
    const first = makeDaemon('d0');
    const eligibility = { ...first.eligibility, judge: (node: Node) => ((asked += 1), first.eligibility.judge(node)) };
    const engine = createEngine(daemonPodRules);
    for (let i = 0; i < 20; i += 1) engine.apply({ type: 'daemon', daemon: { ...first, key: `d${i}`, eligibility } });
    expect(engine.apply({ type: 'node', node: makeNode('n0') })).toHaveLength(20);
    expect(asked).toBe(1);
  });

  it('judges no node when a new template differs only in what does not place it', () => {
    const engine = createEngine(daemonPodRules);
    let asked = 0;
    const base = makeDaemon('d0');
    const eligibility = { ...base.eligibility, judge: (node: Node) => ((asked += 1), base.eligibility.judge(node)) };
    engine.apply({ type: 'daemon', daemon: { ...base, eligibility } });
    for (let i = 0; i < 50; i += 1) engine.apply({ type: 'node', node: makeNode(`n${i}`) });
    asked = 0;
    engine.apply({ type: 'daemon', daemon: { ...base, eligibility, hash: 'other' } });
    expect(asked).toBe(0);
  });

  it('names the successor of a pod after it, and knows the newest while several are there', () => {
    const engine = createEngine(daemonPodRules);
    engine.apply({ type: 'daemon', daemon: makeDaemon('d0') });
    engine.apply({ type: 'node', node: makeNode('n0') });
    const place = engine.placeOf('n0') ?? -1;
    const view = engine.daemon('d0');
    expect(view?.predecessor(place)).toBe('');
    const first = makePod({ node: 'n0', uid: 'p0', version: 1, createdAt: 1000 });
    engine.apply({ type: 'child', daemon: 'd0', child: first });
    expect(view?.predecessor(place)).toBe('p0');
    engine.apply({
      type: 'child',
      daemon: 'd0',
      child: makePod({ node: 'n0', uid: 'p1', version: 2, createdAt: 2000 }),
    });
    expect(view?.predecessor(place)).toBe('p1');
    engine.apply({ type: 'child-gone', daemon: 'd0', child: makePod({ node: 'n0', uid: 'p1', version: 2 }) });
    engine.apply({ type: 'child-gone', daemon: 'd0', child: first });
    expect(view?.predecessor(place)).toBe('p0');
  });

  it('tells what came to a list since it was last asked', () => {
    const engine = createEngine(daemonPodRules);
    engine.apply({ type: 'daemon', daemon: makeDaemon('d0') });
    const view = engine.daemon('d0');
    engine.apply({ type: 'node', node: makeNode('n0') });
    expect(view?.takeListed(WORK)).toEqual({ everything: true, places: [engine.placeOf('n0')] });
    expect(view?.takeListed(WORK)).toEqual({ everything: false, places: [] });
    engine.apply({ type: 'node', node: makeNode('n1') });
    expect(view?.takeListed(WORK)).toEqual({ everything: false, places: [engine.placeOf('n1')] });
    expect(view?.takeListed(OLD_AVAILABLE).places).toEqual([]);
    expect(view?.count(DESIRED)).toBe(2);
  });
});
