import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { aborted } from './time/abort.ts';
import type { Actor } from './actor.ts';
import { createLifecycle, stopOnSignals } from './lifecycle.ts';
import { createVirtualClock } from './time/virtual-clock.ts';

function setUp() {
  const clock = createVirtualClock();
  const seen: string[] = [];
  const actor = (name: string, stopMs = 0): Actor => ({
    name,
    async start(signal) {
      seen.push(`${name} starts`);
      await aborted(signal);
      await clock.sleep(stopMs);
      seen.push(`${name} stopped`);
    },
  });
  return { clock, seen, actor };
}

/** The group's error. Awaited at once, so that a failure never goes unheard. */
const outcome = (promise: Promise<void>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('lifecycle', () => {
  it('starts stages in order and stops them in the opposite one, each when the later has ended', async () => {
    const { clock, seen, actor } = setUp();
    const group = createLifecycle('all', [[actor('server', 10)], [actor('cache', 10)], [actor('controller', 50)]], {
      clock,
    });
    const stop = new AbortController();
    const ended = group.start(stop.signal);
    await clock.drain();
    expect(seen).toEqual(['server starts', 'cache starts', 'controller starts']);
    stop.abort();
    await clock.advance(1000);
    await ended;
    expect(seen.slice(3)).toEqual(['controller stopped', 'cache stopped', 'server stopped']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('stops everything when one fails, and fails with its error', async () => {
    const { clock, seen, actor } = setUp();
    const failing: Actor = {
      name: 'failing',
      start: () => clock.sleep(100).then(() => Promise.reject(new Error('broken'))),
    };
    const group = createLifecycle('all', [[actor('server')], [failing, actor('other')]], { clock });
    const ended = outcome(group.start(new AbortController().signal));
    await clock.advance(1000);
    expect(await ended).toMatchObject({ message: 'broken' });
    expect(seen).toEqual(['server starts', 'other starts', 'other stopped', 'server stopped']);
  });

  it('does not wait for ever for one that will not stop', async () => {
    const { clock, seen, actor } = setUp();
    const stuck: Actor = { name: 'stuck', start: () => new Promise(() => undefined) };
    const group = createLifecycle('all', [[actor('server')], [stuck]], { clock, stopTimeoutMs: 500 });
    const stop = new AbortController();
    const ended = outcome(group.start(stop.signal));
    await clock.drain();
    stop.abort();
    await clock.advance(1000);
    expect(await ended).toMatchObject({
      code: 'EN_MACHINERY_SHUTDOWN_TIMEOUT',
      message: 'did not stop within 500 ms: stuck',
    });
    expect(seen).toEqual(['server starts', 'server stopped']);
  });

  it('ends when all have done their work', async () => {
    const { clock } = setUp();
    const group = createLifecycle('all', [[{ name: 'job', start: () => clock.sleep(10) }]], { clock });
    const ended = group.start(new AbortController().signal);
    await clock.advance(10);
    await expect(ended).resolves.toBeUndefined();
  });

  it('does not take the echo of its own stop for a failure', async () => {
    const { clock } = setUp();
    const sleeper: Actor = { name: 'sleeper', start: (signal) => clock.sleep(1e9, signal) };
    const stop = new AbortController();
    const ended = createLifecycle('all', [[sleeper]], { clock }).start(stop.signal);
    stop.abort();
    await clock.drain();
    await expect(ended).resolves.toBeUndefined();
  });

  it('is ready when all are', () => {
    const { clock } = setUp();
    let ready = false;
    const group = createLifecycle(
      'all',
      [
        [{ name: 'a', start: () => Promise.resolve(), ready: () => ready }],
        [{ name: 'b', start: () => Promise.resolve() }],
      ],
      { clock },
    );
    expect(group.ready?.()).toBe(false);
    ready = true;
    expect(group.ready?.()).toBe(true);
  });
});

describe('signals of the system', () => {
  it('ask once, then force', () => {
    const { clock } = setUp();
    const process = new EventEmitter();
    const forced: number[] = [];
    const stop = stopOnSignals({ clock, process, force: (code) => void forced.push(code) });
    process.emit('SIGTERM');
    expect([stop.signal.aborted, stop.exitCode(), forced]).toEqual([true, 143, []]);
    process.emit('SIGINT');
    expect(forced).toEqual([130]);
    stop.release();
    expect(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')).toBe(0);
  });

  it('force by themselves when stopping takes too long', async () => {
    const { clock } = setUp();
    const process = new EventEmitter();
    const forced: number[] = [];
    stopOnSignals({ clock, process, timeoutMs: 30_000, force: (code) => void forced.push(code) });
    process.emit('SIGINT');
    await clock.advance(30_000);
    expect(forced).toEqual([124]);
  });
});
