/** Orders, Tickets and Quotas through an API server: stored as written, refused with every finding, scaled. */
import { describe, expect, it } from 'vitest';
import { createTestServer } from '../../src/apiserver/testing/test-server.ts';
import { LOOPBACK } from '../../src/apiserver/contract/users.ts';
import { orderOf, quotaOf, ticketOf } from '../../src/core/api/kinds/reservation/testing/orders.ts';
import { PUBLISHED, published } from '../../src/core/api/kinds/reservation/testing/published.ts';
import { ownKinds } from '../../src/core/api/registry/built-in-kinds.ts';
import { ORDERS, QUOTAS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Scale } from '../../src/core/api/types/autoscaling-v1.ts';
import type { Order } from '../../src/core/api/types/korder-v1alpha1.ts';
import type { KubeObject, Resource } from '../../src/core/kube/objects.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';

const KINDS = ['orders', 'tickets', 'quotas'].map((resource) => `${resource}.core.korder.dev`);
const SCALES = ORDERS as unknown as Resource<Scale>;
const AT = { namespace: 'default', name: 'buffer' };
const BY_SCALE = { subresource: 'scale' } as const;

async function start() {
  const { server, client } = await createTestServer();
  server.registry.add(ownKinds(KINDS));
  return { server, client };
}

/** As a client sends it. */
const sent = <T extends KubeObject>(object: T): T => {
  const { name, namespace, labels, annotations } = object.metadata;
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { ...object, metadata };
};

const refusal = async (answer: Promise<unknown>): Promise<StatusError> => {
  const error: unknown = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof StatusError) return error;
  throw new Error('it was not refused');
};
const fieldsOf = ({ status }: StatusError): readonly (string | undefined)[] =>
  (status.details?.causes ?? []).map(({ field }) => field);

const scaleTo = (replicas: number): Scale => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: AT,
  spec: { replicas },
});

