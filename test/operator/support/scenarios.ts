/**
 * For each controller what makes it use every right it has, with the accidents that some of them are there for. Nothing waits
 * for the outcome here: with a right less there is none.
 */
import {
  CLAIM_ANNOTATIONS,
  CLAIM_SCHEDULER,
  ROLLOUT_ANNOTATIONS as ANNOTATION,
  UNRESERVED_TAINT,
} from '../../../src/core/api/names.ts';
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  EVENTS,
  EVENTS_IN_EVENTS_GROUP,
  NODES,
  ORDERS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  PRIORITY_CLASSES,
  STORAGE_CLASSES,
  TICKETS,
} from '../../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../../src/core/api/types/apps-v1.ts';
import type { Event, Pod, PodSpec } from '../../../src/core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../src/core/api/types/korder-v1alpha1.ts';
import { claimingStatus } from '../../../src/core/daemons/ticket-claim.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { isStatus, StatusError } from '../../../src/core/kube/status-error.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { losesFirst } from './watched-operator.ts';

export interface Scenario {
  readonly feature: string;
  /** On a cluster whose DaemonSets are run by somebody else, or by nobody; or one with definitions of Orders that nobody keeps. */
  readonly ground: 'driven' | 'bare' | 'defined';
  through(client: Client): Client;
  /** Begins something new, in a cluster where others may be left from before. */
  begin(admin: Client): Promise<void>;
  /** Moves things on where time alone does not; asked again and again. */
  nudge?(admin: Client): Promise<void>;
  /** More of the same, for what happens only then: what was told often enough is told once more. */
  again?(admin: Client): Promise<void>;
  /** Whether all has come about that was begun last. */
  isDone(admin: Client): Promise<boolean>;
}

/** More than ten events of a kind are told as one that repeats. */
export const NODE_COUNT = 14;
const namespace = 'default';
let count = 0;
let poked = '';

const lost = new StatusError(500, 'InternalError', 'the answer was lost');
const exists = new StatusError(409, 'AlreadyExists', 'it is there already');
const container = (image: string) => ({ name: 'main', image });

const daemonSet = (name: string, spec: Partial<DaemonSet['spec']>, annotations = {}): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace, annotations },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } } as unknown as DaemonSet['metadata'],
      spec: {
        terminationGracePeriodSeconds: 0,
        tolerations: [{ operator: 'Exists' }],
        containers: [container('example.test/agent:1')],
      },
    },
    ...spec,
  },
});

const setImage = (admin: Client, name: string, image: string): Promise<Stored<DaemonSet>> =>
  admin.patch(
    DAEMON_SETS,
    { namespace, name },
    { type: 'strategic', body: { spec: { template: { spec: { containers: [container(image)] } } } } },
  );

const podsOf = async (admin: Client, name: string): Promise<readonly Stored<Pod>[]> =>
  (await admin.list(PODS, { namespace, labelSelector: `app=${name}` })).items;

const pod = (name: string, spec: Partial<PodSpec>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: { terminationGracePeriodSeconds: 0, containers: [container('example.test/web:1')], ...spec },
});

const hasRepeated = async (admin: Client, reason: string, name: string): Promise<boolean> =>
  (await admin.list(EVENTS, { namespace })).items.some(
    (event) => event.reason === reason && event.involvedObject.name === name && (event.count ?? 0) > 1,
  );

const DRIVEN = 'driven';

export const rolloutDriver: Scenario = {
  feature: 'rollout-driver',
  ground: 'driven',
  through: (client) => ({
    ...client,
    delete: losesFirst(client.delete, (resource) => resource.resource === 'pods', lost),
  }),
  async begin(admin) {
    const annotations = {
      [ANNOTATION.driver]: 'true',
      [ANNOTATION.driverMaxUnavailable]: '50%',
      [ANNOTATION.canary]: '1',
      [ANNOTATION.canaryFor]: '1s',
    };
    await admin
      .create(DAEMON_SETS, daemonSet(DRIVEN, { updateStrategy: { type: 'OnDelete' } }, annotations))
      .catch((error: unknown) => {
        if (!isStatus(error, 'AlreadyExists')) throw error;
      });
    while ((await admin.get(DAEMON_SETS, { namespace, name: DRIVEN })).status?.numberAvailable !== NODE_COUNT)
      await new Promise((resolve) => setTimeout(resolve, 100));
    count += 1;
    await setImage(admin, DRIVEN, `example.test/agent:${count}-driven`);
  },
  again: (admin) => rolloutDriver.begin(admin),
  async isDone(admin) {
    const pods = await podsOf(admin, DRIVEN);
    const isNew = pods.every((each) => each.spec.containers[0]?.image === `example.test/agent:${count}-driven`);
    return pods.length === NODE_COUNT && isNew && hasRepeated(admin, 'SuccessfulDelete', DRIVEN);
  },
};

