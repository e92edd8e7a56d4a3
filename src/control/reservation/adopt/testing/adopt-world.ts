/** A cluster with three nodes, an Order and placeholder pods, for the tests of adoption. */
import { NODES, ORDERS, PODS, TICKETS } from '../../../../core/api/registry/resources.ts';
import type { Node, Pod } from '../../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../../core/api/types/korder-v1alpha1.ts';
import { pinOfTicket } from '../../../../core/daemons/ticket-child.ts';
import type { ObjectMeta, OwnerReference } from '../../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { createSeededRandom } from '../../../../machinery/random/seeded-random.ts';
import { createFakeClient, type FakeClient } from '../../../../machinery/testing/fake-client.ts';
import { createVirtualClock } from '../../../../machinery/time/virtual-clock.ts';
import { type Adopted, adoptInto, type AdoptRequest } from '../adopt.ts';

export const NAMESPACE = 'shop';

export const node = (name: string, spec: Node['spec'] = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, os: 'linux' } },
  spec,
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});

const orderOf = (spec: Order['spec']): Order => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name: 'agents', namespace: NAMESPACE },
  spec: {
    ...spec,
    template: {
      metadata: { labels: { team: 'platform' } },
      spec: { resources: { requests: { cpu: '100m', memory: '200Mi' } }, nodeSelector: { os: 'linux' } },
    },
  },
});

export interface PodWish {
  readonly node?: string;
  readonly cpu?: string;
  readonly meta?: Partial<ObjectMeta>;
  readonly spec?: Partial<Pod['spec']>;
  readonly status?: NonNullable<Pod['status']>;
}

const RUNNING: NonNullable<Pod['status']> = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

export const owner = (kind: string, name: string, uid = `uid-of-${name}`): OwnerReference => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid,
  controller: true,
});

export interface AdoptWorld {
  readonly client: FakeClient;
  readonly order: Stored<Order>;
  readonly nodes: readonly Stored<Node>[];
  placeholder(name: string, wish?: PodWish): Promise<Stored<Pod>>;
  adopt(request?: Partial<AdoptRequest>): Promise<readonly Adopted[]>;
  pods(): Promise<readonly Stored<Pod>[]>;
  tickets(): Promise<readonly Stored<Ticket>[]>;
  ticketOn(node: string): Promise<Stored<Ticket> | undefined>;
}

export async function createAdoptWorld(spec: Order['spec'] = { daemonSet: true }): Promise<AdoptWorld> {
  const client = createFakeClient({ clock: createVirtualClock(), random: createSeededRandom('adopt') });
  for (const name of ['node-1', 'node-2', 'node-3']) await client.create(NODES, node(name));
  const order = await client.create(ORDERS, orderOf(spec));
  const usual: AdoptRequest = {
    namespace: NAMESPACE,
    order: 'agents',
    kind: 'pods',
    selector: 'app=placeholder',
    dryRun: false,
  };
  const tickets = async (): Promise<readonly Stored<Ticket>[]> => (await client.list(TICKETS)).items;
  return {
    client,
    order,
    nodes: (await client.list(NODES)).items,
    placeholder: (name, wish = {}) =>
      client.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: NAMESPACE, labels: { app: 'placeholder' }, ...wish.meta },
        spec: {
          nodeName: wish.node ?? 'node-1',
          priority: 1_000_000_000,
          containers: [{ name: 'pause', resources: { requests: { cpu: wish.cpu ?? '100m', memory: '1Gi' } } }],
          ...wish.spec,
        },
        status: wish.status ?? RUNNING,
      }),
    adopt: async (request) => (await adoptInto({ client }, { ...usual, ...request })).items,
    pods: async () => (await client.list(PODS)).items,
    tickets,
    ticketOn: async (name) => (await tickets()).find((ticket) => pinOfTicket(ticket)?.value === name),
  };
}
