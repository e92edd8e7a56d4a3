/** Clusters made up from a seed, dense enough that every filter of a scheduler has something to say. All are valid. */
import type {
  Affinity,
  Container,
  Node,
  NodeSelectorTerm,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  PodSpec,
  Service,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '../../../src/core/api/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../../src/core/api/types/policy-v1.ts';
import type { JsonObject } from '../../../src/core/kube/json.ts';
import type { LabelSelector } from '../../../src/core/kube/meta-v1.ts';
import { createDice, type Dice } from './dice.ts';
import { NAMESPACE_LABELS, type SchedulerCase, type SchedulerStep } from './scheduler-case.ts';

const NAMESPACES = Object.keys(NAMESPACE_LABELS);
const APPS = ['web', 'db', 'cache'];
const TIERS = ['front', 'back'];
const ZONES = ['zone-1', 'zone-2', 'zone-3'];
const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const GPU = 'example.com/gpu';
const IMAGES = ['example.com/web:1', 'example.com/db:latest', 'docker.io/library/plain:latest'];
const TAINT_KEYS = ['dedicated', 'spot', 'node.kubernetes.io/unschedulable', 'node.kubernetes.io/not-ready'];

function taints(dice: Dice, most: number): Taint[] {
  const found = new Map<string, Taint>();
  for (const _ of dice.some(most, () => 0)) {
    const key = dice.pick(TAINT_KEYS);
    const effect = dice.pick(['NoSchedule', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']);
    const value = dice.maybe(60, () => ({ value: dice.pick(['gpu', 'infra', '5']) }));
    found.set(`${key} ${effect}`, { key, effect, ...value });
  }
  return [...found.values()];
}

function toleration(dice: Dice): Toleration {
  const effect = dice.maybe(50, () => ({ effect: dice.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule']) }));
  if (dice.chance(15)) return { operator: 'Exists', ...effect };
  const key = dice.pick(TAINT_KEYS);
  if (dice.chance(50)) return { key, operator: 'Exists', ...effect };
  return {
    key,
    ...dice.maybe(50, () => ({ operator: 'Equal' })),
    ...dice.maybe(80, () => ({ value: dice.pick(['gpu', 'infra', '5']) })),
    ...effect,
  };
}

function nodeOf(dice: Dice, index: number): Node {
  const name = `node-${index}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        ...dice.maybe(95, () => ({ [HOSTNAME]: name })),
        ...dice.maybe(85, () => ({ [ZONE]: dice.pick(ZONES) })),
        ...dice.maybe(20, () => ({ [REGION]: dice.pick(['north', 'south']) })),
        ...dice.maybe(60, () => ({ disk: dice.pick(['ssd', 'hdd']) })),
        ...dice.maybe(60, () => ({ generation: dice.pick(['1', '7', '12', 'new', '-3']) })),
      },
    },
    spec: {
      ...dice.maybe(5, () => ({ unschedulable: true })),
      ...dice.maybe(25, () => ({ taints: taints(dice, 2) })),
    },
    status: statusOf(dice),
  };
}

const allocatable = (dice: Dice): { [resource: string]: string } => ({
  cpu: dice.pick(['1', '2', '2500m', '4']),
  memory: dice.pick(['1Gi', '2Gi', '3000M', '4Gi']),
  'ephemeral-storage': dice.pick(['10Gi', '20Gi']),
  pods: dice.pick(['3', '5', '10', '10', '10']),
  ...dice.maybe(30, () => ({ [GPU]: dice.pick(['1', '2']) })),
  ...dice.maybe(10, () => ({ 'hugepages-2Mi': dice.pick(['0', '100Mi']) })),
});

function statusOf(dice: Dice): NonNullable<Node['status']> {
  const amounts = allocatable(dice);
  return {
    capacity: amounts,
    allocatable: amounts,
    conditions: [
      {
        type: 'Ready',
        status: dice.pick(['True', 'True', 'True', 'False', 'Unknown']),
        reason: 'KubeletReady',
        lastHeartbeatTime: '2026-01-01T00:00:00Z',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
    ...dice.maybe(40, () => ({
      images: dice.some(2, () => ({ names: [dice.pick(IMAGES)], sizeBytes: dice.pick([5e8, 9e8, 1e7]) })),
    })),
  };
}

function container(dice: Dice, name: string): Container {
  const requests = {
    ...dice.maybe(70, () => ({ cpu: dice.pick(['100m', '250m', '500m', '1', '0']) })),
    ...dice.maybe(60, () => ({ memory: dice.pick(['64Mi', '128Mi', '500M', '1Gi']) })),
    ...dice.maybe(15, () => ({ 'ephemeral-storage': dice.pick(['1Gi', '8Gi']) })),
  };
  const gpus = dice.maybe(10, () => ({ [GPU]: dice.pick(['1', '1', '3']) }));
  return {
    name,
    image: dice.pick(['example.com/web:1', 'example.com/db', 'plain']),
    ...dice.maybe(85, () => ({ resources: { requests: { ...requests, ...gpus }, limits: gpus } })),
    ...dice.maybe(15, () => ({
      ports: [
        {
          containerPort: 80,
          hostPort: dice.pick([8080, 8080, 9090]),
          protocol: dice.pick(['TCP', 'TCP', 'UDP']),
          ...dice.maybe(40, () => ({ hostIP: dice.pick(['10.0.0.1', '10.0.0.2', '0.0.0.0']) })),
        },
      ],
    })),
  };
}

function containers(dice: Dice): Pick<PodSpec, 'containers' | 'initContainers' | 'resources'> {
  return {
    containers: [container(dice, 'main'), ...dice.some(1, () => container(dice, 'beside'))],
    ...dice.maybe(25, () => ({
      initContainers: [1, 2].map((index) => ({
        ...container(dice, `init-${index}`),
        ...dice.maybe(40, () => ({ restartPolicy: 'Always' })),
      })),
    })),
    ...dice.maybe(10, () => ({
      resources: { requests: { cpu: dice.pick(['2', '3']), memory: dice.pick(['2Gi', '3Gi']) } },
    })),
  };
}

function selector(dice: Dice): LabelSelector {
  if (dice.chance(10)) return {};
  if (dice.chance(60)) return { matchLabels: { app: dice.pick(APPS) } };
  const operator = dice.pick(['In', 'NotIn', 'Exists', 'DoesNotExist']);
  const values = operator === 'In' || operator === 'NotIn' ? { values: [dice.pick(APPS), dice.pick(APPS)] } : {};
  return { matchExpressions: [{ key: dice.pick(['app', 'tier']), operator, ...values }] };
}

function podTerm(dice: Dice): PodAffinityTerm {
  const labelSelector = dice.chance(95) ? selector(dice) : undefined;
  const says = JSON.stringify(labelSelector) ?? '';
  return {
    topologyKey: dice.pick([HOSTNAME, ZONE, ZONE, 'disk']),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...dice.maybe(25, () => ({ namespaces: [dice.pick(NAMESPACES)] })),
    ...dice.maybe(20, () => ({
      namespaceSelector: dice.chance(40)
        ? {}
        : { matchExpressions: [{ key: 'team', operator: 'In', values: [dice.pick(['a', 'b'])] }] },
    })),
    ...(labelSelector !== undefined && !says.includes('tier') && dice.chance(15)
      ? dice.chance(50)
        ? { matchLabelKeys: ['tier'] }
        : { mismatchLabelKeys: ['tier'] }
      : {}),
  };
}

function podAffinity(dice: Dice): Affinity {
  const terms = () => ({
    ...dice.maybe(65, () => ({ requiredDuringSchedulingIgnoredDuringExecution: dice.some(2, () => podTerm(dice)) })),
    ...dice.maybe(45, () => ({
      preferredDuringSchedulingIgnoredDuringExecution: dice.some(2, () => ({
        weight: 1 + dice.upTo(100),
        podAffinityTerm: podTerm(dice),
      })),
    })),
  });
  return {
    ...dice.maybe(40, () => ({ podAffinity: terms() })),
    ...dice.maybe(60, () => ({ podAntiAffinity: terms() })),
  };
}

function nodeTerm(dice: Dice, nodes: number): NodeSelectorTerm {
  const expression = () => {
    const operator = dice.pick(['In', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
    const key = operator === 'Gt' || operator === 'Lt' ? 'generation' : dice.pick(['disk', ZONE]);
    const values: { readonly [operator: string]: string[] } = {
      In: [dice.pick(['ssd', 'zone-1', 'zone-2'])],
      NotIn: [dice.pick(['ssd', 'zone-1', 'zone-2'])],
      Gt: ['5'],
      Lt: [dice.pick(['5', '10'])],
    };
    return { key, operator, ...(values[operator] === undefined ? {} : { values: values[operator] }) };
  };
  return {
    ...dice.maybe(80, () => ({ matchExpressions: dice.some(2, expression) })),
    ...dice.maybe(25, () => ({
      // Two that name different nodes leave none.
      matchFields: dice.pick([[0], [0], [0], [0, 1]]).map(() => ({
        key: 'metadata.name',
        operator: dice.pick(['In', 'In', 'NotIn']),
        values: [`node-${dice.upTo(nodes + 1)}`],
      })),
    })),
  };
}

const nodeAffinity = (dice: Dice, nodes: number): NonNullable<Affinity['nodeAffinity']> => ({
  ...dice.maybe(60, () => ({
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [nodeTerm(dice, nodes), ...dice.some(1, () => nodeTerm(dice, nodes))],
    },
  })),
  ...dice.maybe(40, () => ({
    preferredDuringSchedulingIgnoredDuringExecution: dice.some(2, () => ({
      weight: 1 + dice.upTo(100),
      preference: { matchExpressions: [{ key: 'disk', operator: dice.pick(['In', 'NotIn']), values: ['ssd'] }] },
    })),
  })),
});

function spreading(dice: Dice): TopologySpreadConstraint[] {
  const found = new Map<string, TopologySpreadConstraint>();
  for (const _ of dice.some(2, () => 0)) {
    const topologyKey = dice.pick([HOSTNAME, ZONE, ZONE]);
    const whenUnsatisfiable = dice.pick(['DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway']);
    const labelSelector = dice.chance(70) ? { matchLabels: { app: dice.pick(APPS) } } : selector(dice);
    found.set(`${topologyKey} ${whenUnsatisfiable}`, {
      maxSkew: 1 + dice.upTo(2),
      topologyKey,
      whenUnsatisfiable,
      labelSelector,
      ...(whenUnsatisfiable === 'DoNotSchedule' ? dice.maybe(20, () => ({ minDomains: 1 + dice.upTo(4) })) : {}),
      ...dice.maybe(25, () => ({ nodeAffinityPolicy: dice.pick(['Honor', 'Ignore']) })),
      ...dice.maybe(25, () => ({ nodeTaintsPolicy: dice.pick(['Honor', 'Ignore']) })),
      ...(JSON.stringify(labelSelector).includes('tier') ? {} : dice.maybe(20, () => ({ matchLabelKeys: ['tier'] }))),
    });
  }
  return [...found.values()];
}

const labels = (dice: Dice): { [key: string]: string } => ({
  ...dice.maybe(90, () => ({ app: dice.pick(APPS) })),
  ...dice.maybe(50, () => ({ tier: dice.pick(TIERS) })),
});

function placedPod(dice: Dice, index: number, nodes: number): Pod {
  const minute = String(10 + index).padStart(2, '0');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${index}`, namespace: dice.pick(['default', ...NAMESPACES]), labels: labels(dice) },
    spec: {
      nodeName: `node-${dice.upTo(nodes)}`,
      terminationGracePeriodSeconds: dice.pick([0, 0, 30]),
      ...dice.maybe(70, () => ({ priorityClassName: dice.pick(['spare', 'low', 'low', 'middle', 'high']) })),
      ...dice.maybe(35, () => ({ affinity: podAffinity(dice) })),
      ...containers(dice),
    },
    // Every start differs, so that nothing is left to chance where age decides.
    status: { phase: 'Running', startTime: `2026-01-0${1 + dice.upTo(9)}T00:${minute}:00Z` },
  };
}

function comingPod(dice: Dice, index: number, nodes: number, claims: readonly PersistentVolumeClaim[]): Pod {
  const affinity = {
    ...dice.maybe(30, () => ({ nodeAffinity: nodeAffinity(dice, nodes) })),
    ...dice.maybe(50, () => podAffinity(dice)),
  };
  const namespace = dice.pick(['default', 'default', ...NAMESPACES]);
  const own = claims.filter((claim) => claim.metadata.namespace === namespace).map(({ metadata }) => metadata.name);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `new-${index}`, namespace, labels: labels(dice) },
    spec: {
      terminationGracePeriodSeconds: 0,
      ...dice.maybe(75, () => ({
        priorityClassName: dice.pick(['low', 'middle', 'middle', 'high', 'top', 'top', 'top-but-kind']),
      })),
      ...dice.maybe(5, () => ({ schedulingGates: [{ name: 'example.com/wait' }] })),
      ...dice.maybe(8, () => ({ nodeSelector: { disk: dice.pick(['ssd', 'hdd']) } })),
      ...dice.maybe(50, () => ({ tolerations: dice.some(2, () => toleration(dice)) })),
      ...dice.maybe(75, () => ({ affinity })),
      ...dice.maybe(50, () => ({ topologySpreadConstraints: spreading(dice) })),
      ...dice.maybe(own.length > 0 ? 60 : 3, () => ({
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: dice.pick([...own, ...own, 'missing']) } }],
      })),
      ...containers(dice),
    },
  };
}

