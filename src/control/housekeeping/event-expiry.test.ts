import { describe, expect, it } from 'vitest';
import { EVENTS } from '../../core/api/registry/resources.ts';
import type { Event } from '../../core/api/types/core-v1.ts';
import { formatMicroTime, formatTime } from '../../core/kube/time.ts';
import { createSeededRandom } from '../../machinery/random/seeded-random.ts';
import { createFakeClient, type FakeClient } from '../../machinery/testing/fake-client.ts';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import { createEventExpiry } from './event-expiry.ts';

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

const eventOf = (name: string, facts: Partial<Event>): Event => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'default' },
  involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
  ...facts,
});

async function run(
  events: readonly Event[],
  forMs: number,
  prepare: (client: FakeClient) => void = () => {},
): Promise<readonly string[]> {
  const clock = createVirtualClock(START);
  const client = createFakeClient({ clock, random: createSeededRandom(1) });
  for (const event of events) await client.create(EVENTS, event);
  prepare(client);
  const stopping = new AbortController();
  const running = createEventExpiry({ client, clock }).start(stopping.signal);
  await clock.advance(forMs);
  stopping.abort();
  await clock.advance(0);
  await running;
  const { items } = await client.list(EVENTS, {});
  return items.map(({ metadata }) => metadata.name);
}

describe('event expiry', () => {
  it('keeps what was told within the hour', async () => {
    expect(await run([eventOf('new', { lastTimestamp: formatTime(START) })], HOUR - 60_000)).toEqual(['new']);
  });

  it('removes what was last told more than an hour ago, in whichever field that stands', async () => {
    const events = [
      eventOf('a', { lastTimestamp: formatTime(START) }),
      eventOf('b', { eventTime: formatMicroTime(START) }),
      eventOf('c', {}),
      eventOf('repeated', {
        eventTime: formatMicroTime(START),
        series: { count: 2, lastObservedTime: formatMicroTime(START + HOUR) },
      }),
    ];
    expect(await run(events, HOUR + 120_000)).toEqual(['repeated']);
  });

  it('goes on after a round that failed', async () => {
    let failures = 1;
    const names = await run([eventOf('old', { lastTimestamp: formatTime(START) })], HOUR + 180_000, (client) => {
      client.before = ({ verb }) => {
        if (verb !== 'delete' || failures === 0) return;
        failures -= 1;
        throw new Error('the disk is full');
      };
    });
    expect(names).toEqual([]);
  });

  it('walks through more than a page', async () => {
    const events = Array.from({ length: 1200 }, (_, i) => eventOf(`e${i}`, { lastTimestamp: formatTime(START) }));
    expect(await run(events, HOUR + 120_000)).toEqual([]);
  });
});
