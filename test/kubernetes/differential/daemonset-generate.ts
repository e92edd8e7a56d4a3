/** Nodes and DaemonSets made up from a seed, and what happens to them. All of it is valid. */
import type { DaemonSet } from '../../../src/core/api/types/apps-v1.ts';
import type {
  Affinity,
  Container,
  Node,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  Taint,
  Toleration,
} from '../../../src/core/api/types/core-v1.ts';
import type { JsonObject } from '../../../src/core/kube/json.ts';
import { BAD_IMAGE, type DaemonSetCase, type DaemonSetStep } from './daemonset-case.ts';
import { createDice, type Dice } from './dice.ts';

const TAINTS: readonly Taint[] = [
  { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
  { key: 'dedicated', value: 'gpu', effect: 'NoExecute' },
  { key: 'spot', effect: 'PreferNoSchedule' },
  { key: 'spot', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' },
];

const distinct = (taints: readonly Taint[]): Taint[] => [
  ...new Map(taints.map((taint) => [`${taint.key} ${taint.effect}`, taint])).values(),
];

function nodeOf(dice: Dice, index: number): Node {
  const name = `node-${index}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        ...dice.maybe(70, () => ({ pool: dice.pick(['a', 'b']) })),
        ...dice.maybe(50, () => ({ disk: dice.pick(['ssd', 'hdd']) })),
        ...dice.maybe(50, () => ({ generation: dice.pick(['1', '7', 'new']) })),
      },
    },
    spec: {
      ...dice.maybe(8, () => ({ unschedulable: true })),
      ...dice.maybe(30, () => ({ taints: distinct(dice.some(2, () => dice.pick(TAINTS))) })),
    },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '20' } },
  };
}

function toleration(dice: Dice): Toleration {
  const { key, value, effect } = dice.pick(TAINTS);
  const effects = dice.maybe(60, () => ({ effect }));
  // Never for no time: there ours makes no pod, on purpose.
  const seconds =
    effect === 'NoExecute' ? dice.maybe(20, () => ({ effect, tolerationSeconds: dice.pick([1, 60]) })) : {};
  if (dice.chance(15)) return { operator: 'Exists', ...effects, ...seconds };
  if (value === undefined || dice.chance(40)) return { key, operator: 'Exists', ...effects, ...seconds };
  return { key, ...dice.maybe(50, () => ({ operator: 'Equal' })), value, ...effects, ...seconds };
}

function nodeTerm(dice: Dice): NodeSelectorTerm {
  const expression = () => {
    const operator = dice.pick(['In', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt']);
    if (operator === 'Gt') return { key: 'generation', operator, values: ['5'] };
    const key = dice.pick(['pool', 'disk']);
    const values = operator === 'In' || operator === 'NotIn' ? { values: [dice.pick(['a', 'b', 'ssd'])] } : {};
    return { key, operator, ...values };
  };
  return {
    ...dice.maybe(85, () => ({ matchExpressions: dice.some(2, expression) })),
    ...dice.maybe(20, () => ({
      matchFields: [{ key: 'metadata.name', operator: dice.pick(['In', 'NotIn']), values: [`node-${dice.upTo(4)}`] }],
    })),
  };
}

function affinity(dice: Dice): Affinity {
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'other' } } };
  return {
    ...dice.maybe(80, () => ({
      nodeAffinity: {
        ...dice.maybe(80, () => ({
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [nodeTerm(dice), ...dice.some(1, () => nodeTerm(dice))],
          },
        })),
        ...dice.maybe(30, () => ({
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 5, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
          ],
        })),
      },
    })),
    ...dice.maybe(20, () => ({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } })),
  };
}

function container(dice: Dice, image: string): Container {
  return {
    name: 'main',
    image,
    ...dice.maybe(50, () => ({ args: ['--level=<5>', '&', dice.pick(['a', 'b'])] })),
    ...dice.maybe(50, () => ({
      env: [
        { name: 'PLAIN', value: dice.pick(['1', '', 'é\u2028']) },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      ],
    })),
    ...dice.maybe(60, () => ({
      resources: {
        requests: { cpu: dice.pick(['0.1', '100m']), memory: '64Mi' },
        ...dice.maybe(40, () => ({ limits: { cpu: '1' } })),
      },
    })),
    ...dice.maybe(30, () => ({ ports: [{ containerPort: 80, ...dice.maybe(50, () => ({ hostPort: 80 })) }] })),
    ...dice.maybe(30, () => ({
      readinessProbe: { httpGet: { path: '/', port: dice.pick([80, 'web']) }, periodSeconds: 3 },
    })),
    ...dice.maybe(30, () => ({ securityContext: { privileged: true } })),
  };
}

const image = (dice: Dice): string => `example.com/agent:${1 + dice.upTo(9)}`;

function podSpec(dice: Dice): PodSpec {
  return {
    containers: [container(dice, image(dice))],
    ...dice.maybe(20, () => ({ initContainers: [{ name: 'init', image: 'example.com/init' }] })),
    ...dice.maybe(35, () => ({ nodeSelector: dice.pick([{ pool: 'a' }, { pool: 'b' }, { disk: 'ssd' }]) })),
    ...dice.maybe(35, () => ({ affinity: affinity(dice) })),
    ...dice.maybe(45, () => ({ tolerations: dice.some(3, () => toleration(dice)) })),
    ...dice.maybe(15, () => ({ hostNetwork: true })),
    ...dice.maybe(15, () => ({ priorityClassName: 'system-node-critical' })),
    ...dice.maybe(4, () => ({ nodeName: 'node-1' })),
    ...dice.maybe(50, () => ({ terminationGracePeriodSeconds: dice.pick([0, 5]) })),
    ...dice.maybe(40, () => ({
      volumes: [
        { name: 'host', hostPath: { path: '/var' } },
        { name: 'config', configMap: { name: 'agent' } },
        { name: 'scratch', emptyDir: {} },
      ],
    })),
  };
}

function strategy(dice: Dice): NonNullable<DaemonSet['spec']['updateStrategy']> {
  if (dice.chance(15)) return { type: 'OnDelete' };
  if (dice.chance(30))
    return {
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: dice.pick([1, 2, '50%', '100%']), maxUnavailable: dice.pick([0, '0%']) },
    };
  return {
    type: 'RollingUpdate',
    ...dice.maybe(80, () => ({ rollingUpdate: { maxUnavailable: dice.pick([1, 2, '34%', '50%', '100%']) } })),
  };
}

function setOf(dice: Dice, index: number, isPatient: boolean): DaemonSet {
  const name = `set-${index}`;
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      name,
      ...dice.maybe(30, () => ({
        labels: { app: name },
        annotations: { note: 'kept', 'kubernetes.io/change-cause': 'first' },
      })),
    },
    spec: {
      selector: { matchLabels: { app: name } },
      updateStrategy: strategy(dice),
      ...(isPatient ? dice.maybe(60, () => ({ minReadySeconds: 1 })) : {}),
      ...dice.maybe(40, () => ({ revisionHistoryLimit: dice.upTo(3) })),
      template: {
        metadata: {
          name: '',
          labels: { app: name, ...dice.maybe(40, () => ({ tier: 'node' })) },
          ...dice.maybe(30, () => ({ annotations: { note: 'of the template' } })),
        },
        spec: podSpec(dice),
      },
    },
  };
}

function orphanOf(dice: Dice, index: number, nodes: number, sets: number): Pod {
  const app = `set-${dice.upTo(sets)}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `orphan-${index}`,
      labels: { app, ...dice.maybe(40, () => ({ 'pod-template-generation': '1' })) },
    },
    spec: {
      nodeName: `node-${dice.upTo(nodes)}`,
      containers: [{ name: 'main', image: 'example.com/agent:0' }],
    },
  };
}