function budget(dice: Dice, index: number): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `budget-${index}`, namespace: dice.pick(['default', 'default', 'team-a']) },
    spec: { minAvailable: 1, selector: dice.chance(70) ? { matchLabels: { app: dice.pick(APPS) } } : selector(dice) },
    status: {
      disruptionsAllowed: dice.upTo(3),
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
      ...dice.maybe(20, () => ({
        disruptedPods: { 'pod-0': '2026-01-01T00:00:00Z', 'pod-3': '2026-01-01T00:00:00Z' },
      })),
    },
  };
}

interface Storage {
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
}

function storage(dice: Dice, nodes: number): Storage {
  const volumes: PersistentVolume[] = [];
  const claims: PersistentVolumeClaim[] = [];
  for (let index = 0; index < 3; index++) {
    const name = `claim-${index}`;
    const namespace = dice.pick(['default', 'default', 'team-a']);
    const accessModes = [dice.pick(['ReadWriteOnce', 'ReadWriteOnce', 'ReadWriteOncePod'])];
    const kind = dice.pick(['bound', 'bound', 'bound', 'lost', 'waiting', 'unbound'] as const);
    const storageClassName = kind === 'waiting' ? 'later' : 'now';
    const isBound = kind === 'bound' || kind === 'lost';
    claims.push({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace, ...(isBound ? { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } : {}) },
      spec: {
        accessModes,
        storageClassName,
        resources: { requests: { storage: '5Gi' } },
        ...(isBound ? { volumeName: `volume-${index}` } : {}),
      },
      status: { phase: isBound ? 'Bound' : 'Pending' },
    });
    if (kind === 'lost' || kind === 'unbound') continue;
    // What waits for its pod finds volumes, all of them too small.
    volumes.push(volumeOf(dice, index, nodes, accessModes, kind === 'bound' ? '5Gi' : '1Gi', storageClassName));
  }
  return { volumes, claims };
}