export const daemonSets: Scenario = {
  feature: 'daemonset',
  ground: 'bare',
  through: (client) => ({
    ...client,
    create: losesFirst(
      losesFirst(client.create, (resource) => resource.resource === 'pods', exists),
      (resource) => resource.resource === 'controllerrevisions',
      exists,
    ),
  }),
  async begin(admin) {
    count += 1;
    const name = `agent-${count}`;
    // What a former DaemonSet of that name has left behind.
    const orphan = pod(`${name}-orphan`, {});
    await admin.create(PODS, { ...orphan, metadata: { ...orphan.metadata, labels: { app: name } } });
    await admin.create(CONTROLLER_REVISIONS, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: `${name}-old`, namespace, labels: { app: name } },
      data: { spec: {} },
      revision: 1,
    });
    await admin.create(DAEMON_SETS, daemonSet(name, { revisionHistoryLimit: 0 }));
  },
  async nudge(admin) {
    const name = `agent-${count}`;
    const set = await admin.get(DAEMON_SETS, { namespace, name });
    const isFirst = set.spec.template.spec?.containers[0]?.image === 'example.test/agent:1';
    if (!isFirst || set.status?.updatedNumberScheduled !== NODE_COUNT) return;
    if (poked === name) {
      if (await hasRepeated(admin, 'SuccessfulCreate', name)) await setImage(admin, name, 'example.test/agent:2');
      return;
    }
    // One pod more to make, after it has been written down that there were many: that is told anew, not written anew.
    const { items } = await admin.list(EVENTS, { namespace });
    const isWritten = ({ message = '', involvedObject }: Event): boolean =>
      involvedObject.name === name && message.startsWith('(combined');
    const [victim] = (await podsOf(admin, name)).filter((each) => !each.metadata.name.endsWith('-orphan'));
    if (victim === undefined || !items.some(isWritten)) return;
    poked = name;
    await admin.delete(PODS, { namespace, name: victim.metadata.name });
  },
  async isDone(admin) {
    const name = `agent-${count}`;
    const all = await podsOf(admin, name);
    const [orphan] = all.filter((each) => each.metadata.name.endsWith('-orphan'));
    const pods = all.filter((each) => each !== orphan);
    const set = await admin.get(DAEMON_SETS, { namespace, name });
    const revisions = await admin.list(CONTROLLER_REVISIONS, { namespace, labelSelector: `app=${name}` });
    return (
      pods.length === NODE_COUNT &&
      pods.every((each) => each.spec.containers[0]?.image === 'example.test/agent:2') &&
      orphan?.metadata.ownerReferences?.length !== 0 &&
      revisions.items.length === 1 &&
      set.status?.observedGeneration === set.metadata.generation &&
      set.status?.updatedNumberScheduled === NODE_COUNT
    );
  },
};

const there = (error: unknown): void => {
  if (!isStatus(error, 'AlreadyExists')) throw error;
};

