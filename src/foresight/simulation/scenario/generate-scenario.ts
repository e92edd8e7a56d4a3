/** A scenario made up from a seed: a small cluster, a few daemons, and many actions on them. */
import { UNRESERVED_TAINT } from '../../../core/api/names.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import type { PriorityClass } from '../../../core/api/types/scheduling-v1.ts';
import { createSeededRandom, type SeededRandom } from '../../../machinery/random/seeded-random.ts';
import { generateOrders } from './generate-orders.ts';
import { DEFAULT_SETTLE_MS, type Action, type Scenario, type Step } from './scenario.ts';

const SPAN_MS = 150_000;
const GROUPS = ['worker', 'edge'];
const DAEMONS = ['agent', 'logger', 'cni'];

export function generateScenario(seed: number): Scenario {
  const random = createSeededRandom(`${seed}/scenario`);
  const pick = <T>(values: readonly T[], dice: SeededRandom = random): T => {
    const value = values[dice.integer(values.length)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  };
  const contended = random.integer(3) === 0;
  const daemons = DAEMONS.slice(0, 1 + random.integer(DAEMONS.length));
  const nodes = GROUPS.slice(0, 1 + random.integer(GROUPS.length)).map((name) => ({
    name,
    count: 1 + random.integer(5),
    labels: { pool: name },
    capacity: { cpu: contended ? '1' : '64', memory: '64Gi', pods: '110' },
    ...(random.integer(2) === 0 ? {} : { podStartDelay: pick(['200ms', '3s', '12s']) }),
  }));
  const objects: KubeObject[] = [
    priorityClass('low', 1),
    priorityClass('high', 1_000),
    ...daemons.map((name) => daemon(name, random.fork(`daemon ${name}`))),
  ];
  const count = 3 + random.integer(10);
  const steps = Array.from({ length: count }, (_, index): Step => {
    const dice = random.fork(`step ${index}`);
    return {
      at: dice.integer(SPAN_MS),
      action: anyAction(
        dice,
        daemons,
        nodes.map(({ name }) => name),
      ),
    };
  });
  const plain = { name: `generated-${seed}`, nodes, objects, steps, contended, settleWithinMs: DEFAULT_SETTLE_MS };
  return createSeededRandom(`${seed}/orders?`).integer(2) === 0 ? plain : withOrders(plain, seed);
}

/** The same scenario with Orders beside the daemons. */
function withOrders(plain: Scenario, seed: number): Scenario {
  const orders = generateOrders(createSeededRandom(`${seed}/orders`), SPAN_MS);
  return {
    ...plain,
    actors: ['*', 'reservation'],
    nodes: plain.nodes.map((group) => ({ ...group, taints: [{ key: UNRESERVED_TAINT, effect: 'NoSchedule' }] })),
    objects: [...plain.objects, ...orders.objects],
    steps: [...plain.steps, ...orders.steps],
  };
}

const priorityClass = (name: string, value: number): PriorityClass => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
});

/** A daemon as people write them, some with a budget, some with a surge, some for a part of the nodes. */
export function daemon(name: string, dice: SeededRandom): DaemonSet {
  const labels = { app: name };
  const strategy = STRATEGIES[dice.integer(STRATEGIES.length)];
  const stopDelay = ['0s', '0s', '5s'][dice.integer(3)] ?? '0s';
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      ...(strategy === undefined ? {} : { updateStrategy: strategy }),
      ...(dice.integer(4) === 0 ? { minReadySeconds: 1 + dice.integer(10) } : {}),
      template: {
        metadata: { name: '', labels, annotations: { 'everynode.dev/stop-delay': stopDelay } },
        spec: {
          ...(dice.integer(3) === 0 ? { nodeSelector: { pool: 'worker' } } : {}),
          ...(dice.integer(3) === 0 ? { tolerations: [{ key: 'dedicated', operator: 'Exists' }] } : {}),
          ...(dice.integer(3) === 0 ? { priorityClassName: 'high' } : {}),
          containers: [
            { name: 'main', image: `example.com/${name}:1`, resources: { requests: { cpu: '100m', memory: '64Mi' } } },
          ],
        },
      },
    },
  };
}

const STRATEGIES: readonly (DaemonSet['spec']['updateStrategy'] | undefined)[] = [
  undefined,
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2, maxSurge: 0 } },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '30%', maxSurge: 0 } },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '50%' } },
  { type: 'OnDelete' },
];

type Maker = (dice: SeededRandom, daemon: string, group: string) => Action;
const version = (dice: SeededRandom): number => 2 + dice.integer(3);
const taint =
  (effect: string): Maker =>
  () => ({ do: 'taint', node: 'any', taint: { key: 'dedicated', value: 'gpu', effect } });

/** Frequent actions stand more than once. */
const MAKERS: readonly Maker[] = [
  (dice, name) => ({ do: 'image', daemon: name, image: `example.com/${name}:${version(dice)}` }),
  (dice, name) => ({ do: 'image', daemon: name, image: `example.com/${name}:${version(dice)}` }),
  (_, name) => ({ do: 'rollback', daemon: name }),
  (_, name) => ({ do: 'kill', daemon: name, node: 'any' }),
  () => ({ do: 'kill', node: 'any' }),
  (dice, _, group) => ({ do: 'join', group, count: 1 + dice.integer(3) }),
  () => ({ do: 'fail', node: 'any' }),
  () => ({ do: 'recover', node: 'any' }),
  (dice) => ({ do: 'flap', node: 'any', times: 1 + dice.integer(3), everyMs: 1_000 + dice.integer(20_000) }),
  () => ({ do: 'cordon', node: 'any' }),
  () => ({ do: 'uncordon', node: 'any' }),
  () => ({ do: 'drain', node: 'any' }),
  () => ({ do: 'remove', node: 'any' }),
  () => ({ do: 'recreate', node: 'any' }),
  taint('NoSchedule'),
  taint('NoExecute'),
  () => ({ do: 'untaint', node: 'any', key: 'dedicated' }),
  (dice) => ({ do: 'label', node: 'any', labels: { pool: ['worker', 'edge', ''][dice.integer(3)] ?? '' } }),
  (dice) => ({
    do: 'workload',
    name: 'web',
    count: 1 + dice.integer(6),
    cpu: '300m',
    priorityClass: ['low', 'high'][dice.integer(2)] ?? 'low',
    spread: dice.integer(4) === 0,
  }),
  (dice) => ({ do: 'workload', name: 'job', count: 1 + dice.integer(4), cpu: '200m', exitAfter: '20s' }),
  (dice) => ({ do: 'finish', workload: 'web', count: 1 + dice.integer(4) }),
  (dice, name) => ({
    do: 'patch',
    kind: 'DaemonSet',
    name,
    // A merge keeps fields that it does not name.
    merge: {
      spec: { updateStrategy: { rollingUpdate: null, ...STRATEGIES[1 + dice.integer(STRATEGIES.length - 1)] } as Json },
    },
  }),
  (_, name) => ({ do: 'delete', kind: 'DaemonSet', name }),
  (dice, name) => ({ do: 'apply', object: daemon(name, dice) }),
];

function anyAction(dice: SeededRandom, daemons: readonly string[], groups: readonly string[]): Action {
  const name = daemons[dice.integer(daemons.length)] ?? 'agent';
  const group = groups[dice.integer(groups.length)] ?? 'worker';
  const make = MAKERS[dice.integer(MAKERS.length)] ?? MAKERS[0];
  if (make === undefined) throw new RangeError('no actions to choose from');
  return make(dice, name, group);
}
