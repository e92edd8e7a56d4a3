/**
 * Placement against a large cluster. The pod uses every filter at once: nodeSelector, node affinity with all kinds of
 * operators, tolerations, requests with an extended resource, a host port, topology spread and anti-affinity; about
 * two thirds of the nodes pass. Every run includes what is prepared per cluster version (kube-scheduler's PreFilter), since the
 * cluster has changed before each: by one more pod, as between two pods of a scheduler, or (`cold`) by a relabelled node
 * and a pod nothing is known about.
 */
import type { Node, Pod } from '../src/core/api/types/core-v1.ts';
import { type ClusterState, createClusterState } from '../src/core/placement/cluster-state.ts';
import { compilePod, feasible, judge } from '../src/core/placement/filters.ts';
import { preparePod } from '../src/core/placement/prepared-pod.ts';
import { isSelected, note, reportCase } from './support/report.ts';

const NODES = 50_000;
const ZONES = 12;
const RUNS = 15;

const node = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `node-${index}`,
    uid: `uid-${index}`,
    labels: {
      'kubernetes.io/hostname': `node-${index}`,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': index % 16 === 0 ? 'arm64' : 'amd64',
      'topology.kubernetes.io/zone': `zone-${index % ZONES}`,
      'topology.kubernetes.io/region': `region-${index % 3}`,
      'node.kubernetes.io/instance-type': `m${index % 7}.large`,
      'example.com/generation': String(index % 10),
      pool: index % 5 === 0 ? 'batch' : 'general',
    },
  },
  spec: {
    ...(index % 9 === 0 ? { unschedulable: true } : {}),
    taints: [
      { key: 'dedicated', value: index % 11 === 0 ? 'gpu' : 'agents', effect: 'NoSchedule' },
      ...(index % 4 === 0 ? [{ key: 'spot', effect: 'PreferNoSchedule' }] : []),
    ],
  },
  status: {
    allocatable: {
      cpu: String(4 + (index % 5)),
      memory: `${16 + (index % 32)}Gi`,
      'ephemeral-storage': '100Gi',
      pods: '110',
      'example.com/fpga': '2',
    },
  },
});

const template = (app: string): Pod['spec'] => ({
  containers: [
    {
      name: app,
      image: `registry.example/${app}:1`,
      resources: { requests: { cpu: '200m', memory: '256Mi' } },
      ports: [{ containerPort: 9100, ...(app === 'exporter' ? { hostPort: 9100 } : {}) }],
    },
  ],
});

const incoming = (): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'incoming', namespace: 'agents', uid: 'incoming', labels: { app: 'agent', tier: 'node' } },
  spec: {
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [
      { key: 'dedicated', operator: 'Equal', value: 'agents', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
    ],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
                { key: 'pool', operator: 'NotIn', values: ['system', 'edge'] },
                { key: 'example.com/generation', operator: 'Gt', values: ['1'] },
                { key: 'example.com/broken', operator: 'DoesNotExist' },
              ],
            },
          ],
        },
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'agent' } } },
        ],
      },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 200,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'agent' } },
      },
    ],
    containers: [
      {
        name: 'agent',
        image: 'registry.example/agent:2',
        ports: [{ containerPort: 8080, hostPort: 9200 }],
        resources: { requests: { cpu: '500m', memory: '512Mi', 'example.com/fpga': '1' } },
      },
    ],
    initContainers: [{ name: 'setup', image: 'registry.example/setup:1', resources: { requests: { cpu: '1' } } }],
  },
});

/** Two ordinary pods a node, an exporter with a host port, and on every tenth node an agent that the pod avoids. */
function buildCluster(): ClusterState {
  const cluster = createClusterState();
  cluster.setNamespace('agents', {});
  const agentAffinity = incoming().spec.affinity?.podAntiAffinity;
  const specs = {
    web: template('web'),
    exporter: template('exporter'),
    agent: { ...template('agent'), ...(agentAffinity ? { affinity: { podAntiAffinity: agentAffinity } } : {}) },
  };
  const place = (app: keyof typeof specs, index: number): void => {
    cluster.setPod({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${app}-${index}`, namespace: 'agents', uid: `${app}-${index}`, labels: { app, tier: 'node' } },
      spec: { ...specs[app], nodeName: `node-${index}` },
    });
  };
  for (let index = 0; index < NODES; index++) {
    cluster.setNode(node(index));
    place('web', index);
    place('exporter', index);
    if (index % 10 === 0) place('agent', index);
  }
  return cluster;
}

function measure(run: (round: number) => number, rounds = RUNS): { samples: number[]; result: number } {
  let result = 0;
  const samples: number[] = [];
  for (let round = -5; round < rounds; round++) {
    const started = performance.now();
    result = run(round);
    if (round >= 0) samples.push(performance.now() - started);
  }
  return { samples, result };
}

function countFeasible(pod: Pod, cluster: ClusterState): number {
  const prepared = preparePod(compilePod(pod), cluster);
  let count = 0;
  for (const state of cluster.nodes.values()) if (feasible(prepared, state)) count++;
  return count;
}

function countExplained(pod: Pod, cluster: ClusterState): number {
  const prepared = preparePod(compilePod(pod), cluster);
  let count = 0;
  for (const state of cluster.nodes.values()) if (judge(prepared, state).ok) count++;
  return count;
}

export default async function placement(selected: readonly string[]): Promise<void> {
  const cluster = buildCluster();
  note(`cluster: ${cluster.nodes.size} nodes, ${incoming().spec.containers.length} container, every filter in use`);
  const pod = incoming();
  /** As between two pods of a scheduler: the last one has been placed. */
  const placeOne = (round: number): void => {
    const uid = `placed-${round}`;
    cluster.setPod({ ...pod, metadata: { ...pod.metadata, name: uid, uid } }, `node-${(round + 5) * 7 + 2}`);
  };
  /** A node changes its labels and the pod comes from a new template: nothing worked out before is of use. */
  const startAfresh = (round: number): void => {
    const changed = node(round + 5);
    cluster.setNode({ ...changed, metadata: { ...changed.metadata, labels: { ...changed.metadata.labels } } });
  };
  const cases: { readonly [name: string]: (round: number) => number } = {
    'filters-50000': (round) => (placeOne(round), countFeasible(pod, cluster)),
    'filters-50000-reasons': (round) => (placeOne(round), countExplained(pod, cluster)),
    'filters-50000-cold': (round) => (startAfresh(round), countFeasible(incoming(), cluster)),
  };
  for (const [name, run] of Object.entries(cases)) {
    if (!isSelected(selected, name)) continue;
    const { samples, result } = measure(run);
    note(`${name}: ${result} of ${NODES} nodes pass`);
    reportCase({ bench: 'placement', case: name, unit: 'ms', better: 'lower', samples });
  }
}
