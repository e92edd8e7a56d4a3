/**
 * One cluster a side for all cases, one case after the other, because a scheduler counts every node in what it says. Where
 * several nodes are worth the same, chance decides: then ours must have chosen one that is worth as much to Kubernetes, and
 * its pod is put where theirs is, so that both go on from the same state.
 */
import {
  EVENTS,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  PRIORITY_CLASSES,
  SERVICE_ACCOUNTS,
  SERVICES,
  STORAGE_CLASSES as STORAGE_CLASS_KIND,
} from '../../../src/core/api/registry/resources.ts';
import type { Pod } from '../../../src/core/api/types/core-v1.ts';
import type { KubeObject, Resource } from '../../../src/core/kube/objects.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { NAMESPACE_LABELS, PRIORITIES, type SchedulerCase, STORAGE_CLASSES } from './scheduler-case.ts';
import { sentAgain } from './sent-again.ts';
import { refusalOf, startSides, type Side, type Sides } from './side.ts';

const SENTINELS = 'sentinels';
const LAST = 'last';
/** How long the one waits for the other to decide the same pod: by itself, and when it was asked anew. */
const THINKS_MS = 2_500;
const OTHER_DECIDES_MS = 5_000;

/** A node that was not the best, by Kubernetes' own count. */
interface WrongChoice {
  readonly pod: string;
  readonly kubernetes: string;
  readonly everynode: string;
  readonly scores: { readonly [node: string]: number };
}

export interface SchedulerStage extends Sides {
  /** Decisions between nodes that were worth the same. */
  readonly ties: number;
  /** Pods that ours tried again when something had changed, and kube-scheduler would have left for minutes. */
  readonly woken: number;
  /** Forgets those told already. */
  wrongChoices(): readonly WrongChoice[];
  setUp(side: Side, world: SchedulerCase): Promise<readonly string[]>;
  /** Returns when the scheduler has dealt with everything that was done before, has bound what it placed, and sees so many nodes. */
  settle(side: Side, nodes: number): Promise<void>;
  clear(side: Side): Promise<void>;
}

const nameOf = ({ namespace = '', name }: { namespace?: string; name: string }): string => `${namespace}/${name}`;

export async function startSchedulerStage(): Promise<SchedulerStage> {
  const wrong: WrongChoice[] = [];
  const scores = new Map<string, { readonly [node: string]: number }>();
  let ties = 0;
  let woken = 0;
  let plays = 0;
  let sentinels = 0;
  /** Pods of ours that have a node, and are held back until Kubernetes has chosen too. */
  const heldBack = new Set<Promise<void>>();
  /** How many of them went to another node than ours had chosen. */
  let moved = 0;

  function readScores(kubernetes: Side): void {
    const line = /Calculated node's final score for pod" pod="([^"]+)" node="([^"]+)" score=(\d+)/g;
    for (const [, pod = '', node = '', score] of kubernetes.log().matchAll(line)) {
      const known = scores.get(pod);
      // A node told of again: the pod was tried again.
      scores.set(
        pod,
        known === undefined || node in known ? { [node]: Number(score) } : { ...known, [node]: Number(score) },
      );
    }
  }

  /**
   * Where the pod is to go, so that both sides are alike. When others were moved after ours had decided, it decided in another
   * cluster than this: then Kubernetes is right.
   */
  async function agree(
    pod: { namespace?: string; name: string },
    chosen: string,
    movedBefore: number,
  ): Promise<string> {
    const { kubernetes } = await sides.promise;
    const began = plays;
    const there = (): string => kubernetes.pods.get(pod.name, pod.namespace)?.spec.nodeName ?? '';
    if (!(await kubernetes.sees(() => there() !== '', THINKS_MS))) {
      // Kubernetes may not have noticed that it could try again; asked anew, it must come to the same.
      woken += 1;
      await askAnew(kubernetes, pod);
      if (!(await kubernetes.sees(() => there() !== '', OTHER_DECIDES_MS))) {
        if (moved !== movedBefore) throw new Error('others were moved since; decide again');
        return chosen;
      }
    }
    const wanted = there();
    // Of a case that is over.
    if (wanted === chosen || began !== plays) return chosen;
    const isOutdated = moved !== movedBefore;
    moved += 1;
    if (isOutdated) return wanted;
    readScores(kubernetes);
    const worth = scores.get(nameOf(pod)) ?? {};
    if (worth[chosen] === undefined || worth[chosen] !== worth[wanted])
      wrong.push({ pod: nameOf(pod), kubernetes: wanted, everynode: chosen, scores: worth });
    else ties += 1;
    return wanted;
  }

  const agreeing = (client: Client): Client => ({
    ...client,
    bind(pod, nodeName, options) {
      if (pod.namespace === SENTINELS) return client.bind(pod, nodeName, options);
      const movedBefore = moved;
      // One after the other, as ours decided them: asked anew at the same time, Kubernetes would not see the one beside the other.
      const bound = Promise.allSettled(heldBack)
        .then(() => agree(pod, nodeName, movedBefore))
        .then((node) => client.bind(pod, node, options));
      heldBack.add(bound);
      return bound.finally(() => heldBack.delete(bound));
    },
  });
  const sides = Promise.withResolvers<Sides>();
  const started = await startSides({ scheduler: agreeing });
  sides.resolve(started);
  await started.both((side) => prepare(side.client));

  /** Answers what the scheduler says of a pod that can go nowhere. */
  async function sentinel(side: Side): Promise<string> {
    const name = `sentinel-${(sentinels += 1)}`;
    await side.client.create(PODS, sentinelPod(name));
    const told = (): string | undefined =>
      side.pods.get(name, SENTINELS)?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
    const isTold = await side.sees(() => told() !== undefined);
    if (!isTold) throw new Error(`the scheduler of ${side.name} does not answer`);
    const message = told() ?? '';
    await side.client.delete(PODS, { namespace: SENTINELS, name }, { gracePeriodSeconds: 0 });
    return message;
  }

  return {
    ...started,
    get ties() {
      return ties;
    },
    get woken() {
      return woken;
    },
    wrongChoices: () => wrong.splice(0),
    async settle(side, nodes) {
      // The second finds what the first left to be tried after a pause.
      const start = nodes === 0 ? 'no nodes' : `0/${nodes} `;
      for (let seen = 0, tries = 0; seen < 2; tries++) {
        const said = await sentinel(side);
        // What is held back counts as placed for ours alone. Were the next step taken now, the two would choose in different
        // clusters, and everything else would be told of a pod that nobody sees on its node.
        if (side.name === 'everynode' && heldBack.size > 0) {
          await Promise.allSettled(heldBack);
          seen = 0;
        } else if (said.startsWith(start)) seen += 1;
        else if (tries > 200) throw new Error(`the scheduler of ${side.name} does not see ${nodes} nodes: ${said}`);
      }
    },
    setUp: (side, world) => setUp(side.client, world),
    async clear(side) {
      plays += 1;
      await clear(side.client);
      if (side.name === 'kubernetes') {
        side.log();
        scores.clear();
      }
      await side.sees(() => [...side.pods.list()].length === 0);
    },
  };
}

