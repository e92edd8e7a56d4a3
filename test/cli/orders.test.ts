import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readNodeGroups } from '../../src/nodes/fleet/node-groups.ts';
import { NAMESPACES, ORDERS, PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../src/core/api/types/korder-v1alpha1.ts';
import { findCondition, isConditionTrue } from '../../src/core/kube/conditions.ts';
import type { Resource, Stored } from '../../src/core/kube/objects.ts';
import { controllerOf } from '../../src/core/kube/owner-references.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { folder, type Outcome, run } from './run-cli.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/reservations/', import.meta.url));
const read = (file: string): string => readFileSync(join(EXAMPLES, file), 'utf8');

let cluster: TestCluster;

beforeAll(async () => {
  const { groups, problems } = readNodeGroups(read('nodes.yaml'));
  if (problems.length > 0) throw new Error(`the file of nodes has problems: ${JSON.stringify(problems)}`);
  cluster = await startTestCluster({ groups });
}, 60_000);

afterAll(() => cluster?.stop());

/** Room that a test held is free for the next one, however the test has ended. */
afterEach(async () => {
  const { client } = cluster;
  for (const namespace of ['default', ...namespaces.splice(0)])
    for (const resource of KINDS) await client.deleteCollection(resource, { namespace });
  await eventually(async () => String((await client.list(PODS)).items.length), /^0$/);
});

const KINDS: readonly Resource[] = [ORDERS, TICKETS, PODS];
const namespaces: string[] = [];

const everynode = (...args: string[]): Promise<Outcome> =>
  run(args, { home: folder(), env: { KUBECONFIG: cluster.kubeconfigFile } });

const inNamespace = async (name: string): Promise<string> => {
  await cluster.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });
  namespaces.push(name);
  return name;
};

const create = (namespace: string, order: Order): Promise<Stored<Order>> =>
  cluster.client.create(ORDERS, { ...order, metadata: { ...order.metadata, namespace } });

const order = (name: string, spec: Partial<Order['spec']>, cpu = '100m'): Order => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name },
  spec: {
    daemonSet: true,
    strategy: { type: 'OneTime', refreshPolicy: 'OnClaim' },
    template: {
      spec: {
        resources: { requests: { cpu, memory: '64Mi' } },
        nodeSelector: { 'node-role.kubernetes.io/worker': '' },
      },
    },
    ...spec,
  },
});

const placeholder = async (namespace: string, name: string, nodeName: string, cpu: string): Promise<void> => {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: 'placeholder' } },
    spec: {
      nodeName,
      containers: [{ name: 'pause', image: 'pause', resources: { requests: { cpu, memory: '1Gi' } } }],
    },
  };
  await cluster.client.create(PODS, pod);
  await eventually(async () => (await cluster.client.get(PODS, { namespace, name })).status?.phase ?? '', /Running/);
};

/** Waits by the API: a command of its own takes long on a busy machine. */
const untilReady = (namespace: string, names: readonly string[]): Promise<string> =>
  eventually(async () => {
    const { items } = await cluster.client.list(ORDERS, { namespace });
    const ready = items.filter(({ status }) => isConditionTrue(status?.conditions, 'Ready'));
    return names.filter((name) => ready.every(({ metadata }) => metadata.name !== name)).join();
  }, /^$/);

const untilAvailable = (namespace: string, count: number): Promise<string> =>
  eventually(
    async () => {
      const { status } = await cluster.client.get(ORDERS, { namespace, name: 'agents' });
      return `${status?.availableReplicas} of ${status?.replicas}`;
    },
    new RegExp(`^${count} of 3$`),
  );

const untilFalse = (namespace: string, name: string, type: string): Promise<string> =>
  eventually(
    async () =>
      findCondition((await cluster.client.get(ORDERS, { namespace, name })).status?.conditions, type)?.status ?? '',
    /False/,
  );

/** The Order may say that nothing fits before the scheduler has refused the guardians of all nodes. */
const untilRefused = (namespace: string, name: string, count: string): Promise<string> =>
  eventually(
    async () =>
      findCondition((await cluster.client.get(ORDERS, { namespace, name })).status?.conditions, 'Fits')?.message ?? '',
    new RegExp(`^no room for ${count} Tickets`),
  );

/** Names that follow from UIDs, and times, are never the same twice. */
const withoutChance = (text: string): string =>
  text
    .replaceAll(/-[a-z0-9]{18}\b/g, '-<id>')
    .replaceAll(/\b\d+[smh] ago/g, '<age>')
    .replaceAll(/\bin \w+/g, '<left>')
    .replaceAll(/ {2,}/g, '   ');

