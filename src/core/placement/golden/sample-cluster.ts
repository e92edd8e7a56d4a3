/**
 * Small clusters made up from a seed, dense enough that every filter has something to say: used to compare placement
 * with naive oracles and with answers recorded from a real kube-scheduler. A seed always gives the same sample, so the
 * recorded answers stay valid; changing anything here means recording them anew.
 */
import type {
  Container,
  Namespace,
  Node,
  NodeSelectorTerm,
  Pod,
  PodAffinityTerm,
  PodSpec,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '../../api/types/core-v1.ts';
import type { LabelSelector } from '../../kube/meta-v1.ts';
import type { PodDisruptionBudget } from '../../api/types/policy-v1.ts';

export interface SampleCluster {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly incoming: Pod;
}

interface Dice {
  chance(percent: number): boolean;
  upTo(bound: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** Mulberry32: small, even, and the same everywhere. */
function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const upTo = (bound: number): number => Math.floor(next() * bound);
  return {
    chance: (percent) => next() * 100 < percent,
    upTo,
    pick: <T>(choices: readonly T[]): T => choices[upTo(choices.length)] as T,
  };
}

const NAMESPACES = ['default', 'team-a', 'team-b', 'plain'] as const;
const APPS = ['web', 'db', 'cache'] as const;
const TIERS = ['front', 'back'] as const;
const ZONES = ['zone-1', 'zone-2', 'zone-3'] as const;
const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const GPU = 'example.com/gpu';

const some = <T>(dice: Dice, most: number, make: (index: number) => T): T[] =>
  Array.from({ length: dice.upTo(most + 1) }, (_, index) => make(index));

function taint(dice: Dice): Taint {
  const effect = dice.pick(['NoSchedule', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']);
  const key = dice.pick(['dedicated', 'spot', 'node.kubernetes.io/unschedulable']);
  return { key, effect, ...(dice.chance(60) ? { value: dice.pick(['gpu', 'infra', '']) } : {}) };
}

function toleration(dice: Dice): Toleration {
  return {
    ...(dice.chance(80) ? { key: dice.pick(['dedicated', 'spot', 'node.kubernetes.io/unschedulable']) } : {}),
    ...(dice.chance(70) ? { operator: dice.pick(['Exists', 'Exists', 'Equal', '']) } : {}),
    ...(dice.chance(50) ? { value: dice.pick(['gpu', 'infra', '']) } : {}),
    ...(dice.chance(50) ? { effect: dice.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule']) } : {}),
  };
}

function node(dice: Dice, index: number): Node {
  const name = `node-${index}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `uid-${name}`,
      labels: {
        [HOSTNAME]: name,
        ...(dice.chance(85) ? { [ZONE]: dice.pick(ZONES) } : {}),
        ...(dice.chance(60) ? { disk: dice.pick(['ssd', 'hdd']) } : {}),
        ...(dice.chance(60) ? { generation: dice.pick(['1', '7', '12', 'new', '-3']) } : {}),
      },
    },
    spec: {
      ...(dice.chance(4) ? { unschedulable: true } : {}),
      ...(dice.chance(18) ? { taints: some(dice, 2, () => taint(dice)) } : {}),
    },
    status: {
      allocatable: {
        cpu: dice.pick(['1', '2', '2500m', '4']),
        memory: dice.pick(['1Gi', '2Gi', '3000M', '4Gi']),
        'ephemeral-storage': dice.pick(['10Gi', '20Gi']),
        pods: dice.pick(['3', '10', '10', '10']),
        ...(dice.chance(30) ? { [GPU]: dice.pick(['1', '2']) } : {}),
      },
      ...(dice.chance(40)
        ? { images: some(dice, 2, () => ({ names: [dice.pick(IMAGES)], sizeBytes: dice.pick([5e8, 9e8, 1e7]) })) }
        : {}),
    },
  };
}

const IMAGES = ['example.com/web:1', 'example.com/db:latest', 'plain:latest'] as const;

function container(dice: Dice, name: string, index: number): Container {
  const requests = {
    ...(dice.chance(70) ? { cpu: dice.pick(['100m', '250m', '500m', '1', '1500u', '0']) } : {}),
    ...(dice.chance(60) ? { memory: dice.pick(['64Mi', '128Mi', '500M', '1Gi', '100500m']) } : {}),
    ...(dice.chance(15) ? { 'ephemeral-storage': dice.pick(['1Gi', '8Gi']) } : {}),
    ...(dice.chance(10) ? { [GPU]: '1' } : {}),
  };
  return {
    name: `${name}-${index}`,
    image: dice.pick(['example.com/web:1', 'example.com/db', 'plain']),
    ...(dice.chance(85) ? { resources: { requests } } : {}),
    ...(dice.chance(15)
      ? {
          ports: [
            {
              containerPort: 80,
              hostPort: dice.pick([8080, 8080, 9090]),
              protocol: dice.pick(['TCP', 'TCP', 'UDP']),
              ...(dice.chance(40) ? { hostIP: dice.pick(['10.0.0.1', '10.0.0.2', '0.0.0.0']) } : {}),
            },
          ],
        }
      : {}),
  };
}

function selector(dice: Dice): LabelSelector {
  if (dice.chance(10)) return {};
  if (dice.chance(60)) return { matchLabels: { app: dice.pick(APPS) } };
  const operator = dice.pick(['In', 'NotIn', 'Exists', 'DoesNotExist']);
  const values = operator === 'In' || operator === 'NotIn' ? { values: [dice.pick(APPS), dice.pick(APPS)] } : {};
  return { matchExpressions: [{ key: dice.pick(['app', 'tier']), operator, ...values }] };
}

function affinityTerm(dice: Dice): PodAffinityTerm {
  return {
    topologyKey: dice.pick([HOSTNAME, ZONE, ZONE, 'disk']),
    ...(dice.chance(95) ? { labelSelector: selector(dice) } : {}),
    ...(dice.chance(25) ? { namespaces: [dice.pick(NAMESPACES)] } : {}),
    ...(dice.chance(20)
      ? {
          namespaceSelector: dice.chance(40)
            ? {}
            : { matchExpressions: [{ key: 'team', operator: 'In', values: [dice.pick(['a', 'b'])] }] },
        }
      : {}),
  };
}

function nodeTerm(dice: Dice, nodeCount: number): NodeSelectorTerm {
  const expression = () => {
    const operator = dice.pick(['In', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
    const key = operator === 'Gt' || operator === 'Lt' ? 'generation' : dice.pick(['disk', ZONE]);
    const values: { [operator: string]: string[] } = {
      In: [dice.pick(['ssd', 'zone-1', 'zone-2'])],
      NotIn: [dice.pick(['ssd', 'zone-1', 'zone-2'])],
      Gt: [dice.pick(['5', '5', 'five'])],
      Lt: [dice.pick(['5', '10'])],
    };
    return { key, operator, ...(values[operator] === undefined ? {} : { values: values[operator] }) };
  };
  return {
    ...(dice.chance(80) ? { matchExpressions: some(dice, 2, expression) } : {}),
    ...(dice.chance(25)
      ? {
          matchFields: [
            {
              key: 'metadata.name',
              operator: dice.pick(['In', 'In', 'NotIn']),
              values: [`node-${dice.upTo(nodeCount)}`],
            },
          ],
        }
      : {}),
  };
}

function spreadConstraint(dice: Dice): TopologySpreadConstraint {
  return {
    maxSkew: 1 + dice.upTo(2),
    topologyKey: dice.pick([HOSTNAME, ZONE, ZONE]),
    whenUnsatisfiable: dice.pick(['DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: dice.chance(70) ? { matchLabels: { app: dice.pick(APPS) } } : selector(dice),
    ...(dice.chance(20) ? { minDomains: 1 + dice.upTo(4) } : {}),
    ...(dice.chance(25) ? { nodeAffinityPolicy: dice.pick(['Honor', 'Ignore']) } : {}),
    ...(dice.chance(25) ? { nodeTaintsPolicy: dice.pick(['Honor', 'Ignore']) } : {}),
    ...(dice.chance(20) ? { matchLabelKeys: ['tier'] } : {}),
  };
}

function podAffinity(dice: Dice): PodSpec['affinity'] {
  return {
    ...(dice.chance(40)
      ? {
          podAffinity: {
            ...(dice.chance(60)
              ? { requiredDuringSchedulingIgnoredDuringExecution: some(dice, 2, () => affinityTerm(dice)) }
              : {}),
            ...(dice.chance(50)
              ? {
                  preferredDuringSchedulingIgnoredDuringExecution: some(dice, 2, () => ({
                    weight: 1 + dice.upTo(100),
                    podAffinityTerm: affinityTerm(dice),
                  })),
                }
              : {}),
          },
        }
      : {}),
    ...(dice.chance(60)
      ? {
          podAntiAffinity: {
            ...(dice.chance(70)
              ? { requiredDuringSchedulingIgnoredDuringExecution: some(dice, 2, () => affinityTerm(dice)) }
              : {}),
            ...(dice.chance(40)
              ? {
                  preferredDuringSchedulingIgnoredDuringExecution: some(dice, 2, () => ({
                    weight: 1 + dice.upTo(100),
                    podAffinityTerm: affinityTerm(dice),
                  })),
                }
              : {}),
          },
        }
      : {}),
  };
}

const labels = (dice: Dice): { [key: string]: string } => ({
  ...(dice.chance(90) ? { app: dice.pick(APPS) } : {}),
  ...(dice.chance(50) ? { tier: dice.pick(TIERS) } : {}),
});

function containers(dice: Dice): Pick<PodSpec, 'containers' | 'initContainers' | 'overhead' | 'resources'> {
  const inits = dice.chance(25)
    ? [1, 2].map((index) => ({
        ...container(dice, 'init', index),
        ...(dice.chance(40) ? { restartPolicy: 'Always' } : {}),
      }))
    : undefined;
  return {
    containers: [container(dice, 'main', 0), ...some(dice, 1, () => container(dice, 'main', 1))],
    ...(inits === undefined ? {} : { initContainers: inits }),
    ...(dice.chance(10) ? { overhead: { cpu: '50m', memory: '20Mi' } } : {}),
    ...(dice.chance(10) ? { resources: { requests: { cpu: dice.pick(['300m', '2']), memory: '256Mi' } } } : {}),
  };
}

function placedPod(dice: Dice, index: number, nodeCount: number): Pod {
  const name = `pod-${index}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: dice.pick(['default', ...NAMESPACES]),
      uid: `uid-${name}`,
      labels: labels(dice),
      ...(dice.chance(6) ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      nodeName: `node-${dice.upTo(nodeCount)}`,
      schedulerName: 'default-scheduler',
      priority: dice.pick([0, 0, 10, 10, 100, -5]),
      ...(dice.chance(35) ? { affinity: podAffinity(dice) ?? {} } : {}),
      ...containers(dice),
    },
    // Every start differs, so that nothing is left to chance where age decides.
    status: {
      phase: 'Running',
      startTime: `2026-01-0${1 + dice.upTo(9)}T00:00:${String(10 + index).padStart(2, '0')}Z`,
    },
  };
}

function incomingPod(dice: Dice, nodeCount: number): Pod {
  const nodeAffinity = {
    ...(dice.chance(60)
      ? {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [nodeTerm(dice, nodeCount), ...some(dice, 1, () => nodeTerm(dice, nodeCount))],
          },
        }
      : {}),
    ...(dice.chance(40)
      ? {
          preferredDuringSchedulingIgnoredDuringExecution: some(dice, 2, () => ({
            weight: 1 + dice.upTo(100),
            preference: { matchExpressions: [{ key: 'disk', operator: dice.pick(['In', 'NotIn']), values: ['ssd'] }] },
          })),
        }
      : {}),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'incoming',
      namespace: dice.pick(['default', 'default', ...NAMESPACES]),
      uid: 'uid-incoming',
      labels: labels(dice),
    },
    spec: {
      schedulerName: 'default-scheduler',
      priority: dice.pick([0, 10, 50, 50, 1000]),
      ...(dice.chance(10) ? { preemptionPolicy: 'Never' } : {}),
      ...(dice.chance(8) ? { nodeSelector: { disk: dice.pick(['ssd', 'hdd']) } } : {}),
      ...(dice.chance(50) ? { tolerations: some(dice, 2, () => toleration(dice)) } : {}),
      ...(dice.chance(75)
        ? { affinity: { ...(dice.chance(30) ? { nodeAffinity } : {}), ...(dice.chance(65) ? podAffinity(dice) : {}) } }
        : {}),
      ...(dice.chance(60) ? { topologySpreadConstraints: some(dice, 2, () => spreadConstraint(dice)) } : {}),
      ...containers(dice),
    },
  };
}

function budget(dice: Dice, index: number): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `budget-${index}`, namespace: dice.pick(['default', 'default', 'team-a']) },
    spec: { selector: dice.chance(70) ? { matchLabels: { app: dice.pick(APPS) } } : selector(dice) },
    status: {
      disruptionsAllowed: dice.upTo(3),
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
      ...(dice.chance(20)
        ? { disruptedPods: { 'pod-0': '2026-01-01T00:00:00Z', 'pod-3': '2026-01-01T00:00:00Z' } }
        : {}),
    },
  };
}