describe('reservations through an API server', () => {
  it.each(PUBLISHED)('the published example %s is stored as it is written', async (name) => {
    const { client } = await start();
    const order = published(name);
    const stored = await client.create(ORDERS, { ...order, metadata: { ...order.metadata, namespace: 'default' } });
    expect(stored.spec.strategy).toEqual(order.spec.strategy);
    expect(stored.spec.template?.spec?.duration).toBe(order.spec.template?.spec?.duration);
    expect(stored.spec).not.toHaveProperty('replicas');
    expect(stored.metadata.generation).toBe(1);
    expect(stored).not.toHaveProperty('status');
  });

  it('a new Ticket is Pending, and found by phase and node', async () => {
    const { client } = await start();
    const made = await client.create(TICKETS, sent({ ...ticketOf(), status: { phase: 'Claimed' } }));
    expect(made.status).toEqual({ phase: 'Pending' });
    await client.create(TICKETS, sent(ticketOf({}, { name: 'other' })));
    const status = { phase: 'Reserved', nodeName: 'n1' };
    await client.update(TICKETS, { ...made, status }, { subresource: 'status' });
    const names = async (fieldSelector: string): Promise<readonly string[]> =>
      (await client.list(TICKETS, { namespace: 'default', fieldSelector })).items.map(({ metadata }) => metadata.name);
    expect(await names('status.phase=Pending')).toEqual(['other']);
    expect(await names('status.phase=Reserved,status.nodeName=n1')).toEqual(['buffer']);
  });

  it('bad input gets all findings at once', async () => {
    const { client } = await start();
    const error = await refusal(
      client.create(
        ORDERS,
        sent(
          orderOf(
            { refreshPolicy: 'Always', strategy: { type: 'OneTime', schedule: '@daily', refreshPolicy: 'Never' } },
            {
              duration: '0s',
              startTime: '2020-01-01T00:00:00Z',
              resources: { requests: { cpu: '2' }, limits: { cpu: '1' } },
            },
          ),
        ),
      ),
    );
    expect(error.reason).toBe('Invalid');
    expect(error.message).toMatch(/^Order\.core\.korder\.dev "buffer" is invalid: \[/);
    expect(fieldsOf(error)).toEqual([
      'spec.refreshPolicy',
      'spec.strategy.schedule',
      'spec.template.spec.duration',
      'spec.template.spec.startTime',
      'spec.template.spec.resources.requests',
    ]);
    expect(fieldsOf(await refusal(client.create(TICKETS, sent(ticketOf({ resources: {} })))))).toEqual([
      'spec.resources.requests',
    ]);
    expect(fieldsOf(await refusal(client.create(QUOTAS, sent(quotaOf({ hard: {} })))))).toEqual(['spec.hard']);
  });

  it('a start is compared with the time of the server', async () => {
    const { client } = await start();
    const starting = (offsetMs: number) => {
      const startTime = new Date(Date.parse('2026-01-01T00:00:00Z') + offsetMs).toISOString();
      return sent(orderOf({}, { startTime }, { name: `at-${Math.abs(offsetMs)}` }));
    };
    const century = 100 * 365 * 86_400_000;
    expect(fieldsOf(await refusal(client.create(ORDERS, starting(-century))))).toEqual([
      'spec.template.spec.startTime',
    ]);
    const made = await client.create(ORDERS, starting(century));
    // A dry run and an apply are judged alike.
    expect(fieldsOf(await refusal(client.create(ORDERS, starting(-century), { dryRun: true })))).toHaveLength(1);
    expect((await client.update(ORDERS, { ...made, spec: { ...made.spec, replicas: 2 } })).spec.replicas).toBe(2);
  });

  it('replicas beside daemonSet warn', async () => {
    const { server } = await start();
    const heard: string[] = [];
    await server.handle({
      verb: 'create',
      target: {
        tenant: 'system',
        group: 'core.korder.dev',
        version: 'v1alpha1',
        resource: 'orders',
        namespace: 'default',
        name: '',
        subresource: '',
      },
      user: LOOPBACK,
      object: sent(orderOf({ daemonSet: true, replicas: 3 })),
      options: {},
      warn: (text) => heard.push(text),
    });
    expect(heard).toEqual([
      'spec.replicas: has no effect beside daemonSet: true, which has one Ticket per eligible node; remove it',
    ]);
  });

  it('an Order can be scaled, and shows what it wants and selects', async () => {
    const { client } = await start();
    const made = await client.create(ORDERS, sent(orderOf()));
    expect((await client.get(SCALES, AT, BY_SCALE)).spec).toEqual({ replicas: 1 });
    const status: Order['status'] = { replicas: 1, selector: 'korder.dev/order=buffer' };
    await client.update(ORDERS, { ...made, status }, { subresource: 'status' });
    const answer = await client.update(SCALES, scaleTo(5), BY_SCALE);
    expect(answer).toMatchObject({
      spec: { replicas: 5 },
      status: { replicas: 1, selector: 'korder.dev/order=buffer' },
    });
    // As `kubectl scale` does it.
    const patch = { type: 'merge', body: { spec: { replicas: 0 } } } as const;
    await client.patch(SCALES, AT, patch, BY_SCALE);
    const stored = await client.get(ORDERS, AT);
    expect(stored.spec.replicas).toBe(0);
    expect(stored.metadata.generation).toBe(3);
    expect((await refusal(client.update(SCALES, scaleTo(-1), BY_SCALE))).reason).toBe('Invalid');
    expect((await refusal(client.update(SCALES, scaleTo(2_147_483_647), BY_SCALE))).message).toContain(
      'spec.replicas: Invalid value: 2147483647: must be at most 100000',
    );
  });

  it('an Order for every node cannot be scaled, and says why', async () => {
    const { client } = await start();
    await client.create(ORDERS, sent(orderOf({ daemonSet: true })));
    const patch = { type: 'merge', body: { spec: { replicas: 3 } } } as const;
    for (const asked of [
      () => client.update(SCALES, scaleTo(3), BY_SCALE),
      () => client.patch(SCALES, AT, patch, BY_SCALE),
      () => client.get(SCALES, AT, BY_SCALE),
    ]) {
      const error = await refusal(asked());
      expect(error.reason).toBe('Forbidden');
      expect(error.message).toBe(
        'orders.core.korder.dev "buffer" is forbidden: it has one Ticket per eligible node (spec.daemonSet) and cannot be scaled; nodeSelector, affinity and tolerations of its template choose the nodes',
      );
    }
    expect((await client.get(ORDERS, AT)).spec).not.toHaveProperty('replicas');
  });

  it('a change of mode or strategy is refused; a Ticket keeps its room and may be extended', async () => {
    const { client } = await start();
    const order = await client.create(ORDERS, sent(orderOf()));
    const strategy = { type: 'Recurring', schedule: '@daily' };
    const switched = client.update(ORDERS, { ...order, spec: { ...order.spec, daemonSet: true, strategy } });
    expect(fieldsOf(await refusal(switched))).toEqual(['spec.strategy.type', 'spec.daemonSet']);
    const ticket = await client.create(TICKETS, sent(ticketOf({ duration: '1h' })));
    const moved = client.update(TICKETS, { ...ticket, spec: { ...ticket.spec, nodeName: 'n1' } });
    expect(fieldsOf(await refusal(moved))).toEqual(['spec.nodeName']);
    const longer = await client.update(TICKETS, { ...ticket, spec: { ...ticket.spec, duration: '9h' } });
    expect(longer.spec.duration).toBe('9h');
    // A Quota is for the whole cluster unless it says otherwise.
    expect((await client.create(QUOTAS, sent(quotaOf()))).spec.scope).toEqual({ type: 'Cluster' });
  });
});
