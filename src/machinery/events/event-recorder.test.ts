import { describe, expect, it } from 'vitest';
import { EVENTS as CORE_EVENTS, EVENTS_IN_EVENTS_GROUP as EVENTS } from '../../core/api/registry/resources.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { createEventRecorder, type EventNote, type EventRecorderOptions } from './event-recorder.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient } from '../testing/fake-client.ts';
import { rememberingMetrics } from '../testing/remembering-metrics.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';

const pod = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '7' },
});
const note = (text: string, more: Partial<EventNote> = {}): EventNote => ({
  type: 'Normal',
  reason: 'Scheduled',
  note: text,
  ...more,
});

function setUp(options: Partial<EventRecorderOptions> = {}) {
  const clock = createVirtualClock();
  const random = createSeededRandom(1);
  const client = createFakeClient({ clock, random });
  const metrics = rememberingMetrics();
  const recorder = createEventRecorder({
    client,
    clock,
    random,
    metrics: metrics.metrics,
    controller: 'everynode.dev/test',
    instance: 'host-1',
    ...options,
  });
  const stop = new AbortController();
  const ended = recorder.start(stop.signal);
  const events = async () => (await client.list(EVENTS)).items;
  const dropped = (why: string) => metrics.value('events_discarded_total', { controller: 'everynode.dev/test', why });
  return { clock, client, recorder, stop, ended, events, dropped };
}