describe('everynode orders and everynode tickets', () => {
  it('say so where nothing is there', async () => {
    expect(await everynode('orders')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'There is no Order in namespace default.\n',
    });
    expect((await everynode('tickets', '-A', '--node', 'gpu-0')).stderr).toBe(
      'There is no Ticket on node gpu-0 in the cluster.\n',
    );
    expect(JSON.parse((await everynode('orders', '-o', 'json')).stdout)).toEqual({ orders: [] });
  });

  it('show the examples, all of which come about', async () => {
    const namespace = await inNamespace('examples');
    for (const file of globSync('*.yaml', { cwd: EXAMPLES }).toSorted()) {
      const documents = parseAllDocuments(read(file)).map((each) => each.toJS() as Order);
      for (const each of documents) if (each.kind === 'Order') await create(namespace, each);
    }
    await untilReady(namespace, ['gpu-node-buffer', 'infrastructure-reservation', 'log-collection', 'memory-buffer']);
    await untilReady(namespace, ['monitoring', 'network', 'spare-room', 'storage']);
    const table = (await everynode('orders', '-n', namespace)).stdout;
    expect(`\n${withoutChance(table).replaceAll(/; the next tick.*/g, '')}`).toBe(`
NAME   MODE   STATE   WANTED   AVAILABLE   STRATEGY   REFRESH   NEXT-TICK
gpu-node-buffer   daemonSet   ready   2   2   Recurring   Always   <left>
infrastructure-reservation   daemonSet   ready   9   9   OneTime   OnClaim   -
log-collection   daemonSet   ready   9   9   OneTime   OnClaim   -
memory-buffer   daemonSet   ready   2   2   OneTime   Never   -
monitoring   daemonSet   ready   9   9   OneTime   OnClaim   -
network   daemonSet   ready   9   9   OneTime   OnClaim   -
security-scan   daemonSet   waiting   7   0   Scheduled   Always   <left>
spare-room   replicas   ready   2   2   OneTime   OnClaim   -
storage   daemonSet   ready   2   2   OneTime   OnClaim   -
examples/security-scan: 0 of 7 Tickets are available
`);
    expect(withoutChance((await everynode('tickets', 'gpu-node-buffer', '-n', namespace)).stdout)).toBe(
      `TICKET   NODE   PHASE   SINCE   UNTIL   CLAIMED-BY   WHY-NOT
gpu-node-buffer-<id>   gpu-0   Reserved   <age>   <left>   -   -
gpu-node-buffer-<id>   gpu-1   Reserved   <age>   <left>   -   -
`,
    );
    const buffer = await everynode('tickets', 'memory-buffer', '-n', namespace, '--node', 'highmem-1');
    expect(withoutChance(buffer.stdout)).toMatch(
      /\nmemory-buffer-<id> {3}highmem-1 {3}Reserved {3}<age> {3}endless {3}- {3}-\n$/,
    );
    const wide = await everynode('orders', 'security-scan', '-n', namespace, '-o', 'wide');
    expect(wide.stdout).toMatch(/ 3h +0 2 \* \* \* Europe\/Berlin +-\n/);
    expect((await everynode('tickets', 'security-scan', '-n', namespace)).stderr).toBe(
      'There is no Ticket of Order security-scan in namespace examples.\n  everynode orders security-scan -n examples says why\n',
    );
    const { orders } = parse((await everynode('orders', 'storage', '-A', '-o', 'yaml')).stdout) as { orders: object[] };
    expect(orders).toMatchObject([{ namespace, name: 'storage', state: 'ready', wanted: 2, available: 2, whyNot: [] }]);
    expect((await everynode('orders', 'storage', '-n', namespace, '-o', 'name')).stdout).toBe(
      'order.core.korder.dev/storage\n',
    );
  });

  it('say why room is not held, and what can be done about it', async () => {
    const namespace = await inNamespace('troubles');
    await create(namespace, order('huge', {}, '500'));
    await create(namespace, {
      ...order('nowhere', {}),
      spec: {
        ...order('', {}).spec,
        template: { spec: { resources: { requests: { cpu: '1' } }, nodeSelector: { disk: 'ssd' } } },
      },
    });
    await untilRefused(namespace, 'huge', '3 of 3');
    await untilFalse(namespace, 'nowhere', 'NodesEligible');
    const table = (await everynode('orders', '-A')).stdout;
    expect(table).toMatch(/^NAMESPACE +NAME +MODE/);
    expect(table).toMatch(/^troubles +huge +daemonSet +no-room +3 +0 /m);
    expect(table).toMatch(
      /^troubles\/huge: no room for 3 of 3 Tickets \(Insufficient cpu\): general-0, general-1, general-2$/m,
    );
    expect(table).toMatch(/^troubles\/nowhere: .*9 .*$/m);
    const tickets = await everynode('tickets', 'huge', '-n', namespace);
    expect(tickets.stdout).toMatch(/ general-2 +Pending +\S+ ago +- +- +Unschedulable\n/);
    expect(tickets.stdout).toMatch(
      /^troubles\/huge on general-0, general-1, general-2: Unschedulable: 0\/9 nodes are available: 1 Insufficient cpu/m,
    );
    expect(tickets.stdout).toContain(
      '    node general-0 has only 4 cpu in all, and 500 are asked for: reserve less in Order huge, or leave the node out\n',
    );
  });

  it.each([
    [['orders', 'nix'], 'there is no Order nix in namespace default'],
    [['tickets', 'nix', '-A'], 'there is no Order nix in any namespace'],
    [['tickets', '-n', 'nosuch'], 'there is no namespace nosuch'],
    [['tickets', '-A', '--node', 'nosuch'], 'there is no node nosuch'],
    [['orders', '-n', 'nosuch'], 'there is no namespace nosuch'],
    [['orders', '-o', 'xml'], 'Allowed choices are table, wide, name, json, yaml'],
    [['orders', '-A', '-n', 'x'], "cannot be used with option '-n, --namespace"],
    [['orders', 'adopt'], "missing required argument 'order'"],
    [['orders', 'adopt', 'x'], 'nothing is selected'],
    [['orders', 'adopt', 'x', '--pods', ' '], '--pods is empty'],
    [['orders', 'adopt', 'x', '--tickets', 'a in'], 'for --tickets'],
    [['orders', 'adopt', 'x', '--pods', 'a=b', '--tickets', 'a=b'], "cannot be used with option '--tickets"],
    [['orders', 'adopt', 'x', '--pods', 'a=b'], 'there is no Order x in namespace default'],
  ])('say what is wrong with %j', async (args, message) => {
    const { code, stdout, stderr } = await everynode(...args);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
    expect(stderr).toMatch(/^error: /);
  });
});