const namespace = (name: string, labels?: { [key: string]: string }): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
  spec: {},
});

/**
 * At most one container with host ports a node: where pods already there collide, kube-scheduler forgets a port too
 * early when it imagines one of them away, and placement does not.
 */
function withoutCollisions(pods: readonly Pod[]): readonly Pod[] {
  const taken = new Set<string | undefined>();
  const strip = (nodeName: string | undefined, container: Container): Container => {
    if (container.ports === undefined) return container;
    const { ports: _, ...bare } = container;
    if (taken.has(nodeName)) return bare;
    taken.add(nodeName);
    return container;
  };
  return pods.map((pod) => {
    const { containers, initContainers, nodeName } = pod.spec;
    return {
      ...pod,
      spec: {
        ...pod.spec,
        containers: containers.map((each) => strip(nodeName, each)),
        ...(initContainers === undefined
          ? {}
          : { initContainers: initContainers.map((each) => strip(nodeName, each)) }),
      },
    };
  });
}

export function createSampleCluster(seed: number): SampleCluster {
  const dice = createDice(seed);
  const nodeCount = 1 + dice.upTo(6);
  return {
    nodes: Array.from({ length: nodeCount }, (_, index) => node(dice, index)),
    pods: withoutCollisions(some(dice, 14, (index) => placedPod(dice, index, nodeCount))),
    namespaces: [
      namespace('default'),
      namespace('team-a', { team: 'a' }),
      namespace('team-b', { team: 'b', env: 'prod' }),
      namespace('plain'),
    ],
    budgets: some(dice, 2, (index) => budget(dice, index)),
    incoming: incomingPod(dice, nodeCount),
  };
}