describe('event recorder', () => {
  it('writes what happened to what, by whom and when', async () => {
    const { clock, recorder, events } = setUp();
    recorder.event(
      pod('p'),
      note('it runs', { action: 'Binding', related: { kind: 'Node', name: 'n1', apiVersion: 'v1' } }),
    );
    await clock.drain();
    const [event] = await events();
    expect(event).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      metadata: { namespace: 'ns' },
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: 'p', uid: 'uid-p', resourceVersion: '7' },
      related: { kind: 'Node', name: 'n1' },
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      note: 'it runs',
      reportingController: 'everynode.dev/test',
      reportingInstance: 'host-1',
      eventTime: '2026-01-01T00:00:00.000000Z',
    });
    expect(event?.metadata.name).toMatch(/^p\.[0-9a-f]{16}$/);
    expect(event?.series).toBeUndefined();
  });

  it('names events in the order they were told, also within a millisecond', async () => {
    const { clock, recorder, events } = setUp();
    const told = Array.from({ length: 20 }, (_, i) => `Reason${i}`);
    for (const reason of told) recorder.event(pod('p'), note('x', { reason }));
    await clock.drain();
    const byName = (await events()).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    expect(byName.map(({ reason }) => reason)).toEqual(told);
  });

  it('puts events of cluster-scoped objects into the default namespace', async () => {
    const { clock, recorder, events } = setUp();
    recorder.event({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }, note('ready'));
    await clock.drain();
    expect((await events())[0]?.metadata.namespace).toBe('default');
  });

  it('counts what repeats instead of writing it again', async () => {
    const { clock, client, recorder, events } = setUp();
    for (let i = 0; i < 5; i += 1) {
      recorder.event(pod('p'), note('again'));
      await clock.advance(1000);
    }
    const all = await events();
    expect(all).toHaveLength(1);
    expect(all[0]?.series).toEqual({ count: 5, lastObservedTime: '2026-01-01T00:00:04.000000Z' });
    expect(client.requests.filter(({ verb }) => verb === 'create')).toHaveLength(1);
  });

  it('writes repetitions that come together once', async () => {
    const { clock, client, recorder, events } = setUp();
    for (let i = 0; i < 20; i += 1) recorder.event(pod('p'), note('again'));
    await clock.drain();
    expect((await events())[0]?.series?.count).toBe(20);
    expect(client.requests.filter(({ verb }) => verb === 'create' || verb === 'patch')).toHaveLength(1);
  });

  it('begins a new event after a long silence', async () => {
    const { clock, recorder, events } = setUp();
    recorder.event(pod('p'), note('now'));
    await clock.advance(700_000);
    recorder.event(pod('p'), note('now'));
    await clock.drain();
    expect(await events()).toHaveLength(2);
  });

  it('combines many that differ only in their note', async () => {
    const { clock, recorder, events } = setUp();
    for (let i = 0; i < 20; i += 1) recorder.event(pod('p'), note(`note ${i}`));
    await clock.drain();
    const notes = (await events()).map((event) => [event.note, event.series?.count ?? 1]);
    expect(notes).toHaveLength(11);
    expect(notes.find(([text]) => String(text).startsWith('(combined'))).toEqual([
      '(combined from similar events): note 10',
      10,
    ]);
  });

  it('tells what is important however much was said of the object, within a budget too', async () => {
    const { clock, recorder, events, dropped } = setUp();
    for (let i = 0; i < 40; i += 1) recorder.event(pod('noisy'), note('again'));
    for (let i = 0; i < 30; i += 1) recorder.event(pod('noisy'), { ...note('stopped'), important: true });
    await clock.drain();
    const counts = Object.fromEntries((await events()).map((event) => [event.note, event.series?.count ?? 1]));
    expect([counts, dropped('spam')]).toEqual([{ again: 25, stopped: 25 }, 20]);
  });

  it('silences an object that talks too much, and only that one', async () => {
    const { clock, recorder, events, dropped } = setUp();
    for (let i = 0; i < 40; i += 1) recorder.event(pod('noisy'), note('again'));
    recorder.event(pod('quiet'), note('once'));
    await clock.drain();
    const counts = Object.fromEntries(
      (await events()).map((event) => [event.regarding?.name, event.series?.count ?? 1]),
    );
    expect([counts, dropped('spam')]).toEqual([{ noisy: 25, quiet: 1 }, 15]);
    await clock.advance(301_000);
    recorder.event(pod('noisy'), note('again'));
    await clock.drain();
    expect((await events()).find((event) => event.regarding?.name === 'noisy')?.series?.count).toBe(26);
  });

  it('drops what does not fit into its queue', async () => {
    const { clock, client, recorder, events, dropped } = setUp({ queueLimit: 3 });
    client.before = () => clock.sleep(1000);
    for (let i = 0; i < 10; i += 1) recorder.event(pod(`p${i}`), note('x'));
    await clock.advance(60_000);
    expect(dropped('queue-full')).toBe(7);
    client.before = undefined;
    expect(await events()).toHaveLength(3);
  });

  it('tries again when the server is away for a while', async () => {
    const { clock, client, recorder, events } = setUp();
    let failures = 3;
    client.before = () => {
      if (failures-- > 0) throw new StatusError(503, 'ServiceUnavailable', 'down');
    };
    recorder.event(pod('p'), note('x'));
    await clock.advance(30_000);
    expect(await events()).toHaveLength(1);
  });

  it('gives up on what the server will not have, and goes on with the next', async () => {
    const { clock, client, recorder, events, dropped } = setUp();
    client.before = ({ name }) => {
      if (name.startsWith('bad')) throw new StatusError(403, 'Forbidden', 'the namespace is being terminated');
    };
    recorder.event(pod('bad'), note('x'));
    recorder.event(pod('good'), note('x'));
    await clock.drain();
    expect([(await events()).map((event) => event.regarding?.name), dropped('rejected')]).toEqual([['good'], 1]);
  });

  it('goes on under a new name when its event has expired', async () => {
    const { clock, client, recorder, events } = setUp();
    recorder.event(pod('p'), note('x'));
    await clock.drain();
    await client.deleteCollection(EVENTS, { namespace: 'ns' });
    recorder.event(pod('p'), note('x'));
    await clock.drain();
    const all = await events();
    expect([all.length, all[0]?.series?.count]).toEqual([1, 2]);
  });

  it('takes an event that exists already for its own, whose answer was lost', async () => {
    const { clock, client, recorder, events } = setUp();
    let lose = true;
    client.after = ({ verb }) => {
      if (verb !== 'create' || !lose) return;
      lose = false;
      throw new StatusError(504, 'Timeout', 'lost');
    };
    recorder.event(pod('p'), note('x'));
    await clock.advance(10_000);
    expect(await events()).toHaveLength(1);
  });

  it('writes core events where that is wanted', async () => {
    const { clock, client, recorder } = setUp({ api: 'core' });
    recorder.event(pod('p'), note('x', { type: 'Warning' }));
    await clock.advance(5000);
    recorder.event(pod('p'), note('x', { type: 'Warning' }));
    await clock.drain();
    const [event] = (await client.list(CORE_EVENTS)).items;
    expect(event).toMatchObject({
      involvedObject: { name: 'p' },
      message: 'x',
      type: 'Warning',
      count: 2,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:05Z',
      source: { component: 'everynode.dev/test' },
    });
  });

  it('cuts notes at a kilobyte, between characters', async () => {
    const { clock, recorder, events } = setUp();
    recorder.event(pod('p'), note('ü'.repeat(2000)));
    await clock.drain();
    const text = (await events())[0]?.note ?? '';
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024);
    expect(text).toMatch(/^ü+…$/);
  });

  it('never throws into its caller', () => {
    const { recorder } = setUp();
    expect(() => recorder.event(undefined as unknown as KubeObject, note('x'))).not.toThrow();
    expect(() => recorder.event({ metadata: null } as unknown as KubeObject, note('x'))).not.toThrow();
  });

  it('writes what it has when it is stopped, in the time it is given', async () => {
    const { clock, client, recorder, stop, ended, events, dropped } = setUp({ flushMs: 2500 });
    client.before = () => clock.sleep(1000);
    for (let i = 0; i < 5; i += 1) recorder.event(pod(`p${i}`), note('x'));
    await clock.drain();
    stop.abort();
    await clock.advance(10_000);
    await ended;
    client.before = undefined;
    const written = (await events()).length;
    expect(written).toBeGreaterThanOrEqual(2);
    expect(written).toBeLessThan(5);
    expect(dropped('shutdown')).toBeGreaterThan(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends at once when there is nothing left to write', async () => {
    const { clock, stop, ended } = setUp();
    await clock.drain();
    stop.abort();
    await clock.drain();
    await ended;
    expect(clock.pendingTimers).toBe(0);
  });
});
