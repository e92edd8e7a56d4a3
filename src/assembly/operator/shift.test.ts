import { describe, expect, it } from 'vitest';
import { LEASES } from '../../core/api/registry/resources.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { formatMicroTime } from '../../core/kube/time.ts';
import { aborted } from '../../machinery/time/abort.ts';
import type { Actor } from '../../machinery/actor.ts';
import { rememberingLogger } from '../../machinery/logging/logger.ts';
import { createSeededRandom } from '../../machinery/random/seeded-random.ts';
import { createFakeClient } from '../../machinery/testing/fake-client.ts';
import { noMetrics } from '../../machinery/metrics/metrics.ts';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import { createShift, type ShiftOptions, type Worker } from './shift.ts';

const insteadOf = {
  name: 'daemonset-controller',
  fixEmbedded: 'switch it off',
  lease: 'kube-controller-manager',
  fix: 'make room',
} as const;

function setUp(rows: readonly Worker['row'][], options: Partial<ShiftOptions> = {}, more: Partial<Actor> = {}) {
  const clock = createVirtualClock();
  const random = createSeededRandom(1);
  const client = createFakeClient({ clock, random });
  const { logger, lines } = rememberingLogger();
  const log: string[] = [];
  const actorOf = (name: string): Actor => ({
    name,
    async start(signal) {
      log.push(`${name} works`);
      await aborted(signal);
      log.push(`${name} stops`);
    },
    ...more,
  });
  const workers = rows.map((row) => ({ row, create: () => actorOf(row.name) }));
  const shift = createShift(workers, {
    client,
    clock,
    random,
    logger,
    metrics: noMetrics,
    insteadOfUpstream: false,
    // An everynode server that runs none of the controllers itself.
    runsInServer: () => Promise.resolve([]),
    ...options,
  });
  const stop = new AbortController();
  const run = () =>
    shift.run(stop.signal).then(
      () => 'ended',
      (error: unknown) => error,
    );
  /** kube-controller-manager renews its Lease now. */
  const renew = async (holderIdentity = 'master-0'): Promise<void> => {
    const spec = { holderIdentity, leaseDurationSeconds: 15, renewTime: formatMicroTime(clock.now()) };
    const metadata = { namespace: 'kube-system', name: 'kube-controller-manager' };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    await client.create(LEASES, lease).catch(() => client.update(LEASES, lease));
  };
  return { clock, client, shift, log, lines, stop, run, renew };
}