function volumeOf(
  dice: Dice,
  index: number,
  nodes: number,
  accessModes: string[],
  size: string,
  storageClassName: string,
): PersistentVolume {
  const expression = dice.chance(50)
    ? { key: ZONE, operator: 'In', values: [dice.pick(ZONES)] }
    : { key: HOSTNAME, operator: 'In', values: [`node-${dice.upTo(nodes)}`, `node-${dice.upTo(nodes)}`] };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `volume-${index}`, ...dice.maybe(30, () => ({ labels: { [ZONE]: dice.pick(ZONES) } })) },
    spec: {
      capacity: { storage: size },
      accessModes,
      storageClassName,
      persistentVolumeReclaimPolicy: 'Retain',
      csi: { driver: 'csi.example.com', volumeHandle: `handle-${index}` },
      ...dice.maybe(70, () => ({
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
      })),
    },
  };
}

const service = (dice: Dice, index: number): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: `service-${index}`, namespace: dice.pick(['default', 'team-a']) },
  spec: { clusterIP: 'None', selector: { app: dice.pick(APPS) } },
});

/** What may happen to a cluster while pods wait in it. */
function happening(dice: Dice, nodes: number, pods: readonly Pod[], coming: readonly Pod[]): SchedulerStep {
  const node = `node-${dice.upTo(nodes)}`;
  const victim = pods.length === 0 ? undefined : dice.pick(pods).metadata;
  const gone = { namespace: victim?.namespace ?? 'default', pod: victim?.name ?? 'nobody' };
  const waiting = coming.length === 0 ? undefined : dice.pick(coming);
  const waits = { namespace: waiting?.metadata.namespace ?? 'default', pod: waiting?.metadata.name ?? 'nobody' };
  const choices: readonly (() => SchedulerStep)[] = [
    () => ({ do: 'patch-node', node, body: { spec: { taints: taints(dice, 2) as unknown as JsonObject[] } } }),
    () => ({ do: 'patch-node', node, body: { spec: { taints: null, unschedulable: null } } }),
    () => ({ do: 'patch-node', node, body: { spec: { unschedulable: true } } }),
    () => ({ do: 'patch-node', node, body: { metadata: { labels: { disk: dice.pick(['ssd', 'hdd', null]) } } } }),
    () => ({ do: 'patch-node', node, body: { metadata: { labels: { [ZONE]: dice.pick([...ZONES, null]) } } } }),
    () => ({ do: 'patch-node', node, subresource: 'status', body: { status: { allocatable: allocatable(dice) } } }),
    () => ({ do: 'add-node', node: nodeOf(dice, nodes) }),
    () => ({ do: 'delete-node', node }),
    () => ({ do: 'delete-pod', ...gone }),
    () => ({ do: 'delete-pod', ...gone }),
    () => ({ do: 'end-pod', ...gone, phase: dice.pick(['Failed', 'Succeeded'] as const) }),
    () => ({ do: 'patch-pod', ...gone, body: { metadata: { labels: { app: dice.pick([...APPS, null]) } } } }),
    () => ({ do: 'patch-pod', ...waits, body: { spec: { schedulingGates: null } } }),
    () => ({ do: 'patch-pod', ...waits, body: { metadata: { labels: { app: dice.pick([...APPS, null]) } } } }),
    () => ({ do: 'delete-pod', ...waits }),
    () => ({ do: 'finish-deletions' }),
  ];
  return dice.pick(choices)();
}

