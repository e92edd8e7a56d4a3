/** A DaemonSet and what is asked of it, whoever runs it and on whatever server. */
import { CONTROLLER_REVISIONS, DAEMON_SETS, EVENTS, PODS } from '../../../src/core/api/registry/resources.ts';
import type { ControllerRevision, DaemonSet } from '../../../src/core/api/types/apps-v1.ts';
import type { Event, Pod, PodSpec } from '../../../src/core/api/types/core-v1.ts';
import type { Json } from '../../../src/core/kube/json.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import type { Client } from '../../../src/machinery/client/client.ts';

const LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** Where it is: in a namespace of its own, on some nodes alone; in `default` and on all of them unless said. */
export interface DaemonSetPlace {
  readonly namespace?: string;
  readonly pods?: Pick<PodSpec, 'nodeSelector' | 'tolerations'>;
}

/** What it read when it became what was waited for. */
export async function until<T>(read: () => Promise<T>, isIt: (value: T) => boolean): Promise<T> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    if (isIt(value)) return value;
    if (Date.now() > end) throw new Error(`it did not come about in time: ${JSON.stringify(value).slice(0, 4000)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

export interface DaemonSetWorld {
  create(spec: Partial<DaemonSet['spec']>): Promise<void>;
  setImage(image: string): Promise<void>;
  /** As `kubectl rollout undo` does it: what the revision kept is put back. */
  rollBackTo(revision: number): Promise<void>;
  /** The status, once it speaks of the newest spec and every one of so many nodes has a new pod that serves. */
  complete(nodes: number): Promise<NonNullable<DaemonSet['status']>>;
  pods(): Promise<readonly Stored<Pod>[]>;
  images(): Promise<readonly string[]>;
  /** Oldest first. */
  revisions(): Promise<readonly Stored<ControllerRevision>[]>;
  eventReasons(): Promise<ReadonlySet<string>>;
}

export function daemonSetWorld(client: Client, place: DaemonSetPlace = {}): DaemonSetWorld {
  const { namespace = 'default' } = place;
  const key = { namespace, name: 'agent' };
  const pods = async (): Promise<readonly Stored<Pod>[]> =>
    (await client.list(PODS, { namespace, labelSelector: 'app=agent' })).items;
  const revisions = async (): Promise<readonly Stored<ControllerRevision>[]> =>
    (await client.list(CONTROLLER_REVISIONS, { namespace })).items.toSorted((a, b) => a.revision - b.revision);
  return {
    async create(spec) {
      await client.create(DAEMON_SETS, {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: key,
        spec: {
          selector: { matchLabels: { app: 'agent' } },
          template: {
            metadata: { name: '', labels: { app: 'agent' } },
            spec: {
              ...place.pods,
              terminationGracePeriodSeconds: 0,
              containers: [
                {
                  name: 'main',
                  image: 'example.test/agent:1',
                  resources: { requests: { cpu: '50m', memory: '64Mi' } },
                },
              ],
            },
          },
          ...spec,
        },
      });
    },
    async setImage(image) {
      const body = { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } };
      await client.patch(DAEMON_SETS, key, { type: 'strategic', body });
    },
    async rollBackTo(revision) {
      const kept = (await revisions()).find((candidate) => candidate.revision === revision);
      if (kept === undefined) throw new Error(`there is no revision ${revision}`);
      await client.patch(DAEMON_SETS, key, { type: 'strategic', body: kept.data as Json });
    },
    async complete(nodes) {
      const { status } = await until(
        () => client.get(DAEMON_SETS, key),
        (set) =>
          set.status?.observedGeneration === set.metadata.generation &&
          set.status?.desiredNumberScheduled === nodes &&
          set.status.numberAvailable === nodes &&
          set.status.updatedNumberScheduled === nodes,
      );
      return status ?? ({} as never);
    },
    pods,
    images: async () => [...new Set((await pods()).map((pod) => pod.spec.containers[0]?.image ?? ''))],
    revisions,
    async eventReasons() {
      const { items } = await client.list<Event>(EVENTS, { namespace });
      return new Set(items.map(({ reason = '' }) => reason));
    },
  };
}