const template = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });
const containers = (made: Container): JsonObject => template({ containers: [made as unknown as JsonObject] });

/** One thing that happens, or several that belong together: what cannot become ready is followed by what can. */
function happening(dice: Dice, nodes: number, sets: number): DaemonSetStep[] {
  const node = `node-${dice.upTo(nodes)}`;
  const set = `set-${dice.upTo(sets)}`;
  const taints = distinct(dice.some(2, () => dice.pick(TAINTS))) as unknown as JsonObject[];
  const choices: readonly (() => DaemonSetStep[])[] = [
    () => [{ do: 'patch-node', node, body: { spec: { taints } } }],
    () => [{ do: 'patch-node', node, body: { spec: { taints: null } } }],
    () => [{ do: 'patch-node', node, body: { metadata: { labels: { pool: dice.pick(['a', 'b', null]) } } } }],
    () => [{ do: 'patch-node', node, body: { metadata: { labels: { disk: dice.pick(['ssd', 'hdd', null]) } } } }],
    () => [{ do: 'patch-node', node, body: { spec: { unschedulable: true } } }],
    () => [{ do: 'add-node', node: nodeOf(dice, nodes) }],
    () => [{ do: 'delete-node', node }],
    () => [{ do: 'patch-set', set, body: containers(container(dice, image(dice))) }],
    () => [{ do: 'patch-set', set, body: containers(container(dice, image(dice))) }],
    () => [{ do: 'patch-set', set, body: containers(container(dice, image(dice))) }],
    () => [
      { do: 'patch-set', set, body: containers(container(dice, BAD_IMAGE)) },
      dice.chance(50)
        ? { do: 'roll-back', set }
        : { do: 'patch-set', set, body: containers(container(dice, image(dice))) },
    ],
    () => [
      { do: 'patch-set', set, body: containers(container(dice, image(dice))) },
      { do: 'roll-back', set },
    ],
    () => [
      { do: 'patch-set', set, body: template({ nodeSelector: dice.pick([null, { pool: 'a' }, { disk: 'hdd' }]) }) },
    ],
    () => [{ do: 'patch-set', set, body: template({ tolerations: [toleration(dice) as unknown as JsonObject] }) }],
    () => [{ do: 'patch-set', set, body: { spec: { updateStrategy: strategy(dice) as unknown as JsonObject } } }],
    () => [{ do: 'patch-set', set, body: { spec: { revisionHistoryLimit: dice.upTo(2) } } }],
    () => [{ do: 'patch-set', set, body: { metadata: { annotations: { note: 'changed' } } } }],
    () => [{ do: 'delete-pod', set, node }],
    () => [{ do: 'end-pod', set, node, phase: dice.pick(['Failed', 'Succeeded'] as const) }],
    () => [{ do: 'unready-pod', set, node }],
    () => [{ do: 'relabel-pod', set, node }],
  ];
  return dice.pick(choices)();
}