/** @param own fields of all pods that it is to schedule. */
const schedulerScenario = (feature: string, ground: Scenario['ground'], own: Partial<PodSpec>): Scenario => ({
  feature,
  ground,
  through: (client) => ({ ...client, bind: losesFirst(client.bind, () => true, lost) }),
  async begin(admin) {
    count += 1;
    const at = count;
    const storage = (name: string, provisioner: string) => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner,
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    await admin.create(STORAGE_CLASSES, storage('there', 'kubernetes.io/no-provisioner')).catch(there);
    await admin.create(STORAGE_CLASSES, storage('made', 'example.test/disks')).catch(there);
    const vital = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'vital' },
      value: 1000,
    };
    await admin.create(PRIORITY_CLASSES, vital).catch(there);
    // One that has a place, one that no node takes, and one that another must make room for.
    await admin.create(PODS, pod(`plain-${at}`, own));
    const nobody = { labelSelector: { matchLabels: { app: 'nobody' } }, topologyKey: 'kubernetes.io/hostname' };
    await admin.create(
      PODS,
      pod(`homeless-${at}`, {
        ...own,
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [nobody] } },
      }),
    );
    const most = { containers: [{ ...container('example.test/web:1'), resources: { requests: { cpu: '3' } } }] };
    const nodeName = `node-${at % NODE_COUNT}`;
    await admin.create(PODS, pod(`lesser-${at}`, { ...most, nodeName }));
    await admin.create(
      PODS,
      pod(`vital-${at}`, {
        ...own,
        ...most,
        priorityClassName: 'vital',
        nodeSelector: { 'kubernetes.io/hostname': nodeName },
      }),
    );
    // A volume that is there, and one that somebody has yet to make.
    await admin.create(PERSISTENT_VOLUMES, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `there-${at}` },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'there',
        hostPath: { path: `/disks/${at}` },
      },
    });
    for (const storageClassName of ['there', 'made']) {
      const name = `${storageClassName}-${at}`;
      await admin.create(PERSISTENT_VOLUME_CLAIMS, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace },
        spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      await admin.create(
        PODS,
        pod(name, { ...own, volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: name } }] }),
      );
    }
  },
  /** It has other labels, which might make it welcome somewhere, and does not say any more why it waits: it is told again. */
  async nudge(admin) {
    const key = { namespace, name: `homeless-${count}` };
    const labels = { nudged: String(Date.now()) };
    const forgotten = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'forgotten' };
    const body = { status: { conditions: [forgotten] } };
    await admin.patch(PODS, key, { type: 'strategic', body }, { subresource: 'status' });
    await admin.patch(PODS, key, { type: 'merge', body: { metadata: { labels } } });
  },
  async isDone(admin) {
    const at = count;
    const get = (name: string) => admin.get(PODS, { namespace, name });
    const [plain, vital] = await Promise.all([get(`plain-${at}`), get(`vital-${at}`)]);
    const claim = await admin.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name: `made-${at}` });
    const volume = await admin.get(PERSISTENT_VOLUMES, { name: `there-${at}` });
    const events = await admin.list(EVENTS_IN_EVENTS_GROUP, { namespace });
    const isTold = (name: string): boolean =>
      events.items.some((event) => event.reason === 'Scheduled' && event.regarding?.name === `${name}-${at}`);
    return (
      ['plain', 'vital', 'there'].every(isTold) &&
      Boolean(plain.spec.nodeName) &&
      Boolean(vital.spec.nodeName) &&
      volume.spec.claimRef?.name === `there-${at}` &&
      claim.metadata.annotations?.['volume.kubernetes.io/selected-node'] !== undefined &&
      events.items.some((event) => event.regarding?.name === `homeless-${at}` && (event.series?.count ?? 0) > 1)
    );
  },
});

export const scheduler = schedulerScenario('scheduler', 'bare', {});

const ofClaimants = schedulerScenario('claim-scheduler', 'defined', { schedulerName: CLAIM_SCHEDULER });

/** A Ticket that is Reserved, as the reservation controller would have left it, and the pod that claims it. */
async function beginClaim(admin: Client, at: number): Promise<void> {
  const nodeName = `node-${at % NODE_COUNT}`;
  const guardian = `guardian-${at}`;
  await admin.create(PODS, pod(guardian, { nodeName }));
  const made = await admin.create(TICKETS, ticket(`claimed-${at}`, {}));
  const status = { phase: 'Reserved', nodeName, guardianPod: `${namespace}/${guardian}` };
  await admin.update(TICKETS, { ...made, status }, { subresource: 'status' });
  const claimant = pod(`claimant-${at}`, { schedulerName: CLAIM_SCHEDULER });
  const annotations = {
    [CLAIM_ANNOTATIONS.ticketRequest]: `claimed-${at}`,
    [CLAIM_ANNOTATIONS.claim]: 'Required',
  };
  await admin.create(PODS, { ...claimant, metadata: { ...claimant.metadata, annotations } });
}

const claimScheduler: Scenario = {
  ...ofClaimants,
  through: (client) => ({
    ...ofClaimants.through(client),
    update: losesFirst(client.update, ({ resource }) => resource === 'tickets', lost),
  }),
  async begin(admin) {
    await ofClaimants.begin(admin);
    await beginClaim(admin, count);
  },
  async isDone(admin) {
    const { status } = await admin.get(TICKETS, { namespace, name: `claimed-${count}` });
    return status?.phase === 'Claiming' && ofClaimants.isDone(admin);
  },
};

const reservedBy = (admin: Client, order: string): Promise<readonly Stored<Ticket>[]> =>
  admin
    .list(TICKETS, { namespace, labelSelector: `korder.dev/order=${order}` })
    .then(({ items }) => items.filter(({ status }) => status?.phase === 'Reserved'));

const room = { resources: { requests: { cpu: '10m' } } };
const order = (name: string, spec: Order['spec'], labels = {}): Order => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name, namespace },
  spec: {
    strategy: { type: 'OneTime', refreshPolicy: 'OnClaim' },
    ...spec,
    template: { metadata: { labels }, ...spec.template },
  },
});
const ticket = (name: string, spec: Ticket['spec'], labels = {}): Ticket => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: { name, namespace, labels },
  spec: { ...room, ...spec },
});

