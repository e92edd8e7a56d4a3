import { describe, expect, it } from 'vitest';
import { LEASES } from '../../core/api/registry/resources.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { merge } from '../client/contract/support.contract.ts';
import { createLeaderElection, type LeaderElectionOptions } from './leader-election.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient, type FakeClient } from '../testing/fake-client.ts';
import type { FakeRequest } from '../testing/fake-server.ts';
import { createVirtualClock, type VirtualClock } from '../time/virtual-clock.ts';

const lease = { namespace: 'kube-system', name: 'everynode' };

function setUp() {
  const clock = createVirtualClock();
  const client = createFakeClient({ clock, random: createSeededRandom(1) });
  /** The leaders at this moment; two would be split brain. */
  const leading = new Set<string>();
  const seen: string[] = [];
  let most = 0;

  const candidate = (
    identity: string,
    options: Partial<LeaderElectionOptions> & { readonly via?: FakeClient; readonly at?: VirtualClock } = {},
  ) => {
    const stop = new AbortController();
    const election = createLeaderElection({
      client: options.via ?? client,
      clock,
      random: createSeededRandom(identity),
      lease,
      identity,
      lead: async (signal) => {
        leading.add(identity);
        most = Math.max(most, leading.size);
        seen.push(`${identity} leads`);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        leading.delete(identity);
        seen.push(`${identity} stops`);
      },
      ...options,
    });
    const ended = election.start(stop.signal).then(
      () => 'stopped',
      (error: unknown) => `lost: ${(error as Error).message}`,
    );
    return { election, ended, stop: () => stop.abort() };
  };
  const record = async () => (await client.get(LEASES, lease)).spec;
  return { clock, client, seen, leading, most: () => most, candidate, record };
}

const cut = (): never => {
  throw new StatusError(503, 'ServiceUnavailable', 'cut off');
};

