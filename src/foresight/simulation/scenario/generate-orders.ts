/** Orders made up from a seed, and actions on them. They come to rest in the end: nothing goes on happening by the clock. */
import { RESERVATION_ANNOTATIONS } from '../../../core/api/names.ts';
import type { Order, OrderSpec } from '../../../core/api/types/korder-v1alpha1.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { SeededRandom } from '../../../machinery/random/seeded-random.ts';
import type { Action, Step } from './scenario.ts';

const NAMES = ['room', 'scan', 'spare'];

export interface GeneratedOrders {
  readonly objects: readonly Order[];
  readonly steps: readonly Step[];
}

/** @param spanMs in which the actions happen; the Orders are put to rest after it. */
export function generateOrders(dice: SeededRandom, spanMs: number): GeneratedOrders {
  const names = NAMES.slice(0, 1 + dice.integer(NAMES.length));
  const objects = names.map((name) => anyOrder(name, dice.fork(`order ${name}`)));
  const steps = Array.from({ length: 2 + dice.integer(7) }, (_, index): Step => {
    const own = dice.fork(`step ${index}`);
    const order = objects[own.integer(objects.length)] ?? objects[0];
    const make = MAKERS[own.integer(MAKERS.length)] ?? MAKERS[0];
    if (order === undefined || make === undefined) throw new RangeError('nothing to choose from');
    return { at: own.integer(spanMs), action: make(own, order) };
  });
  // Twice: an Order that is being deleted may come again later than it was applied.
  const rest = [60_000, 180_000].flatMap((later) =>
    objects.map(({ metadata, spec }): Step => ({
      at: spanMs + later,
      action: { do: 'patch', kind: 'Order', name: metadata.name, merge: { spec: atRest(spec) } },
    })),
  );
  return { objects, steps: [...steps, ...rest] };
}

const pick = <T>(dice: SeededRandom, values: readonly T[]): T => {
  const value = values[dice.integer(values.length)];
  if (value === undefined) throw new RangeError('nothing to pick from');
  return value;
};

/** An Order as people write them: for every node or for a number, for a day or for half a minute, by the clock or not. */
function anyOrder(name: string, dice: SeededRandom): Order {
  const type = pick(dice, ['OneTime', 'OneTime', 'Scheduled', 'Recurring']);
  const isForNodes = dice.integer(3) > 0;
  const grace = pick(dice, ['', '', '20s', '1s']);
  return {
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Order',
    metadata: {
      name,
      namespace: 'default',
      ...(grace === '' ? {} : { annotations: { [RESERVATION_ANNOTATIONS.nodeGrace]: grace } }),
    },
    spec: {
      ...(isForNodes ? { daemonSet: true } : { replicas: 1 + dice.integer(4) }),
      ...(dice.integer(4) === 0 ? { minReadySeconds: 1 + dice.integer(10) } : {}),
      strategy: {
        type,
        ...(type === 'OneTime' ? {} : { schedule: pick(dice, ['* * * * *', '*/2 * * * *']) }),
        refreshPolicy: pick(dice, ['OnClaim', 'OnClaim', 'Always', 'Never']),
      },
      template: {
        spec: {
          ...(dice.integer(2) === 0 ? {} : { duration: pick(dice, ['20s', '45s', '90s', '12h']) }),
          ...(dice.integer(2) === 0 ? {} : { ttlSecondsAfterFinished: pick(dice, [0, 15, 60]) }),
          ...(dice.integer(3) === 0 ? { nodeSelector: { pool: 'worker' } } : {}),
          ...(dice.integer(3) === 0 ? { tolerations: [pick(dice, TOLERATIONS)] } : {}),
          resources: { requests: { cpu: pick(dice, ['50m', '200m']), memory: '64Mi' } },
        },
      },
    },
  };
}

const TOLERATIONS = [
  { key: 'dedicated', operator: 'Exists' },
  { key: 'dedicated', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 15 },
];

const REST_SCHEDULE = '0 0 1 6 *';

/** The changes after which only an end within the day, or none, is left. */
const atRest = ({ strategy }: OrderSpec): { readonly [field: string]: Json } => ({
  template: { spec: { duration: '24h' } },
  ...(strategy?.schedule === undefined ? {} : { strategy: { schedule: REST_SCHEDULE } }),
});

type Maker = (dice: SeededRandom, order: Order) => Action;
const patch =
  (spec: (dice: SeededRandom, order: Order) => Json): Maker =>
  (dice, order) => ({ do: 'patch', kind: 'Order', name: order.metadata.name, merge: { spec: spec(dice, order) } });
const template = (part: (dice: SeededRandom) => Json): Maker => patch((dice) => ({ template: { spec: part(dice) } }));

/** Frequent actions stand more than once. */
const MAKERS: readonly Maker[] = [
  template((dice) => ({ duration: pick(dice, ['25s', '60s', '6h']) })),
  template((dice) => ({ resources: { requests: { cpu: pick(dice, ['100m', '250m']) } } })),
  template(() => ({ tolerations: [{ key: 'dedicated', operator: 'Exists' }] })),
  template((dice) => ({ nodeSelector: { pool: pick(dice, ['worker', 'edge']) } })),
  patch(() => ({ paused: true })),
  patch(() => ({ paused: false })),
  patch(() => ({ paused: false })),
  patch((dice, { spec }) => (spec.daemonSet === true ? { minReadySeconds: 5 } : { replicas: dice.integer(5) })),
  patch((dice) => ({ strategy: { refreshPolicy: pick(dice, ['OnClaim', 'Always', 'Never']) } })),
  (_, { metadata }) => ({ do: 'kill', order: metadata.name, node: 'any' }),
  (_, { metadata }) => ({ do: 'kill', order: metadata.name }),
  (_, { metadata }) => ({ do: 'delete', kind: 'Order', name: metadata.name }),
  (dice, { metadata }) => ({
    do: 'delete',
    kind: 'Order',
    name: metadata.name,
    propagation: pick(dice, ['Foreground', 'Orphan']),
  }),
  (_, order) => ({ do: 'apply', object: order }),
  (dice) => ({ do: 'crash', actor: 'reservation', downMs: 1 + dice.integer(40_000) }),
  (dice) => ({ do: 'jump', byMs: pick(dice, [-90_000, -20_000, 15_000, 100_000, 3_600_000]) }),
  (dice) => ({ do: 'jump', byMs: pick(dice, [-90_000, -20_000, 15_000, 100_000, 3_600_000]) }),
  (dice) => ({
    do: 'workload',
    name: 'vital',
    count: 1 + dice.integer(3),
    cpu: '500m',
    priorityClass: 'system-node-critical',
  }),
];