/** What the scheduler of claimants does. */
async function claimByHand(admin: Client, at: number): Promise<void> {
  const free = await admin.get(TICKETS, { namespace, name: `claimed-${at}` });
  if (free.status?.phase !== 'Reserved') return;
  const claimant = await admin.get(PODS, { namespace, name: `claimant-${at}` });
  await admin
    .update(TICKETS, { ...free, status: claimingStatus(free, claimant, Date.now()) }, { subresource: 'status' })
    .catch(() => undefined);
}

/** Whether the node of the present attempt was cordoned, and came back. */
let cordoned: 'no' | 'yes' | 'over' = 'no';

const reservation: Scenario = {
  feature: 'reservation',
  ground: 'defined',
  through: (client) => ({
    ...client,
    create: losesFirst(
      losesFirst(client.create, ({ resource }) => resource === 'pods', lost),
      ({ resource }) => resource === 'tickets',
      lost,
    ),
    update: losesFirst(client.update, ({ resource }) => resource === 'orders', lost),
  }),
  async begin(admin) {
    count += 1;
    cordoned = 'no';
    const at = count;
    const app = { app: `room-${at}` };
    // A Ticket made by hand, which an Order that selects it adopts beside one that it makes.
    await admin.create(TICKETS, ticket(`hand-${at}`, {}, app));
    const selector = { matchLabels: app };
    await admin.create(ORDERS, order(`picky-${at}`, { replicas: 2, selector, template: { spec: room } }, app));
    // Tickets that pass their guardian on to the next, on the one node that has the label.
    await admin.patch(
      NODES,
      { name: `node-${at % NODE_COUNT}` },
      { type: 'merge', body: { metadata: { labels: { reserved: String(at) } } } },
    );
    const spec = { ...room, duration: '2s', nodeSelector: { reserved: String(at) } };
    await admin.create(ORDERS, order(`every-${at}`, { daemonSet: true, template: { spec } }));
    // A Ticket that is handed over to a pod, which nobody else binds.
    await admin.create(TICKETS, ticket(`claimed-${at}`, {}));
    await admin.create(PODS, pod(`claimant-${at}`, { schedulerName: 'nobody' }));
    // A Ticket that ends, with its guardian, and goes.
    await admin.create(TICKETS, ticket(`short-${at}`, { duration: '2s', ttlSecondsAfterFinished: 0 }));
  },
  async nudge(admin) {
    await claimByHand(admin, count);
    const name = `node-${count % NODE_COUNT}`;
    const node = await admin.get(NODES, { name });
    const cordon = (unschedulable: boolean) =>
      admin.patch(NODES, { name }, { type: 'merge', body: { spec: { unschedulable } } });
    const every = (await admin.list(TICKETS, { namespace, labelSelector: `korder.dev/order=every-${count}` })).items;
    const isMarked = every.some(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === 'NodeEligible' && value === 'False'),
    );
    if (cordoned === 'no' && every.some(({ status }) => status?.phase === 'Reserved')) {
      cordoned = 'yes';
      await cordon(true);
    } else if (cordoned === 'yes' && isMarked) {
      cordoned = 'over';
      await cordon(false);
    }
    // The taint comes again and again: the event that tells of its removal repeats.
    if ((node.spec?.taints ?? []).some(({ key }) => key === UNRESERVED_TAINT)) return;
    const taints = [...(node.spec?.taints ?? []), { key: UNRESERVED_TAINT, effect: 'NoSchedule' }];
    await admin.patch(
      NODES,
      { name },
      { type: 'merge', body: { spec: { taints: taints.map((taint) => ({ ...taint })) } } },
    );
  },
  again: (admin) => reservation.nudge?.(admin) ?? Promise.resolve(),
  async isDone(admin) {
    const at = count;
    const { items } = await admin.list(TICKETS, { namespace });
    const hand = items.find(({ metadata }) => metadata.name === `hand-${at}`);
    const every = await reservedBy(admin, `every-${at}`);
    const events = await admin.list(EVENTS, { namespace });
    return (
      cordoned === 'over' &&
      items.some(({ metadata, status }) => metadata.name === `claimed-${at}` && status?.phase === 'Claimed') &&
      hand?.metadata.ownerReferences?.[0]?.kind === 'Order' &&
      (await admin.get(ORDERS, { namespace, name: `picky-${at}` })).status?.availableReplicas === 2 &&
      every.some(({ metadata }) => metadata.annotations?.['everynode.dev/predecessor'] !== undefined) &&
      !items.some(({ metadata }) => metadata.name === `short-${at}`) &&
      events.items.some(({ reason, count: times = 0 }) => reason === 'NodeUnreservedTaintRemoved' && times > 1)
    );
  },
};

export const SCENARIOS: readonly Scenario[] = [rolloutDriver, daemonSets, scheduler, claimScheduler, reservation];