describe('a shift', () => {
  it('runs all until it is stopped, and waits for them', async () => {
    const { clock, shift, log, stop, run } = setUp([{ name: 'a' }, { name: 'b', insteadOf }]);
    expect(shift.ready()).toBe(false);
    const ended = run();
    await clock.drain();
    expect([shift.ready(), [...shift.states().values()]]).toEqual([true, ['running', 'running']]);
    await clock.advance(60_000);
    stop.abort();
    expect(await ended).toBe('ended');
    expect(log).toEqual(['a works', 'b works', 'a stops', 'b stops']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not do what another one does; the others go on', async () => {
    const { clock, shift, log, lines, run, renew } = setUp([{ name: 'a' }, { name: 'b', insteadOf }]);
    await renew();
    void run();
    await clock.advance(120_000);
    expect(log).toEqual(['a works']);
    expect([shift.states().get('b'), shift.ready()]).toEqual(['refused', false]);
    expect(shift.describe()).toEqual(['a running', 'b refused: kube-controller-manager (master-0) does its work']);
    // Logged once, however often the worker asks again.
    expect(lines.filter(({ level }) => level === 'error').map(({ fields }) => fields)).toEqual([
      { controller: 'b', why: 'kube-controller-manager (master-0) does its work', fix: 'make room' },
    ]);
  });

  it('stops doing what another one begins to do, and does not begin again when that one falls silent', async () => {
    const { clock, shift, log, run, renew } = setUp([{ name: 'a' }, { name: 'b', insteadOf }]);
    void run();
    await clock.advance(30_000);
    await renew();
    await clock.advance(11_000);
    expect(log).toEqual(['a works', 'b works', 'b stops']);
    await clock.advance(600_000);
    expect([log.length, shift.states().get('b')]).toEqual([3, 'refused']);
  });

  it('begins again when the other one has given its Lease back, and is ready only then', async () => {
    const { clock, shift, log, run, renew } = setUp([{ name: 'a' }, { name: 'b', insteadOf }]);
    await renew();
    void run();
    await clock.advance(60_000);
    expect([log, shift.ready()]).toEqual([['a works'], false]);
    await renew('');
    await clock.advance(61_000);
    expect([log, shift.ready()]).toEqual([['a works', 'b works'], true]);
    await renew();
    await clock.advance(11_000);
    await renew('');
    await clock.advance(61_000);
    expect(log).toEqual(['a works', 'b works', 'b stops', 'b works']);
  });

  it('begins again when the server has been started anew without what it ran itself', async () => {
    let inside: readonly string[] = ['daemonset-controller'];
    const { clock, shift, log, run } = setUp([{ name: 'a' }, { name: 'b', insteadOf }], {
      runsInServer: () => Promise.resolve(inside),
    });
    void run();
    await clock.advance(60_000);
    expect([log, shift.ready()]).toEqual([['a works'], false]);
    inside = [];
    await clock.advance(61_000);
    expect([log, shift.ready()]).toEqual([['a works', 'b works'], true]);
  });

  it('takes no missing Lease for a proof that the other one is off', async () => {
    const told = { runsInServer: () => Promise.resolve(undefined) };
    const { clock, client, shift, log, lines, run } = setUp([{ name: 'a' }, { name: 'b', insteadOf }], told);
    void run();
    await clock.advance(600_000);
    expect([log, shift.ready()]).toEqual([['a works'], false]);
    const why =
      'nothing proves that kube-controller-manager leaves this to others: it may run without a Lease (--leader-elect=false, k3s)';
    expect(lines.filter(({ level }) => level === 'error').map(({ fields }) => fields)).toEqual([
      { controller: 'b', why, fix: 'make room' },
    ]);
    // A Lease that cannot be read proves no more.
    client.before = () => {
      throw new StatusError(403, 'Forbidden', 'no');
    };
    await clock.advance(120_000);
    expect(log).toEqual(['a works']);
    const alone = setUp([{ name: 'b', insteadOf }], told);
    expect(await alone.run()).toMatchObject({
      code: 'EN_ASSEMBLY_NOTHING_RUNS',
      message: expect.stringContaining('nothing proves that kube-controller-manager') as string,
    });
    const sure = setUp([{ name: 'b', insteadOf }], { ...told, insteadOfUpstream: true });
    void sure.run();
    await sure.clock.advance(60_000);
    expect(sure.log).toEqual(['b works']);
  });

  it('does not do what the server does itself, whatever it is told of upstream, and sees when that begins', async () => {
    let inside: readonly string[] = ['daemonset-controller'];
    const told = { insteadOfUpstream: true, runsInServer: () => Promise.resolve(inside) };
    const first = setUp([{ name: 'b', insteadOf }], told);
    expect(await first.run()).toMatchObject({
      code: 'EN_ASSEMBLY_NOTHING_RUNS',
      message: expect.stringContaining('switch it off') as string,
    });
    expect(first.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields)).toEqual([
      { controller: 'b', why: 'everynode up (daemonset-controller) does its work', fix: 'switch it off' },
    ]);
    inside = ['kube-scheduler'];
    const second = setUp([{ name: 'a' }, { name: 'b', insteadOf }], told);
    void second.run();
    await second.clock.advance(30_000);
    inside = ['daemonset-controller'];
    await second.clock.advance(11_000);
    expect(second.log).toEqual(['a works', 'b works', 'b stops']);
    second.stop.abort();
    await second.clock.drain();
  });

  it('tells what those that run do not know yet', async () => {
    const { clock, shift, stop, run } = setUp([{ name: 'a' }], {}, { unknown: () => [LEASES] });
    expect([...shift.unknown()]).toEqual([]);
    const ended = run();
    await clock.drain();
    expect([...shift.unknown()]).toEqual([LEASES]);
    stop.abort();
    await ended;
  });

  it('fails where there is nothing left to do, and says what would help', async () => {
    const { run, renew } = setUp([{ name: 'b', insteadOf }]);
    await renew();
    expect(await run()).toMatchObject({
      code: 'EN_ASSEMBLY_NOTHING_RUNS',
      message: expect.stringContaining('make room') as string,
    });
  });

  it('does not look when it is told that the other one is off', async () => {
    const { clock, log, run, renew, client } = setUp([{ name: 'b', insteadOf }], { insteadOfUpstream: true });
    await renew();
    void run();
    await clock.advance(60_000);
    expect(log).toEqual(['b works']);
    expect(client.requests.filter(({ verb }) => verb === 'get')).toEqual([]);
  });

  it('asks a server that is overloaded until it answers, and works only then', async () => {
    const { clock, log, run, client } = setUp([{ name: 'b', insteadOf }]);
    client.before = () => {
      throw new StatusError(429, 'TooManyRequests', 'later');
    };
    void run();
    await clock.advance(120_000);
    expect(log).toEqual([]);
    client.before = undefined;
    await clock.advance(61_000);
    expect(log).toEqual(['b works']);
  });

  it('stops only the one that may not ask who acts, says which right it lacks, and begins again with it', async () => {
    const { clock, log, shift, run, client, stop } = setUp([{ name: 'a' }, { name: 'b', insteadOf }]);
    const ended = run();
    await clock.advance(1000);
    client.before = () => {
      throw new StatusError(403, 'Forbidden', 'no');
    };
    await clock.advance(20_000);
    expect([log, shift.ready()]).toEqual([['a works', 'b works', 'b stops'], false]);
    expect(shift.describe()).toEqual([
      'a running',
      'b refused: it may not read the Lease kube-system/kube-controller-manager',
    ]);
    client.before = undefined;
    await clock.advance(61_000);
    expect([log.slice(3), shift.ready()]).toEqual([['b works'], true]);
    stop.abort();
    expect(await ended).toBe('ended');
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits for its rights where none may ask who acts, and does not end for it', async () => {
    const { clock, log, shift, run, client, stop } = setUp([{ name: 'b', insteadOf }]);
    client.before = () => {
      throw new StatusError(403, 'Forbidden', 'no');
    };
    const ended = run();
    await clock.advance(600_000);
    expect([log, shift.states().get('b')]).toEqual([[], 'refused']);
    client.before = undefined;
    await clock.advance(61_000);
    expect(log).toEqual(['b works']);
    stop.abort();
    expect(await ended).toBe('ended');
  });

  it('fails, and stops all, when one cannot go on', async () => {
    const { clock, random } = { clock: createVirtualClock(), random: createSeededRandom(1) };
    const client = createFakeClient({ clock, random });
    const log: string[] = [];
    const good: Actor = {
      name: 'good',
      async start(signal) {
        await aborted(signal);
        log.push('good stopped');
      },
    };
    const bad: Actor = { name: 'bad', start: () => Promise.reject(new Error('broken')) };
    const { logger } = rememberingLogger();
    const shift = createShift(
      [
        { row: { name: 'good' }, create: () => good },
        { row: { name: 'bad' }, create: () => bad },
      ],
      { client, clock, random, logger, metrics: noMetrics, insteadOfUpstream: false },
    );
    await expect(shift.run(new AbortController().signal)).rejects.toMatchObject({
      message: 'bad could not go on',
      cause: { message: 'broken' },
    });
    expect(log).toEqual(['good stopped']);
  });
});