describe('leader election', () => {
  it('makes the first candidate leader and writes down who and since when', async () => {
    const { clock, candidate, record, seen } = setUp();
    const a = candidate('a');
    await clock.drain();
    expect([seen, a.election.isLeader(), a.election.leader()]).toEqual([['a leads'], true, 'a']);
    expect(await record()).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect((await record()).renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  it('keeps one leader as long as it renews', async () => {
    const { clock, candidate, record, leading, most } = setUp();
    candidate('a');
    await clock.drain();
    const b = candidate('b');
    candidate('c');
    const { acquireTime } = await record();
    await clock.advance(600_000);
    expect([[...leading], most(), b.election.leader()]).toEqual([['a'], 1, 'a']);
    expect((await record()).acquireTime).toBe(acquireTime);
  });

  it('lets another in only after a leader that vanished has been silent for the whole lease', async () => {
    const { clock, client, candidate, record, seen } = setUp();
    let partitioned = false;
    const via: FakeClient = {
      ...client,
      update: (...args) => (partitioned ? cut() : client.update(...args)),
      get: (...args) => (partitioned ? cut() : client.get(...args)),
    };
    const a = candidate('a', { via });
    await clock.advance(1000);
    candidate('b');
    await clock.advance(20_000);
    partitioned = true;
    await clock.advance(60_000);
    expect(seen).toEqual(['a leads', 'a stops', 'b leads']);
    expect(await a.ended).toBe('lost: the lease could not be renewed');
    expect(await record()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('stops leading by itself although its request hangs', async () => {
    const { clock, client, candidate, seen, most } = setUp();
    let hang = false;
    client.before = ({ verb }: FakeRequest) =>
      hang && verb === 'update' ? new Promise<void>(() => undefined) : undefined;
    const a = candidate('a');
    await clock.advance(5000);
    hang = true;
    await clock.advance(11_900);
    expect(seen).toEqual(['a leads', 'a stops']);
    expect([a.election.isLeader(), await a.ended, most()]).toEqual([false, 'lost: the lease could not be renewed', 1]);
  });

  it('forgives failures that are shorter than the deadline', async () => {
    const { clock, client, candidate, seen } = setUp();
    candidate('a');
    await clock.advance(5000);
    client.before = cut;
    await clock.advance(6000);
    client.before = undefined;
    await clock.advance(60_000);
    expect(seen).toEqual(['a leads']);
  });

  it('does not believe the times in the lease, only its own watch', async () => {
    const { clock, candidate, seen } = setUp();
    candidate('a');
    await clock.drain();
    // Seen by the newcomer's clock the lease expired years ago, then it lies years ahead; and yet it is renewed.
    clock.jump(10 * 365 * 24 * 3600 * 1000);
    candidate('b');
    await clock.advance(14_000);
    clock.jump(-20 * 365 * 24 * 3600 * 1000);
    await clock.advance(120_000);
    expect(seen).toEqual(['a leads']);
  });

  it('notices when someone else has taken the lease', async () => {
    const { clock, client, candidate, seen } = setUp();
    const a = candidate('a');
    await clock.advance(3000);
    await client.patch(LEASES, lease, merge({ spec: { holderIdentity: 'intruder' } }));
    await clock.advance(3000);
    expect(seen).toEqual(['a leads', 'a stops']);
    expect(await a.ended).toBe('lost: another candidate holds the lease');
  });

  it('makes the lease again when someone deletes it', async () => {
    const { clock, client, candidate, seen, record } = setUp();
    candidate('a');
    await clock.advance(3000);
    await client.delete(LEASES, lease);
    await clock.advance(6000);
    expect([seen, (await record()).holderIdentity]).toEqual([['a leads'], 'a']);
  });

  it('is not confused by a renewal whose answer was lost', async () => {
    const { clock, client, candidate, seen } = setUp();
    candidate('a');
    await clock.advance(3000);
    let lost = 2;
    client.after = ({ verb }) => {
      if (verb === 'update' && lost-- > 0) cut();
    };
    await clock.advance(60_000);
    expect(seen).toEqual(['a leads']);
  });

  it('hands over at once when it stops in order, after its work has ended', async () => {
    const { clock, candidate, record, seen } = setUp();
    const a = candidate('a', { releaseOnStop: true });
    await clock.drain();
    candidate('b');
    await clock.advance(1000);
    a.stop();
    await clock.advance(3000);
    expect(seen).toEqual(['a leads', 'a stops', 'b leads']);
    expect([await a.ended, (await record()).holderIdentity]).toEqual(['stopped', 'b']);
  });

  it('lets go also when a renewal was on its way as the work ended', async () => {
    const { clock, client, candidate, seen } = setUp();
    const a = candidate('a', { releaseOnStop: true });
    await clock.drain();
    // Renewals are done at once, and their answers take a while.
    client.after = ({ verb }) => (verb === 'update' ? clock.sleep(500) : undefined);
    await clock.advance(2100);
    candidate('b');
    a.stop();
    await clock.advance(5000);
    expect(seen).toEqual(['a leads', 'a stops', 'b leads']);
    expect(await a.ended).toBe('stopped');
  });

  it('does not let go of a lease that somebody else has taken meanwhile', async () => {
    const { clock, client, candidate, record } = setUp();
    const a = candidate('a', { releaseOnStop: true });
    await clock.drain();
    await client.patch(LEASES, lease, merge({ spec: { holderIdentity: 'intruder' } }));
    a.stop();
    await clock.advance(100);
    expect([await a.ended, (await record()).holderIdentity]).toEqual(['stopped', 'intruder']);
  });

  it('keeps the lease while the work is being finished, however long that takes', async () => {
    const { clock, candidate, seen } = setUp();
    const finished = Promise.withResolvers<void>();
    const a = candidate('a', {
      releaseOnStop: true,
      async lead(_signal, lost) {
        seen.push('a leads');
        lost.addEventListener('abort', () => seen.push('a lost'));
        await finished.promise;
        seen.push('a finished');
      },
    });
    await clock.drain();
    candidate('b');
    a.stop();
    await clock.advance(60_000);
    expect(seen).toEqual(['a leads']);
    expect(a.election.isLeader()).toBe(true);
    finished.resolve();
    await clock.advance(3000);
    expect(seen).toEqual(['a leads', 'a finished', 'b leads']);
    expect(await a.ended).toBe('stopped');
  });

  it('says that the lead is lost before anybody else can have it, also while the work is being finished', async () => {
    const { clock, client, candidate, seen } = setUp();
    let isCut = false;
    const via: FakeClient = {
      ...client,
      update: (...args) => (isCut ? cut() : client.update(...args)),
      get: (...args) => (isCut ? cut() : client.get(...args)),
    };
    const a = candidate('a', {
      via,
      releaseOnStop: true,
      lead: (_signal, lost) =>
        new Promise((resolve) =>
          lost.addEventListener('abort', () => {
            seen.push('a lost');
            resolve();
          }),
        ),
    });
    await clock.advance(1000);
    candidate('b');
    await clock.advance(5000);
    a.stop();
    isCut = true;
    await clock.advance(11_000);
    expect(seen).toEqual(['a lost']);
    await clock.advance(20_000);
    expect(seen).toEqual(['a lost', 'b leads']);
    expect(await a.ended).toBe('lost: the lease could not be renewed');
  });

  it('tells how long ago the lease was renewed, to whoever watches over the leader', async () => {
    const { clock, candidate } = setUp();
    const a = candidate('a');
    expect(a.election.sinceRenewed()).toBe(undefined);
    await clock.advance(61_000);
    expect(a.election.sinceRenewed()).toBeLessThanOrEqual(2000);
    const b = candidate('b');
    await clock.advance(5000);
    expect(b.election.sinceRenewed()).toBe(undefined);
  });

  it('is lost to whoever looks at the clock, before any timer has run', async () => {
    const { clock, candidate } = setUp();
    let asleep = 0;
    const suspended = { ...clock, monotonic: () => clock.monotonic() + asleep };
    const told: boolean[] = [];
    const a = candidate('a', {
      clock: suspended,
      lead: (signal, lost) => {
        a.election.checkRenewDeadline();
        told.push(lost.aborted);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    });
    await clock.advance(30_000);
    asleep = 7_000;
    a.election.checkRenewDeadline();
    expect([a.election.isLeader(), told]).toEqual([true, [false]]);
    asleep = 10_000;
    a.election.checkRenewDeadline();
    expect(a.election.isLeader()).toBe(false);
    expect(await a.ended).toBe('lost: the lease could not be renewed');
  });

  it('looks at the lease as often as it is told while it waits', async () => {
    const { clock, client, candidate, seen } = setUp();
    const a = candidate('a', { releaseOnStop: true });
    await clock.drain();
    candidate('b', { standbyPeriodMs: 100 });
    await clock.advance(1000);
    const before = client.requests.length;
    a.stop();
    await clock.advance(125);
    expect(seen.at(-1)).toBe('b leads');
    expect(client.requests.length - before).toBeLessThan(10);
  });

  it('leaves the lease to run out when it is not told to release it', async () => {
    const { clock, candidate, seen } = setUp();
    const a = candidate('a');
    await clock.drain();
    candidate('b');
    await clock.advance(1000);
    a.stop();
    await clock.advance(10_000);
    expect(seen).toEqual(['a leads', 'a stops']);
    await clock.advance(10_000);
    expect(seen.at(-1)).toBe('b leads');
  });

  it('stops quietly when it never led', async () => {
    const { clock, candidate } = setUp();
    candidate('a');
    await clock.drain();
    const b = candidate('b');
    await clock.advance(3000);
    b.stop();
    await clock.drain();
    expect(await b.ended).toBe('stopped');
  });

  it('ends when the work ends, and fails when the work fails', async () => {
    const { clock, candidate } = setUp();
    const a = candidate('a', { lead: () => Promise.resolve(), releaseOnStop: true });
    await clock.drain();
    expect(await a.ended).toBe('stopped');
    const b = candidate('b', { lead: () => Promise.reject(new Error('broken')) });
    await clock.advance(5000);
    expect(await b.ended).toBe('lost: broken');
    expect(clock.pendingTimers).toBe(0);
  });

  it('releases the lease when the work fails: a standby leads at once', async () => {
    const { clock, candidate, seen } = setUp();
    const a = candidate('a', {
      lead: () => clock.sleep(1000).then(() => Promise.reject(new Error('broken'))),
      releaseOnStop: true,
    });
    await clock.drain();
    candidate('b');
    await clock.advance(4000);
    expect(await a.ended).toBe('lost: broken');
    expect(seen).toEqual(['b leads']);
  });

  it('tells who leads', async () => {
    const { clock, candidate } = setUp();
    const leaders: string[] = [];
    const a = candidate('a', { releaseOnStop: true });
    await clock.drain();
    candidate('b', { onNewLeader: (identity) => void leaders.push(identity) });
    await clock.advance(5000);
    a.stop();
    await clock.advance(5000);
    expect(leaders).toEqual(['a', 'b']);
  });

  it.each([
    { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 },
    { renewDeadlineMs: 2000, retryPeriodMs: 2000 },
    { retryPeriodMs: 0 },
  ])('refuses times that do not fit together: %o', (times) => {
    const { candidate } = setUp();
    expect(() => candidate('a', times)).toThrow(expect.objectContaining({ code: 'EN_MACHINERY_LEASE_TIMES' }));
  });

  it('never has two leaders, whatever breaks', async () => {
    for (let seed = 0; seed < 15; seed += 1) {
      const { clock, client, candidate, leading, most } = setUp();
      const chance = createSeededRandom(`storm ${seed}`);
      for (const identity of ['a', 'b', 'c']) {
        const restart = (): void => {
          const { ended } = candidate(identity);
          void ended.then(restart);
        };
        restart();
      }
      client.before = () => {
        if (chance.integer(3) === 0) cut();
        return clock.sleep(chance.integer(4000));
      };
      client.after = () => {
        if (chance.integer(5) === 0) cut();
      };
      for (let step = 0; step < 60; step += 1) {
        clock.jump((chance.integer(3) - 1) * 60_000);
        await clock.advance(5000);
      }
      client.before = undefined;
      client.after = undefined;
      await clock.advance(60_000);
      expect([most(), leading.size], `seed ${seed}`).toEqual([1, 1]);
    }
  });
});
