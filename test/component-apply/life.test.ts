/** After the apply: how a component is, was, goes back and goes away, on the embedded cluster with simulated nodes. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyComponent } from '../../src/control/component/apply/apply.ts';
import { deleteComponent } from '../../src/control/component/apply/delete.ts';
import { componentHistory } from '../../src/control/component/apply/history.ts';
import { componentStatus, listComponents } from '../../src/control/component/apply/status.ts';
import { undoComponent } from '../../src/control/component/apply/undo.ts';
import { waitForRollout } from '../../src/control/component/apply/wait.ts';
import type { Progress } from '../../src/control/component/apply/progress.ts';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DAEMON_SETS,
  NAMESPACES,
  PODS,
  SECRETS,
} from '../../src/core/api/registry/resources.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { agent, type AgentOptions } from './component.ts';
import { counting, faulty } from './faulty-client.ts';
import {
  contextOf,
  freshNamespace,
  inventoryOf,
  namespaceExists,
  openSetting,
  outcomes,
  TRANSPORTS,
  type Setting,
} from './setting.ts';

const NODES = 6;

let setting: Setting;
beforeAll(async () => {
  setting = await openSetting(NODES);
}, 60_000);
afterAll(() => setting.stop());

describe.each(TRANSPORTS)('the life of a component, %s', (transport) => {
  const client = (): Client => setting.clients[transport];
  const roll = async (namespace: string, options: AgentOptions = {}, told: Progress[] = []) => {
    await applyComponent(contextOf(client(), told), agent({ namespace, ...options }));
    return waitForRollout(contextOf(client(), told), { namespace, name: 'agent', timeoutMs: 60_000, everyMs: 20 });
  };
  const podsOf = async (namespace: string) => (await client().list(PODS, { namespace })).items;

  it('waits as kubectl rollout status does, and tells how far each group is', async () => {
    const namespace = freshNamespace();
    const told: Progress[] = [];
    const outcome = await roll(namespace, {}, told);
    expect(outcome).toMatchObject({
      outcome: 'complete',
      snapshot: {
        state: 'complete',
        message: 'daemon set "agent" successfully rolled out',
        desired: NODES,
        updated: NODES,
        available: NODES,
        groups: [{ group: 'node', desired: NODES, updated: NODES, ready: NODES, available: NODES }],
        lagging: [],
      },
    });
    const snapshots = told.filter((each) => each.type === 'rollout');
    expect(snapshots.length).toBeGreaterThan(0);
    expect(snapshots.at(-1)?.snapshot.state).toBe('complete');
  }, 60_000);

  it('a changed secret rolls pods, and never more at a time than may be missing', async () => {
    const namespace = freshNamespace();
    const spec = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } };
    await roll(namespace, { spec });
    const before = new Set((await podsOf(namespace)).map(({ metadata }) => metadata.uid));
    await applyComponent(contextOf(client()), agent({ namespace, spec, secret: 'changed-token' }));
    let fewest = NODES;
    const watching = new AbortController();
    const watch = (async (): Promise<void> => {
      while (!watching.signal.aborted) {
        const ready = (await podsOf(namespace)).filter(
          ({ metadata, status }) =>
            metadata.deletionTimestamp === undefined &&
            (status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false),
        );
        fewest = Math.min(fewest, ready.length);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    const outcome = await waitForRollout(contextOf(client()), { namespace, name: 'agent', timeoutMs: 60_000 });
    watching.abort();
    await watch;
    expect(outcome.outcome).toBe('complete');
    expect(fewest).toBeGreaterThanOrEqual(NODES - 2);
    const after = await podsOf(namespace);
    expect(after.filter(({ metadata }) => before.has(metadata.uid))).toEqual([]);
  }, 90_000);

  it('tells why it waits, and gives up in time', async () => {
    const namespace = freshNamespace();
    await roll(namespace);
    const annotations = { 'everynode.dev/rollout-paused': 'true' };
    await applyComponent(contextOf(client()), agent({ namespace, annotations, image: 'example.test/agent:2' }));
    const outcome = await waitForRollout(contextOf(client()), { namespace, name: 'agent', timeoutMs: 1500 });
    expect(outcome).toMatchObject({
      outcome: 'timeout',
      snapshot: {
        state: 'updating',
        message: `Waiting for daemon set "agent" rollout to finish: 0 out of ${NODES} new pods have been updated...`,
        reasons: [{ code: 'paused', count: NODES }],
      },
    });
    const stopping = new AbortController();
    const waiting = waitForRollout(contextOf(client(), [], stopping.signal), { namespace, name: 'agent' });
    setTimeout(() => stopping.abort(), 300);
    await expect(waiting).rejects.toThrow('aborted');
    const gone = waitForRollout(contextOf(client()), { namespace, name: 'agent', timeoutMs: 60_000 });
    await client().delete(DAEMON_SETS, { namespace, name: 'agent' });
    expect((await gone).outcome).toBe('deleted');
    await expect(waitForRollout(contextOf(client()), { namespace, name: 'none' })).rejects.toMatchObject({
      code: 'EN_COMPONENT_APPLY_NOT_FOUND',
    });
  }, 90_000);

  it('ends where another template is written, and only there', async () => {
    const namespace = freshNamespace();
    await roll(namespace);
    const annotations = { 'everynode.dev/rollout-paused': 'true' };
    const apply = async (image: string, change: AgentOptions = {}) =>
      (await applyComponent(contextOf(client()), agent({ namespace, annotations, image, ...change }))).daemonSets[0];
    const second = await apply('example.test/agent:2');
    if (second === undefined) throw new Error('no DaemonSet');
    const waiting = waitForRollout(contextOf(client()), {
      namespace,
      name: 'agent',
      timeoutMs: 60_000,
      written: second,
    });
    // Other bounds are no other revision.
    const bounds = { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } } };
    const key = { namespace, name: 'agent' };
    await client().patch(DAEMON_SETS, key, { type: 'strategic', body: bounds }, { fieldManager: 'somebody' });
    const still = await Promise.race([waiting, realClock.sleep(600).then(() => 'waiting')]);
    expect(still).toBe('waiting');
    const body = { spec: { template: { metadata: { annotations: { a: 'b' } } } } };
    await client().patch(DAEMON_SETS, key, { type: 'strategic', body }, { fieldManager: 'image-bot' });
    expect(await waiting).toMatchObject({ outcome: 'superseded', by: 'image-bot' });
    const late = await waitForRollout(contextOf(client()), { namespace, name: 'agent', written: second });
    expect(late.outcome).toBe('superseded');
  }, 90_000);

  it('tells that the server is away, also at the end, and ends where it is another one', async () => {
    const namespace = freshNamespace();
    await roll(namespace);
    const annotations = { 'everynode.dev/rollout-paused': 'true' };
    await applyComponent(contextOf(client()), agent({ namespace, annotations, image: 'example.test/agent:2' }));
    const told: Progress[] = [];
    const notes = (): readonly string[] => told.flatMap((each) => (each.type === 'note' ? each.message : []));
    let state: 'there' | 'away' | 'other' = 'there';
    const real = client();
    const gone = new StatusError(503, 'ServiceUnavailable', 'no', undefined, { cause: { code: 'ECONNREFUSED' } });
    const moody: Client = {
      ...real,
      async get(resource, key, options) {
        if (state === 'away') throw gone;
        const found = await real.get(resource, key, options);
        return state === 'other' ? { ...found, metadata: { ...found.metadata, uid: 'another' } } : found;
      },
    };
    const until = async (text: string): Promise<void> =>
      vi.waitFor(() => expect(notes().at(-1)).toContain(text), { timeout: 10_000 });
    const key = { namespace, name: 'agent' };
    const waiting = waitForRollout(contextOf(moody, told), key);
    state = 'away';
    await until('the server cannot be reached (ECONNREFUSED); trying again');
    state = 'other';
    expect(await waiting).toEqual({
      outcome: 'other-cluster',
      why: `its DaemonSet ${namespace}/agent is another one`,
    });
    state = 'there';
    const late = waitForRollout(contextOf(moody), { ...key, timeoutMs: 3000 });
    await realClock.sleep(500);
    state = 'away';
    expect(await late).toMatchObject({ outcome: 'timeout', away: 'ECONNREFUSED' });
  }, 60_000);

  it('tells what a quota keeps from being made', async () => {
    const namespace = freshNamespace();
    await client().create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} });
    await client().create(
      { group: '', version: 'v1', resource: 'resourcequotas', kind: 'ResourceQuota', namespaced: true },
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'small', namespace },
        spec: { hard: { pods: '2' } },
      } as never,
    );
    await applyComponent(contextOf(client()), agent({ namespace }));
    const outcome = await waitForRollout(contextOf(client()), { namespace, name: 'agent', timeoutMs: 4000 });
    expect(outcome.outcome).toBe('timeout');
    const reasons = outcome.outcome === 'timeout' ? outcome.snapshot.reasons : [];
    expect(reasons.find(({ code }) => code === 'create-failed')?.message).toMatch(/quota/);
  }, 60_000);

  it('knows its history and goes back; the next apply brings the manifest again', async () => {
    const namespace = freshNamespace();
    const identity = { namespace, name: 'agent' };
    await roll(namespace, { annotations: { 'kubernetes.io/change-cause': 'the first' } });
    await roll(namespace, { image: 'example.test/agent:2' });
    const history = await componentHistory(contextOf(client()), identity);
    expect(history).toMatchObject([
      { revision: 1, changeCause: 'the first', images: ['example.test/agent:1'], isCurrent: false },
      { revision: 2, images: ['example.test/agent:2'], isCurrent: true },
    ]);
    await expect(undoComponent(contextOf(client()), identity, { toRevision: 7 })).rejects.toThrow(
      'has no revision 7: it has 1, 2',
    );
    expect((await undoComponent(contextOf(client()), identity, { toRevision: 2 })).outcome).toBe('unchanged');
    const dry = counting(client());
    await undoComponent(contextOf(dry.client), identity, { dryRun: true });
    expect(dry.seen).toEqual([]);

    const broken = faulty(client(), (_, write) =>
      write.startsWith('patch daemonsets') ? { moment: 'before', error: new Error('no') } : undefined,
    );
    await expect(undoComponent(contextOf(broken.client), identity)).rejects.toThrow('no');
    expect((await componentStatus(contextOf(client()), identity)).inventory?.undone).toBeUndefined();

    const undone = await undoComponent(contextOf(client()), identity);
    expect(undone).toMatchObject({ outcome: 'undone', from: { revision: 2 }, to: { revision: 1 } });
    expect(undone.warnings[0]).toContain('the last apply said example.test/agent:2');
    await waitForRollout(contextOf(client()), { ...identity, timeoutMs: 60_000 });
    const images = new Set((await podsOf(namespace)).map(({ spec }) => spec.containers[0]?.image));
    expect([...images]).toEqual(['example.test/agent:1']);
    expect((await componentStatus(contextOf(client()), identity)).inventory?.undone?.revision).toBe(1);
    expect((await componentHistory(contextOf(client()), identity)).at(-1)).toMatchObject({
      revision: 3,
      isCurrent: true,
    });

    const told: Progress[] = [];
    await roll(namespace, { image: 'example.test/agent:2' }, told);
    expect(told.filter(({ type }) => type === 'note')).toEqual([]);
    const set = await client().get(DAEMON_SETS, identity);
    expect(set.spec.template.spec?.containers[0]?.image).toBe('example.test/agent:2');
    expect((await componentStatus(contextOf(client()), identity)).inventory?.undone).toBeUndefined();
  }, 90_000);

  it('knows how it is', async () => {
    const namespace = freshNamespace();
    const identity = { namespace, name: 'agent' };
    expect(await componentStatus(contextOf(client()), identity)).toMatchObject({ phase: 'absent', isHealthy: false });
    await roll(namespace);
    const status = await componentStatus(contextOf(client()), identity);
    expect(status).toMatchObject({
      phase: 'settled',
      isHealthy: true,
      rollouts: [{ state: 'complete', available: NODES }],
    });
    expect(new Set(status.objects.map(({ state }) => state))).toEqual(new Set(['present']));
    await client().delete(SECRETS, { namespace, name: 'agent-env-secrets' });
    const ill = await componentStatus(contextOf(client()), identity);
    expect(ill.isHealthy).toBe(false);
    expect(ill.objects.filter(({ state }) => state === 'missing').map(({ object }) => object.kind)).toEqual(['Secret']);
    const all = await listComponents(contextOf(client()), namespace);
    expect(all.map(({ identity: { name } }) => name)).toEqual(['agent']);
  }, 60_000);

  it('goes whole: pods first, cluster-wide objects by the list, its own namespace if nobody else lives there', async () => {
    const namespace = freshNamespace();
    const identity = { namespace, name: 'agent' };
    await roll(namespace);
    const dry = counting(client());
    const planned = await deleteComponent(contextOf(dry.client), identity, { dryRun: true });
    expect(dry.seen).toEqual([]);
    const { outcome, steps } = await deleteComponent(contextOf(client()), identity);
    expect(outcome).toBe('deleted');
    expect(outcomes(steps)).toEqual([
      `deleted DaemonSet ${namespace}/agent`,
      `deleted Secret ${namespace}/agent-env-secrets`,
      `deleted RoleBinding ${namespace}/agent`,
      `deleted Role ${namespace}/agent`,
      `deleted ServiceAccount ${namespace}/agent`,
      `deleted ConfigMap ${namespace}/agent-config`,
      `deleted ClusterRoleBinding ${namespace}-agent`,
      `deleted ClusterRole ${namespace}-agent`,
      `deleted Namespace ${namespace}`,
    ]);
    expect(outcomes(planned.steps).slice(0, 8)).toEqual(outcomes(steps).slice(0, 8));
    expect(await namespaceExists(client(), namespace)).toBe(false);
    await expect(client().get(CLUSTER_ROLES, { name: `${namespace}-agent` })).rejects.toThrow('not found');
    await expect(client().get(CLUSTER_ROLE_BINDINGS, { name: `${namespace}-agent` })).rejects.toThrow('not found');
    expect((await deleteComponent(contextOf(client()), identity)).outcome).toBe('absent');
  }, 60_000);

  it('leaves a namespace in which somebody else lives, and what is to be kept', async () => {
    const namespace = freshNamespace();
    const identity = { namespace, name: 'agent' };
    await applyComponent(contextOf(client()), agent({ namespace }));
    await applyComponent(contextOf(client()), agent({ namespace, name: 'neighbour' }));
    const body = { metadata: { annotations: { 'everynode.dev/keep': 'true' } } };
    await client().patch(CONFIG_MAPS, { namespace, name: 'agent-config' }, { type: 'merge', body });
    const { steps } = await deleteComponent(contextOf(client()), identity);
    expect(steps.filter(({ outcome }) => outcome === 'kept').map(({ object, why }) => [object.kind, why])).toEqual([
      ['ConfigMap', 'it is annotated to be kept'],
      ['Namespace', expect.stringMatching(/lives in it$/)],
    ]);
    await client().get(DAEMON_SETS, { namespace, name: 'neighbour' });
    await expect(inventoryOf(client(), namespace)).rejects.toThrow('not found');
    expect((await componentStatus(contextOf(client()), identity)).phase).toBe('absent');
  }, 60_000);

  it('goes by its marks where the list was lost', async () => {
    const namespace = freshNamespace();
    const identity = { namespace, name: 'agent' };
    await applyComponent(contextOf(client()), agent({ namespace }));
    await client().delete(CONFIG_MAPS, { namespace, name: 'everynode-inventory-agent' });
    const { outcome } = await deleteComponent(contextOf(client()), identity);
    expect(outcome).toBe('deleted');
    expect(await namespaceExists(client(), namespace)).toBe(false);
    await expect(client().get(CLUSTER_ROLES, { name: `${namespace}-agent` })).rejects.toThrow('not found');
  }, 60_000);
});