/**
 * No two pods of a node begin with the same host port: kube-scheduler, which would never put them there, takes the port for
 * free when the first of them leaves.
 */
function withoutCollisions(pods: readonly Pod[]): readonly Pod[] {
  const taken = new Set<string | undefined>();
  return pods.map((pod) => {
    const { nodeName, containers, initContainers } = pod.spec;
    const strip = (given: Container): Container => {
      const { ports, ...bare } = given;
      if (ports === undefined || !taken.has(nodeName)) {
        if (ports !== undefined) taken.add(nodeName);
        return given;
      }
      return bare;
    };
    const stripped = {
      containers: containers.map(strip),
      ...(initContainers && { initContainers: initContainers.map(strip) }),
    };
    return { ...pod, spec: { ...pod.spec, ...stripped } };
  });
}

/** Nodes that differ in their names only, so that chance has something to decide. */
function alike(nodes: readonly Node[]): readonly Node[] {
  const [first] = nodes;
  if (first === undefined) return nodes;
  return nodes.map(({ metadata }) => {
    const labels = { ...first.metadata.labels, [HOSTNAME]: metadata.name };
    return { ...first, metadata: { ...metadata, labels } };
  });
}

export function generateSchedulerCase(seed: string): SchedulerCase {
  const dice = createDice(seed);
  const count = 1 + dice.upTo(6);
  const made = Array.from({ length: count }, (_, index) => nodeOf(dice, index));
  const isAlike = dice.chance(25);
  const nodes = isAlike ? alike(made) : made;
  const most = isAlike ? dice.pick([0, 3]) : dice.pick([4, 14]);
  const pods = withoutCollisions(dice.some(most, (index) => placedPod(dice, index, count)));
  const { volumes, claims } = dice.chance(25) ? storage(dice, count) : { volumes: [], claims: [] };
  const coming = Array.from({ length: 1 + dice.upTo(4) }, (_, index) => comingPod(dice, index, count, claims));
  const steps: SchedulerStep[] = coming.map((pod) => ({ do: 'schedule', pod }));
  for (let index = dice.upTo(4); index > 0; index--) steps.push(happening(dice, count, pods, coming));
  if (dice.chance(60)) steps.push({ do: 'finish-deletions' });
  const probe = comingPod(dice, 90, count, claims);
  if (dice.chance(35)) steps.splice(dice.upTo(steps.length + 1), 0, { do: 'probe', pod: probe });
  return {
    nodes,
    pods,
    budgets: dice.some(2, (index) => budget(dice, index)),
    volumes,
    claims,
    services: dice.chance(25) ? [service(dice, 0), service(dice, 1)] : [],
    steps,
  };
}
