import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../core/api/types/core-v1.ts';
import { conflict } from '../../core/kube/status-error.ts';
import type { ObjectKey } from '../../core/kube/objects.ts';
import { CONFIG_MAPS } from '../../core/api/registry/resources.ts';
import { configMap, merge } from '../client/contract/support.contract.ts';
import { createController, forObject, forOwner, TerminalError, type Reconciler } from './controller.ts';
import { createInformer } from '../cache/informer.ts';
import { rememberingLogger } from '../logging/logger.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient } from '../testing/fake-client.ts';
import { rememberingMetrics } from '../testing/remembering-metrics.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';

function setUp(
  reconcile: Reconciler<string>,
  concurrency = 1,
  more: { drainMs?: number; reconcileTimeoutMs?: number } = {},
) {
  const clock = createVirtualClock(0);
  const log = rememberingLogger();
  const metrics = rememberingMetrics();
  const controller = createController<string>({
    name: 'test',
    reconcile,
    clock,
    random: createSeededRandom(1),
    logger: log.logger,
    metrics: metrics.metrics,
    concurrency,
    ...more,
  });
  const stop = new AbortController();
  const stopped = controller.start(stop.signal);
  return { clock, log, metrics, controller, stop: () => stop.abort(), stopped };
}

describe('controller', () => {
  it('reconciles what is added, once for many additions', async () => {
    const seen: string[] = [];
    const { clock, controller, stop, stopped, metrics } = setUp(async (key) => void seen.push(key));
    for (const key of ['a', 'b', 'a']) controller.queue.add(key);
    await clock.drain();
    expect(seen).toEqual(['a', 'b']);
    expect(metrics.value('controller_runtime_reconcile_total', { controller: 'test', result: 'success' })).toBe(2);
    stop();
    await clock.drain();
    await stopped;
  });

  it('works on several keys at a time but never twice on one', async () => {
    const running = new Set<string>();
    let most = 0;
    let doubled = false;
    const { clock, controller } = setUp(async (key) => {
      doubled ||= running.has(key);
      running.add(key);
      most = Math.max(most, running.size);
      await clock.sleep(10);
      running.delete(key);
    }, 3);
    for (let round = 0; round < 5; round += 1) {
      for (const key of ['a', 'b', 'c', 'd', 'e']) controller.queue.add(key);
      await clock.advance(7);
    }
    await clock.runUntilIdle();
    expect([most, doubled]).toEqual([3, false]);
  });

  it('tries again after a failure, later and later, and forgets once it succeeds', async () => {
    const times: number[] = [];
    const { clock, controller, log, metrics } = setUp(async () => {
      times.push(clock.monotonic());
      if (times.length < 5) throw new Error('not yet');
    });
    controller.queue.add('a');
    await clock.runUntilIdle();
    expect(times).toEqual([0, 5, 15, 35, 75]);
    expect(controller.queue.retries('a')).toBe(0);
    expect(metrics.value('controller_runtime_reconcile_errors_total', { controller: 'test' })).toBe(4);
    expect(metrics.value('workqueue_retries_total', { name: 'test', controller: 'test' })).toBe(4);
    const failures = log.lines.filter((line) => line.level === 'error');
    expect(failures[0]?.fields).toMatchObject({ controller: 'test', key: 'a', reconcileID: expect.any(String) });
  });

  it('does not try again what cannot succeed', async () => {
    let count = 0;
    const { clock, controller, metrics } = setUp(async () => {
      count += 1;
      throw new TerminalError('never');
    });
    controller.queue.add('a');
    await clock.runUntilIdle();
    expect(count).toBe(1);
    expect(metrics.value('controller_runtime_terminal_reconcile_errors_total', { controller: 'test' })).toBe(1);
    controller.queue.add('a');
    await clock.drain();
    expect(count).toBe(2);
  });

  it('survives a reconciler that throws before it returns a promise, and counts it as a bug', async () => {
    let count = 0;
    const { clock, controller, metrics } = setUp(() => {
      count += 1;
      if (count === 1) throw new TypeError('undefined is not a function');
      return Promise.resolve();
    });
    controller.queue.add('a');
    await clock.runUntilIdle();
    expect(count).toBe(2);
    expect(metrics.value('controller_runtime_reconcile_panics_total', { controller: 'test' })).toBe(1);
  });

  it('takes a conflict for the ordinary thing it is', async () => {
    let count = 0;
    const { clock, controller, log } = setUp(async () => {
      count += 1;
      if (count === 1) throw conflict({ group: '', resource: 'pods' }, 'p', 'the object has been modified');
    });
    controller.queue.add('a');
    await clock.runUntilIdle();
    expect(count).toBe(2);
    expect(log.lines.filter((line) => line.level === 'error')).toEqual([]);
  });

  it('looks again after the time a reconcile asked for, without counting it as a failure', async () => {
    const times: number[] = [];
    const { clock, controller } = setUp(async () => {
      times.push(clock.monotonic());
      return times.length < 3 ? { requeueAfterMs: 30_000 } : undefined;
    });
    controller.queue.add('a');
    await clock.runUntilIdle();
    expect(times).toEqual([0, 30_000, 60_000]);
    expect(controller.queue.retries('a')).toBe(0);
  });

  it('fires the signal of a reconcile that takes too long, and tries again', async () => {
    let count = 0;
    const { clock, controller } = setUp(
      async (_key, signal) => {
        count += 1;
        if (count === 1) await clock.sleep(60_000, signal);
      },
      1,
      { reconcileTimeoutMs: 1000 },
    );
    controller.queue.add('a');
    await clock.advance(1005);
    expect(count).toBe(2);
  });

  it('stops only when what it began has ended, and starts nothing new', async () => {
    const seen: string[] = [];
    const { clock, controller, stop, stopped } = setUp(
      async (key) => {
        seen.push(`${key} begins`);
        await clock.sleep(1000);
        seen.push(`${key} ends`);
      },
      1,
      { drainMs: 5000 },
    );
    let over = false;
    void stopped.then(() => {
      over = true;
      return over;
    });
    controller.queue.add('a');
    controller.queue.add('b');
    await clock.advance(10);
    stop();
    await clock.advance(500);
    expect(over).toBe(false);
    await clock.advance(500);
    expect([over, seen]).toEqual([true, ['a begins', 'a ends']]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires the signal of those that do not end in the time they are given', async () => {
    const { clock, controller, stop, stopped, log } = setUp((_key, signal) => clock.sleep(3_600_000, signal), 1, {
      drainMs: 100,
    });
    controller.queue.add('a');
    await clock.drain();
    stop();
    await clock.advance(100);
    await stopped;
    expect(log.lines.filter((line) => line.level === 'error')).toEqual([]);
  });

  it('refuses to be started twice', async () => {
    const { controller } = setUp(async () => undefined);
    await expect(controller.start(new AbortController().signal)).rejects.toMatchObject({
      code: 'EN_MACHINERY_ALREADY_STARTED',
    });
  });

  it('waits for its caches, then reconciles every object and every later change', async () => {
    const clock = createVirtualClock(0);
    const random = createSeededRandom(1);
    const client = createFakeClient({ clock, random });
    await client.create(CONFIG_MAPS, configMap('a'), { namespace: 'one' });
    const informer = createInformer(client, CONFIG_MAPS, {}, { clock, random, watchTimeoutMs: 0 });
    const seen: string[] = [];
    const controller = createController<ObjectKey>({
      name: 'test',
      clock,
      random,
      reconcile: async (key) => {
        seen.push(`${key.namespace}/${key.name}: ${informer.lister.get(key.name, key.namespace)?.data?.['n'] ?? '-'}`);
      },
    }).watch(informer, forObject());
    const stop = new AbortController();
    const done = controller.start(stop.signal);
    controller.queue.add({ namespace: 'one', name: 'early' });
    await clock.drain();
    expect([seen, controller.ready()]).toEqual([[], false]);
    const informing = informer.run(stop.signal);
    await clock.drain();
    expect(controller.ready()).toBe(true);
    expect(seen).toEqual(['one/early: -', 'one/a: -']);
    await client.patch(CONFIG_MAPS, { namespace: 'one', name: 'a' }, merge({ data: { n: '1' } }));
    await client.delete(CONFIG_MAPS, { namespace: 'one', name: 'a' });
    await clock.drain();
    expect(seen.slice(2)).toEqual(['one/a: 1', 'one/a: -']);
    stop.abort();
    await clock.drain();
    await Promise.all([done, informing]);
  });

  it('ends quietly when it is stopped while it waits for its caches', async () => {
    const clock = createVirtualClock(0);
    const stop = new AbortController();
    const controller = createController<string>({
      name: 'test',
      clock,
      random: createSeededRandom(1),
      reconcile: async () => undefined,
      waitFor: [(signal) => clock.sleep(1e9, signal)],
    });
    const done = controller.start(stop.signal);
    stop.abort();
    await expect(done).resolves.toBeUndefined();
  });
});

const owned = (apiVersion: string, kind: string, controller: boolean): ConfigMap =>
  configMap('child', {
    metadata: {
      name: 'child',
      namespace: 'ns',
      ownerReferences: [{ apiVersion, kind, name: 'parent', uid: 'u', controller }],
    },
  });

describe('keys of owners', () => {
  it('are those of the controlling owner of the right kind, whatever its version', () => {
    const keys = forOwner({ group: 'apps', kind: 'DaemonSet', namespaced: true });
    expect(keys(owned('apps/v1', 'DaemonSet', true))).toEqual([{ namespace: 'ns', name: 'parent' }]);
    expect(keys(owned('apps/v1beta2', 'DaemonSet', true))).toHaveLength(1);
    expect(keys(owned('apps/v1', 'DaemonSet', false))).toEqual([]);
    expect(keys(owned('apps/v1', 'ReplicaSet', true))).toEqual([]);
    expect(keys(owned('v1', 'DaemonSet', true))).toEqual([]);
    expect(keys(configMap('orphan'))).toEqual([]);
  });

  it('have no namespace when the owner has none', () => {
    const keys = forOwner({ group: '', kind: 'Node', namespaced: false }, 'acme');
    expect(keys(owned('v1', 'Node', true))).toEqual([{ tenant: 'acme', name: 'parent' }]);
  });
});
