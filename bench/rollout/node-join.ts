/**
 * The cost of deciding that a node which joins a large cluster needs a pod of every daemon, and of making those pods.
 */
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Node } from '../../src/core/api/types/core-v1.ts';
import { daemonPodRules, type DaemonSetDefinition, manage, WORK } from '../../src/core/daemons/daemon-pod-rules.ts';
import { createPodMaker, type PodMaker } from '../../src/core/daemons/daemon-pod.ts';
import { compileEligibility } from '../../src/core/daemons/eligibility.ts';
import { createEngine } from '../../src/core/daemons/engine.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { nodesOf } from '../../src/nodes/fleet/node-groups.ts';

const NOW = '2026-01-01T00:00:00Z';
const JOINS_PER_SAMPLE = 50;
const SAMPLES = 5;

const set = (index: number): Stored<DaemonSet> => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: `daemon-${index}`,
    namespace: 'kube-system',
    uid: `uid-${index}`,
    resourceVersion: '1',
    creationTimestamp: NOW,
  },
  spec: {
    selector: { matchLabels: { app: `daemon-${index}` } },
    template: {
      metadata: { labels: { app: `daemon-${index}` } } as unknown as DaemonSet['metadata'],
      // Half of the daemons want every node, the others a kind of node.
      spec: {
        containers: [{ name: 'main', image: 'registry.example/agent:v1' }],
        tolerations: [{ key: `taint-${index}`, operator: 'Exists' }],
        ...(index % 2 === 0 ? {} : { nodeSelector: { 'kubernetes.io/os': 'linux' } }),
      },
    },
  },
});

const withUid = (node: Node): Node => ({
  ...node,
  metadata: { ...node.metadata, uid: `uid-of-${node.metadata.name}` },
});

/** CPU milliseconds a join, one number a sample. */
export function measureNodeJoin(nodeCount: number, daemonCount: number): readonly number[] {
  const engine = createEngine(daemonPodRules, Date.parse(NOW));
  const makers = new Map<string, PodMaker>();
  for (let i = 0; i < daemonCount; i += 1) {
    const daemon = set(i);
    const spec = daemon.spec.template.spec ?? { containers: [] };
    const definition: DaemonSetDefinition = {
      key: daemon.metadata.uid,
      eligibility: compileEligibility(spec),
      hash: 'hash',
      templateGeneration: '1',
      minReadySeconds: 0,
      surge: false,
      ignoreDownNodes: false,
      maxRestarts: 5,
    };
    makers.set(definition.key, createPodMaker(daemon, 'hash'));
    engine.apply({ type: 'daemon', daemon: definition });
  }
  let pods = 0;
  /** All decisions of the controller when a node joins, and its handling of the answers. */
  function join(node: Node): void {
    for (const key of engine.apply({ type: 'node', node })) {
      const view = engine.daemon(key);
      const maker = makers.get(key);
      if (view === undefined || maker === undefined) continue;
      for (const place of [...view.listed(WORK)]) {
        const target = engine.node(place);
        if (
          target === undefined ||
          !manage(view.definition, view.verdict(place), target, view.children(place), 0).create
        )
          continue;
        const { name, uid = '' } = target.metadata;
        const pod = maker({ name, uid }, view.predecessor(place));
        pods += 1;
        const metadata = { ...pod.metadata, uid: `pod-${pods}`, resourceVersion: String(pods), creationTimestamp: NOW };
        engine.apply({ type: 'child', daemon: key, child: { ...pod, metadata } });
      }
    }
  }
  for (const node of nodesOf({ name: 'node', count: nodeCount }, NOW)) join(withUid(node));
  const late = [...nodesOf({ name: 'late', count: JOINS_PER_SAMPLE * (SAMPLES + 1) }, NOW)].map(withUid);
  const samples: number[] = [];
  for (let at = 0; at < late.length; at += JOINS_PER_SAMPLE) {
    const before = process.cpuUsage();
    for (const node of late.slice(at, at + JOINS_PER_SAMPLE)) join(node);
    const { user, system } = process.cpuUsage(before);
    if (at > 0) samples.push((user + system) / 1000 / JOINS_PER_SAMPLE);
  }
  return samples;
}
