/**
 * A component on a real Kubernetes: applied, changed, cut off, pruned, turned back and taken away, with Kubernetes' own
 * controllers and scheduler over simulated nodes.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { applyComponent } from '../../src/control/component/apply/apply.ts';
import { deleteComponent } from '../../src/control/component/apply/delete.ts';
import { diffComponent } from '../../src/control/component/apply/diff/diff-component.ts';
import { componentHistory } from '../../src/control/component/apply/history.ts';
import { managedFieldsOf } from '../../src/control/component/apply/ownership.ts';
import type { Progress } from '../../src/control/component/apply/progress.ts';
import { waitForRollout } from '../../src/control/component/apply/wait.ts';
import { componentStatus } from '../../src/control/component/apply/status.ts';
import { undoComponent } from '../../src/control/component/apply/undo.ts';
import { CLUSTER_ROLES, CONFIG_MAPS, DAEMON_SETS, NAMESPACES, PODS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import { agent, type AgentOptions } from '../component-apply/component.ts';
import { counting, interrupted, stumbling, type Moment } from '../component-apply/faulty-client.ts';
import { contextOf, namespaceExists, outcomes, stateOf } from '../component-apply/setting.ts';
import { until } from './support/daemonset-world.ts';
import { startOperatedPlane, type OperatedPlane } from './support/operated-plane.ts';
import { missingPrograms } from './support/programs.ts';

const NODES = 8;
const LIMIT_MS = 180_000;
const NAMESPACE = 'logging';
const IDENTITY = { namespace: NAMESPACE, name: 'agent' };
const spec = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 3 } } };

describe.skipIf(missingPrograms().length > 0)('a component on a kube-apiserver', () => {
  let plane: OperatedPlane;
  beforeAll(async () => {
    plane = await startOperatedPlane('kubernetes', NODES);
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') plane.keepLogs();
  });
  afterAll(() => plane?.stop());

  const component = (options: AgentOptions = {}) => agent({ namespace: NAMESPACE, spec, ...options });
  const context = () => contextOf(plane.client);
  const rollout = (told: Progress[] = []) =>
    waitForRollout(contextOf(plane.client, told), { ...IDENTITY, timeoutMs: LIMIT_MS });
  const pods = async () => (await plane.client.list(PODS, { namespace: NAMESPACE })).items;
  const set = () => plane.client.get(DAEMON_SETS, IDENTITY);

  it('is made whole, is rolled out, and then nothing is left to write', async () => {
    const made = await diffComponent(context(), component({ extraConfig: 'x' }));
    expect([made.changed, made.problems]).toEqual([true, []]);
    const { steps } = await applyComponent(context(), component({ extraConfig: 'x' }));
    expect(new Set(steps.map(({ outcome }) => outcome))).toEqual(new Set(['created']));
    // The controller may not have heard of every node when it first counts them.
    const whole = await until(rollout, (all) => all.outcome === 'complete' && all.snapshot.available === NODES);
    expect(whole).toMatchObject({ outcome: 'complete', snapshot: { available: NODES, lagging: [] } });
    const writes = counting(plane.client);
    expect((await applyComponent(contextOf(writes.client), component({ extraConfig: 'x' }))).changed).toBe(false);
    expect(writes.seen).toEqual([]);
    expect((await diffComponent(context(), component({ extraConfig: 'x' }))).texts).toEqual([]);
    expect((await componentStatus(context(), IDENTITY)).isHealthy).toBe(true);
  });

  it('rolls pods within maxUnavailable when a secret changes, and shows nothing of it', async () => {
    const next = component({ extraConfig: 'x', secret: 'another-secret' });
    const diff = await diffComponent(context(), next);
    expect(diff.texts.map(({ object }) => object.kind)).toEqual(['Secret', 'DaemonSet']);
    expect(diff.texts[0]?.text).toContain('*** (after)');
    expect(JSON.stringify(diff)).not.toContain('another-secret');
    const before = new Set((await pods()).map(({ metadata }) => metadata.uid));
    await applyComponent(context(), next);
    const told: Progress[] = [];
    expect((await rollout(told)).outcome).toBe('complete');
    const fewest = Math.min(...told.flatMap((each) => (each.type === 'rollout' ? [each.snapshot.available] : [])));
    expect(fewest).toBeGreaterThanOrEqual(NODES - 3);
    expect((await pods()).filter(({ metadata }) => before.has(metadata.uid))).toEqual([]);
  });

  it('prunes what vanished', async () => {
    const { steps } = await applyComponent(context(), component({ secret: 'another-secret' }));
    expect(outcomes(steps).filter((line) => !line.startsWith('unchanged'))).toEqual([
      `pruned ConfigMap ${NAMESPACE}/agent-extra`,
    ]);
    await expect(plane.client.get(CONFIG_MAPS, { namespace: NAMESPACE, name: 'agent-extra' })).rejects.toThrow(
      'not found',
    );
  });

  it('reports a foreign owner and writes nothing; by force it takes the field', async () => {
    const body = {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'example.test/agent:hotfix' }] } } },
    };
    await plane.client.patch(DAEMON_SETS, IDENTITY, { type: 'strategic', body }, { fieldManager: 'ops' });
    const next = component({ secret: 'another-secret', image: 'example.test/agent:2' });
    const writes = counting(plane.client);
    const conflicts = [{ field: '.spec.template.spec.containers[name="main"].image', manager: 'ops' }];
    await expect(applyComponent(contextOf(writes.client), next)).rejects.toMatchObject({
      code: 'EN_COMPONENT_APPLY_CONFLICT',
      problems: [{ conflicts }],
    });
    expect(writes.seen).toEqual([]);
    await applyComponent(context(), next, { force: true });
    expect((await set()).spec.template.spec?.containers[0]?.image).toBe('example.test/agent:2');
    expect((await rollout()).outcome).toBe('complete');
  });

  it('knows its history, goes back, and comes again with the next apply', async () => {
    const history = await componentHistory(context(), IDENTITY);
    expect(history.at(-1)).toMatchObject({ images: ['example.test/agent:2'], isCurrent: true });
    const first = history.find(({ images }) => images[0] === 'example.test/agent:1');
    const { outcome, to } = await undoComponent(context(), IDENTITY, { toRevision: first?.revision ?? 0 });
    expect([outcome, to.images]).toEqual(['undone', ['example.test/agent:1']]);
    expect((await rollout()).outcome).toBe('complete');
    await applyComponent(context(), component({ secret: 'another-secret', image: 'example.test/agent:2' }));
    expect((await set()).spec.template.spec?.containers[0]?.image).toBe('example.test/agent:2');
    const owners = managedFieldsOf(await set()).map(({ manager }) => manager);
    expect(owners).not.toContain('everynode-undo');
    expect((await rollout()).outcome).toBe('complete');
  });

  it('says that a selector cannot change, and makes the DaemonSet anew when told so', async () => {
    const next = component({ image: 'example.test/agent:2', selector: { app: 'daemonset', more: 'x' } });
    await expect(applyComponent(context(), next)).rejects.toMatchObject({
      code: 'EN_COMPONENT_APPLY_IMMUTABLE',
      message: expect.stringContaining('spec.selector') as string,
    });
    const { steps } = await applyComponent(context(), next, { recreate: true });
    expect(outcomes(steps)).toContain(`recreated DaemonSet ${NAMESPACE}/agent`);
    expect((await rollout()).outcome).toBe('complete');
    expect((await pods()).length).toBe(NODES);
  });

  it('goes whole, with its namespace and what belongs to the cluster', async () => {
    const { outcome, steps } = await deleteComponent(context(), IDENTITY, { waitMs: LIMIT_MS });
    expect(outcome).toBe('deleted');
    expect(outcomes(steps).at(-1)).toBe(`deleted Namespace ${NAMESPACE}`);
    expect(await namespaceExists(plane.client, NAMESPACE)).toBe(false);
    await expect(plane.client.get(CLUSTER_ROLES, { name: `${NAMESPACE}-agent` })).rejects.toThrow('not found');
  });

  it('takes over from client-side kubectl apply', async () => {
    const namespace = 'adopted';
    await plane.client.create(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
      spec: {},
    });
    const rendered = agent({ namespace });
    const ours = rendered.objects.at(-1) as DaemonSet;
    const old = { ...ours, metadata: { ...ours.metadata, labels: { old: 'label' } } };
    await plane.client.create(DAEMON_SETS, old, { fieldManager: 'kubectl-client-side-apply' });
    await applyComponent(context(), rendered, { adopt: 'unowned' });
    const live = await plane.client.get(DAEMON_SETS, { namespace, name: 'agent' });
    expect(live.metadata.labels?.['old']).toBeUndefined();
    const owners = managedFieldsOf(live).filter(({ subresource = '' }) => subresource === '');
    expect(owners.map(({ manager, operation }) => [manager, operation])).toEqual([['everynode', 'Apply']]);
  });

  it('is finished by the next apply wherever it was cut off, and rides out a server that stumbles', async () => {
    const first = (namespace: string) => agent({ namespace, extraConfig: 'x' });
    const second = (namespace: string) => agent({ namespace, config: 'new', image: 'example.test/agent:2' });
    const text = async (namespace: string): Promise<string> =>
      JSON.stringify(await stateOf(plane.client, [first(namespace)])).replaceAll(namespace, 'NS');
    const run = async (namespace: string, at: number, moment: Moment): Promise<readonly string[]> => {
      const made = interrupted(plane.client, at, moment);
      await applyComponent(contextOf(made.client, [], made.signal), first(namespace)).catch(() => undefined);
      await applyComponent(context(), first(namespace));
      const changed = interrupted(plane.client, at, moment);
      await applyComponent(contextOf(changed.client, [], changed.signal), second(namespace)).catch(() => undefined);
      await applyComponent(context(), second(namespace));
      return [...made.seen, ...changed.seen];
    };
    const seen = await run('whole', 99, 'before');
    const wanted = await text('whole');
    for (let at = 0; at < seen.length; at += 2) {
      const namespace = `cut-${at}`;
      await run(namespace, at, at % 4 === 0 ? 'after' : 'before');
      expect(await text(namespace), `${at}`).toBe(wanted);
    }
    const troubled = stumbling(plane.client, 'after');
    await applyComponent(contextOf(troubled.client), first('stumbling'));
    await applyComponent(contextOf(troubled.client), second('stumbling'));
    expect(await text('stumbling')).toBe(wanted);
  });
});