export const SETS = 5;

/** Which old pod a rollout replaces first is chance: it must not show in how long the pod takes to end. */
function endingLike(sets: readonly DaemonSet[], orphan: Pod): Pod {
  const set = sets.find(({ metadata }) => metadata.name === orphan.metadata.labels?.['app']);
  const { terminationGracePeriodSeconds } = set?.spec.template.spec ?? {};
  return terminationGracePeriodSeconds === undefined
    ? orphan
    : { ...orphan, spec: { ...orphan.spec, terminationGracePeriodSeconds } };
}

export function generateDaemonSetCase(seed: string): DaemonSetCase {
  const dice = createDice(seed);
  const nodes = 2 + dice.upTo(4);
  const isPatient = dice.chance(20);
  const made = Array.from({ length: nodes }, (_, index) => nodeOf(dice, index));
  const orphans = dice.chance(30) ? dice.some(3, (index) => orphanOf(dice, index, nodes, SETS)) : [];
  const sets = Array.from({ length: SETS }, (_, index) => setOf(dice, index, isPatient));
  return {
    nodes: made,
    orphans: orphans.map((orphan) => endingLike(sets, orphan)),
    sets,
    steps: Array.from({ length: 3 + dice.upTo(3) }, () => happening(dice, nodes, SETS)).flat(),
  };
}