describe('everynode orders adopt', () => {
  const ticketsOf = async (namespace: string): Promise<readonly Stored<Ticket>[]> =>
    (await cluster.client.list(TICKETS, { namespace })).items;
  const guardians = async (namespace: string): Promise<readonly Stored<Pod>[]> =>
    (await cluster.client.list(PODS, { namespace })).items;

  it('makes placeholder pods the guardians of an Order that finds no room beside them', async () => {
    const namespace = await inNamespace('placeholders');
    for (const index of [0, 1, 2]) await placeholder(namespace, `ph-${index}`, `general-${index}`, '3');
    await placeholder(namespace, 'ph-small', 'general-0', '10m');
    await placeholder(namespace, 'ph-gpu', 'gpu-0', '3');
    const before = await guardians(namespace);
    await create(namespace, order('agents', {}, '2'));
    await untilFalse(namespace, 'agents', 'Fits');
    const adopt = ['orders', 'adopt', 'agents', '--pods', 'app=placeholder', '-n', namespace];

    const dry = await everynode(...adopt, '--dry-run');
    expect([dry.code, dry.stderr]).toEqual([1, '3 of 5 pods would be adopted by Order agents (dry run)\n']);
    expect((await guardians(namespace)).filter((pod) => controllerOf(pod) !== undefined)).toHaveLength(3);

    const done = await everynode(...adopt);
    expect([done.code, done.stderr]).toEqual([1, '3 of 5 pods adopted by Order agents\n']);
    expect(withoutChance(done.stdout)).toBe(`POD   NODE   RESULT   TICKET
ph-0   general-0   adopted   agents-<id>
ph-1   general-1   adopted   agents-<id>
ph-2   general-2   adopted   agents-<id>
ph-gpu   gpu-0   refused   -
ph-small   general-0   refused   -
ph-0, ph-1, ph-2: priority 0, below everynode-guardian: pods above it can preempt it, and a guardian follows
ph-gpu: node gpu-0 is not eligible: didn't match Pod's node affinity/selector, had untolerated taint(s)
   label the node \`node-role.kubernetes.io/worker=\` or drop it from the pod's nodeSelector
ph-small: requests less than the template: cpu 10m of 2
   lower the requests of the template, or leave the pod out
`);
    await untilAvailable(namespace, 3);
    const now = await guardians(namespace);
    expect(now.map(({ metadata }) => metadata.uid).toSorted()).toEqual(
      before.map(({ metadata }) => metadata.uid).toSorted(),
    );
    const tickets = await ticketsOf(namespace);
    expect(tickets.map(({ status }) => status?.guardianPod ?? '').toSorted()).toEqual(
      ['ph-0', 'ph-1', 'ph-2'].map((name) => `${namespace}/${name}`),
    );
    const again = await everynode(...adopt, '-o', 'json');
    const { pods } = JSON.parse(again.stdout) as { pods: { result: string }[] };
    expect(pods.map(({ result }) => result)).toEqual(['already', 'already', 'already', 'refused', 'refused']);
    await cluster.client.deleteCollection(ORDERS, { namespace });
    await eventually(async () => String((await guardians(namespace)).length), /^2$/);
  });

  it('fills a paused Order, which reserves the rest when it is not paused any more', async () => {
    const namespace = await inNamespace('paused');
    await placeholder(namespace, 'ph-0', 'general-0', '1');
    await create(namespace, order('agents', { paused: true }, '1'));
    const done = await everynode('orders', 'adopt', 'agents', '--pods', 'app=placeholder', '-n', namespace);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain(
      `kubectl patch order agents -n ${namespace} --type=merge -p '{"spec":{"paused":false}}'`,
    );
    await untilAvailable(namespace, 1);
    expect((await everynode('orders', '-n', namespace)).stdout).toMatch(/^agents +daemonSet +paused +3 +1 /m);
    expect(await ticketsOf(namespace)).toHaveLength(1);
    const key = { namespace, name: 'agents' };
    await cluster.client.patch(ORDERS, key, { type: 'merge', body: { spec: { paused: false } } });
    await untilAvailable(namespace, 3);
    expect((await ticketsOf(namespace)).map(({ status }) => status?.guardianPod)).toContain(`${namespace}/ph-0`);
  });

  it('makes Tickets of an Order from Tickets made by hand, with the guardians they have', async () => {
    const namespace = await inNamespace('by-hand');
    for (const index of [0, 1])
      await cluster.client.create(TICKETS, {
        apiVersion: 'core.korder.dev/v1alpha1',
        kind: 'Ticket',
        metadata: { name: `by-hand-${index}`, namespace, labels: { made: 'by-hand' } },
        spec: { nodeName: `general-${index}`, resources: { requests: { cpu: '1', memory: '64Mi' } } },
      });
    const phases = async (): Promise<string> => (await ticketsOf(namespace)).map(({ status }) => status?.phase).join();
    await eventually(phases, /^Reserved,Reserved$/);
    expect((await everynode('tickets', '-n', namespace)).stdout).toMatch(/^by-hand-1 +general-1 +Reserved/m);
    const before = (await guardians(namespace)).map(({ metadata }) => metadata.uid).toSorted();
    await create(namespace, order('agents', { paused: true }, '1'));
    const done = await everynode('orders', 'adopt', 'agents', '--tickets', 'made=by-hand', '-n', namespace);
    expect([done.code, withoutChance(done.stdout)]).toEqual([
      0,
      'TICKET   NODE   RESULT\nby-hand-0   general-0   adopted\nby-hand-1   general-1   adopted\n',
    ]);
    await untilAvailable(namespace, 2);
    const key = { namespace, name: 'agents' };
    await cluster.client.patch(ORDERS, key, { type: 'merge', body: { spec: { paused: false } } });
    await untilAvailable(namespace, 3);
    const after = (await guardians(namespace)).map(({ metadata }) => metadata.uid);
    expect(before.every((uid) => after.includes(uid))).toBe(true);
  });

  it('knows where pods with these labels are', async () => {
    const namespace = await inNamespace('elsewhere');
    await placeholder(namespace, 'ph-0', 'general-0', '10m');
    await create('default', order('agents', { paused: true }));
    const { code, stderr } = await everynode('orders', 'adopt', 'agents', '--pods', 'app=placeholder');
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is one in namespace')]);
    expect((await everynode('orders', 'agents', '-n', namespace)).stderr).toContain(
      'There is one in namespace default: -n default',
    );
  });
});

it('says that a cluster serves no Orders', async () => {
  const without = await startTestCluster({ controllers: ['*', '-reservation'] });
  try {
    const { code, stderr } = await run(['orders'], { home: folder(), env: { KUBECONFIG: without.kubeconfigFile } });
    expect([code, stderr]).toEqual([1, expect.stringContaining('the cluster serves no Orders and Tickets')]);
  } finally {
    await without.stop();
  }
});
