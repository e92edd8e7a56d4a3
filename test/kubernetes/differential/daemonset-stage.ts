/**
 * One cluster a side with nobody but the DaemonSet controller at work. Scheduler and kubelets are played by the test, one round
 * at a time, so that what the controller does can be seen between any two of their acts. Each play has a namespace of its own.
 */
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  EVENTS,
  NAMESPACES,
  NODES,
  PODS,
  SERVICE_ACCOUNTS,
} from '../../../src/core/api/registry/resources.ts';
import type { ControllerRevision, DaemonSet } from '../../../src/core/api/types/apps-v1.ts';
import type { Event, Pod } from '../../../src/core/api/types/core-v1.ts';
import type { JsonObject } from '../../../src/core/kube/json.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { pinnedNode } from './daemonset-answer.ts';
import { BAD_IMAGE } from './daemonset-case.ts';
import { refusalOf, startSides, type Side, type Sides } from './side.ts';

const SENTINELS = 'sentinels';
const SENTINEL = { namespace: SENTINELS, name: 'sentinel' };
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 10;
const HARD = { gracePeriodSeconds: 0 };

export interface Seen {
  readonly sets: readonly Stored<DaemonSet>[];
  readonly pods: readonly Stored<Pod>[];
  readonly revisions: readonly Stored<ControllerRevision>[];
  readonly events: readonly Stored<Event>[];
}

export interface DaemonSetStage extends Sides {
  /** A namespace for one play. */
  open(): Promise<string>;
  /** Resolves when the controller has dealt with a change that came after all others. */
  settle(side: Side): Promise<void>;
  /** What scheduler, kubelets and the collector of pods have to do now; the number of things done. */
  act(side: Side, namespace: string): Promise<number>;
  see(side: Side, namespace: string): Promise<Seen>;
  close(side: Side, namespace: string): Promise<void>;
}

export async function startDaemonSetStage(): Promise<DaemonSetStage> {
  const sides = await startSides({ controllers: ['daemonset-controller'] });
  const open = async (name: string): Promise<void> => {
    await sides.both(async ({ client }) => {
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });
      const metadata = { name: 'default', namespace: name };
      await refusalOf(client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }));
    });
  };
  await open(SENTINELS);
  await sides.both(({ client }) => client.create(DAEMON_SETS, sentinelSet()));
  let plays = 0;
  return {
    ...sides,
    async open() {
      const name = `play-${(plays += 1)}`;
      await open(name);
      return name;
    },
    settle,
    act,
    async see({ client }, namespace) {
      const [sets, pods, revisions, events] = await Promise.all([
        client.list(DAEMON_SETS, { namespace }),
        client.list(PODS, { namespace }),
        client.list(CONTROLLER_REVISIONS, { namespace }),
        client.list(EVENTS, { namespace }),
      ]);
      return { sets: sets.items, pods: pods.items, revisions: revisions.items, events: events.items };
    },
    async close(side, namespace) {
      const { client } = side;
      await client.deleteCollection(DAEMON_SETS, { namespace });
      await settle(side);
      await Promise.all([client.deleteCollection(NODES), client.deleteCollection(CONTROLLER_REVISIONS, { namespace })]);
      await client.deleteCollection(PODS, { namespace, ...HARD });
      await client.deleteCollection(EVENTS, { namespace });
    },
  };
}

function sentinelSet(): DaemonSet {
  const labels = { app: 'sentinel' };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: SENTINEL,
    spec: {
      selector: { matchLabels: labels },
      revisionHistoryLimit: 0,
      template: {
        metadata: { name: '', labels },
        spec: { nodeSelector: { nobody: 'has' }, containers: [{ name: 'main', image: 'example.com/sentinel' }] },
      },
    },
  };
}

async function settle({ client, name }: Side): Promise<void> {
  const { spec, metadata } = await client.get(DAEMON_SETS, SENTINEL);
  const minReadySeconds = ((spec.minReadySeconds ?? 0) + 1) % 1000;
  await client.patch(DAEMON_SETS, SENTINEL, { type: 'merge', body: { spec: { minReadySeconds } } });
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const { status } = await client.get(DAEMON_SETS, SENTINEL);
    if ((status?.observedGeneration ?? 0) > (metadata.generation ?? 0)) return;
    if (Date.now() > end) throw new Error(`the DaemonSet controller of ${name} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

const isRunning = ({ status }: Pod): boolean =>
  status?.phase !== 'Pending' || (status.conditions?.some(({ type }) => type === 'Ready') ?? false);

async function act({ client }: Side, namespace: string): Promise<number> {
  const [pods, nodes] = await Promise.all([client.list(PODS, { namespace }), client.list(NODES)]);
  const there = new Set(nodes.items.map(({ metadata }) => metadata.name));
  const acts: Promise<unknown>[] = [];
  for (const pod of pods.items) {
    const { name, deletionTimestamp } = pod.metadata;
    const key = { namespace, name };
    const nodeName = pod.spec.nodeName ?? '';
    // Ended by its kubelet, or collected where there is none any more.
    if (deletionTimestamp !== undefined || (nodeName !== '' && !there.has(nodeName))) {
      acts.push(refusalOf(client.delete(PODS, key, HARD)));
    } else if (nodeName === '') {
      const wanted = pinnedNode(pod) ?? '';
      if (there.has(wanted)) acts.push(client.bind(key, wanted).then(() => start(client, pod)));
    } else if (!isRunning(pod)) acts.push(start(client, pod));
  }
  await Promise.all(acts);
  return acts.length;
}

async function start(client: Side['client'], pod: Stored<Pod>): Promise<void> {
  const isGood = pod.spec.containers.every(({ image }) => image !== BAD_IMAGE);
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const ready = { type: 'Ready', status: isGood ? 'True' : 'False', lastTransitionTime: now };
  const body: JsonObject = { status: { phase: 'Running', startTime: now, conditions: [ready] } };
  const key = { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name };
  await refusalOf(client.patch(PODS, key, { type: 'strategic', body }, { subresource: 'status' }));
}