const isDecided = (pod: Pod | undefined): boolean =>
  (pod?.spec.nodeName ?? '') !== '' || (pod?.status?.conditions?.some(({ type }) => type === 'PodScheduled') ?? false);

/** The pod is taken away and comes again, so that it is looked at as if nobody had seen it before. */
export async function askAnew(
  side: Side,
  { namespace = '', name }: { namespace?: string; name: string },
): Promise<void> {
  const pod = side.pods.get(name, namespace);
  if (pod === undefined) return;
  const { uid } = pod.metadata;
  await side.client.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 });
  await side.client.create(PODS, sentAgain(pod));
  const isAnother = (): boolean => (side.pods.get(name, namespace)?.metadata.uid ?? uid) !== uid;
  await side.sees(() => isAnother() && isDecided(side.pods.get(name, namespace)));
}

const sentinelPod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: SENTINELS },
  spec: {
    priorityClassName: LAST,
    automountServiceAccountToken: false,
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['nowhere'] }] }],
        },
      },
    },
    containers: [{ name: 'main', image: 'example.com/sentinel' }],
  },
});

/** What every case finds. */
async function prepare(client: Client): Promise<void> {
  for (const [name, labels] of Object.entries({ ...NAMESPACE_LABELS, [SENTINELS]: {} })) {
    const metadata = { name, labels };
    if (name !== 'default')
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
    const account = { name: 'default', namespace: name };
    await refusalOf(client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account }));
  }
  for (const [name, value] of Object.entries({ ...PRIORITIES, [LAST]: -1_000_000 }))
    await client.create(PRIORITY_CLASSES, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      preemptionPolicy: name === LAST || name.endsWith('kind') ? 'Never' : 'PreemptLowerPriority',
    });
  for (const [name, volumeBindingMode] of Object.entries(STORAGE_CLASSES))
    await client.create(STORAGE_CLASS_KIND, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode,
    });
}

/** Creates the object; its status, which the server does not take with it, afterwards. Answers why it was refused. */
async function make<T extends KubeObject & { readonly status?: object }>(
  client: Client,
  resource: Resource<T>,
  object: T,
): Promise<string | undefined> {
  const { status, ...bare } = object;
  const { name, namespace } = object.metadata;
  return refusalOf(
    (async () => {
      await client.create(resource, bare as T);
      if (status === undefined) return;
      const key = namespace === undefined ? { name } : { namespace, name };
      const body = { status: status as { [key: string]: never } };
      await client.patch(resource, key, { type: 'merge', body }, { subresource: 'status' });
    })(),
  );
}

/** Answers what was refused, and why. */
async function setUp(client: Client, world: SchedulerCase): Promise<readonly string[]> {
  const refusals: (string | undefined)[] = [];
  // One after the other: of an image that nodes report with different sizes, the first size seen is believed.
  for (const node of world.nodes) refusals.push(await refusalOf(client.create(NODES, node)));
  const storage = [
    ...world.volumes.map((volume) => make(client, PERSISTENT_VOLUMES, volume)),
    ...world.claims.map((claim) => make(client, PERSISTENT_VOLUME_CLAIMS, claim)),
    ...world.services.map((service) => make(client, SERVICES, service)),
    ...world.budgets.map((budget) => make(client, POD_DISRUPTION_BUDGETS, budget)),
  ];
  refusals.push(...(await Promise.all([...storage, ...world.pods.map((pod) => make(client, PODS, pod))])));
  return refusals.filter((refusal) => refusal !== undefined);
}

const GONE = { gracePeriodSeconds: 0 };

async function clear(client: Client): Promise<void> {
  const within = [PODS, POD_DISRUPTION_BUDGETS, PERSISTENT_VOLUME_CLAIMS, SERVICES, EVENTS] as readonly Resource[];
  await client.deleteCollection(NODES);
  await client.deleteCollection(PERSISTENT_VOLUMES);
  await Promise.all(
    [...Object.keys(NAMESPACE_LABELS), SENTINELS].map(async (namespace) => {
      for (const resource of within) {
        if (resource.resource !== 'services') await client.deleteCollection(resource, { ...GONE, namespace });
        else {
          const { items } = await client.list(SERVICES, { namespace });
          for (const { metadata } of items)
            if (metadata.name !== 'kubernetes') await client.delete(SERVICES, { namespace, name: metadata.name });
        }
      }
    }),
  );
}
