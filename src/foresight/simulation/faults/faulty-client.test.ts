import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '../../../core/api/registry/resources.ts';
import type { ConfigMap } from '../../../core/api/types/core-v1.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { createVirtualClock, type VirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { createSimulatedServer } from '../../../assembly/simulated.ts';
import { createSeededRandom } from '../../../machinery/random/seeded-random.ts';
import { bootstrap } from '../../../apiserver/bootstrap.ts';
import { createLife, type Life } from '../life.ts';
import type { ReadFault, WatchFault, WriteFault } from './fault.ts';
import { createFaultyClient } from './faulty-client.ts';
import { NO_FAULTS } from './plan.ts';

interface Planned {
  readonly write?: WriteFault;
  readonly read?: ReadFault;
  readonly watch?: WatchFault;
}

interface House {
  readonly clock: VirtualClock;
  readonly life: Life;
  readonly plain: Client;
  readonly client: Client;
  readonly crashes: readonly number[];
}

async function house(planned: Planned): Promise<House> {
  const clock = createVirtualClock();
  const server = createSimulatedServer({ clock, random: createSeededRandom(1) });
  const plain = server.client();
  const starting = bootstrap(plain);
  await clock.drain();
  await starting;
  const life = createLife(clock, () => undefined);
  const crashes: number[] = [];
  const points = new Map<string, number>();
  const client = createFaultyClient({
    inner: server.client(),
    actor: 'actor',
    life,
    plan: {
      ...NO_FAULTS,
      // Only the first point of its kind has the fault.
      write: (point) => (point.endsWith('#1') ? planned.write : undefined),
      read: (point) => (point.endsWith('#1') ? planned.read : undefined),
      watch: (point) => (point.endsWith('#1') ? planned.watch : undefined),
    },
    isTroubled: () => true,
    nextPoint(kind) {
      points.set(kind, (points.get(kind) ?? 0) + 1);
      return `${kind} #${points.get(kind)}`;
    },
    draw: () => 0,
    attribute: (run) => run(),
    async touch(resource, key) {
      await plain.patch(resource, key, { type: 'merge', body: { metadata: { annotations: { touched: 'yes' } } } });
    },
    crash(downMs) {
      crashes.push(downMs);
      life.end();
    },
    note: () => undefined,
    count: () => undefined,
    acknowledged: () => undefined,
    shown: () => undefined,
    witness: () => () => undefined,
    oldest: () => 0,
  });
  return { clock, life, plain, client, crashes };
}

const map = (name: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: {},
});
const key = (name: string) => ({ name, namespace: 'default' });

/** `answered`, the code of the failure, or `silence`, after this long. */
async function fate(clock: VirtualClock, promise: Promise<unknown>, ms = 0): Promise<string> {
  let said = 'silence';
  promise.then(
    () => (said = 'answered'),
    (error: unknown) => (said = String((error as StatusError).code)),
  );
  await clock.advance(ms);
  return said;
}

const isThere = async ({ clock, plain }: House, name: string): Promise<boolean> =>
  (await fate(clock, plain.get(CONFIG_MAPS, key(name)))) === 'answered';

describe('a write', () => {
  it.each<[WriteFault, string, boolean]>([
    [{ kind: 'refused', code: 429 }, '429', false],
    [{ kind: 'refused', code: 503 }, '503', false],
    [{ kind: 'answer-lost', code: 504 }, '504', true],
    [{ kind: 'answer-lost', code: 503 }, '503', true],
    [{ kind: 'crash-before', downMs: 5 }, 'silence', false],
    [{ kind: 'crash-after', downMs: 5 }, 'silence', true],
  ])('with %j ends in %s, carried out: %s', async (write, answer, carriedOut) => {
    const made = await house({ write });
    expect(await fate(made.clock, made.client.create(CONFIG_MAPS, map('a')))).toBe(answer);
    expect(await isThere(made, 'a')).toBe(carriedOut);
    expect(made.crashes).toEqual(write.kind.startsWith('crash') ? [5] : []);
  });

  it('that is delayed takes effect late and is answered later', async () => {
    const made = await house({ write: { kind: 'delayed', thereMs: 100, backMs: 50 } });
    const writing = made.client.create(CONFIG_MAPS, map('a'));
    expect(await fate(made.clock, writing, 99)).toBe('silence');
    expect(await isThere(made, 'a')).toBe(false);
    expect(await fate(made.clock, writing, 10)).toBe('silence');
    expect(await isThere(made, 'a')).toBe(true);
    expect(await fate(made.clock, writing, 50)).toBe('answered');
  });

  it('that is under way when its sender ends is never sent', async () => {
    const made = await house({ write: { kind: 'delayed', thereMs: 100, backMs: 0 } });
    const writing = made.client.create(CONFIG_MAPS, map('a'));
    await made.clock.advance(50);
    made.life.end();
    expect(await fate(made.clock, writing, 500)).toBe('silence');
    expect(await isThere(made, 'a')).toBe(false);
  });

  it('that is overtaken meets a real conflict', async () => {
    const made = await house({ write: { kind: 'overtaken' } });
    const creating = made.plain.create(CONFIG_MAPS, map('a'));
    await made.clock.drain();
    const update = made.client.update(CONFIG_MAPS, { ...(await creating), data: { mine: 'yes' } });
    expect(await fate(made.clock, update)).toBe('409');
  });

  it('of one that has ended goes nowhere', async () => {
    const made = await house({});
    made.life.end();
    expect(await fate(made.clock, made.client.create(CONFIG_MAPS, map('a')), 1_000)).toBe('silence');
    expect(await isThere(made, 'a')).toBe(false);
  });
});

describe('a read', () => {
  it('is refused or delayed', async () => {
    const refused = await house({ read: { kind: 'refused', code: 500 } });
    expect(await fate(refused.clock, refused.client.list(CONFIG_MAPS))).toBe('500');
    const delayed = await house({ read: { kind: 'delayed', thereMs: 10, backMs: 10 } });
    const listing = delayed.client.list(CONFIG_MAPS);
    expect(await fate(delayed.clock, listing, 15)).toBe('silence');
    expect(await fate(delayed.clock, listing, 10)).toBe('answered');
  });
});

describe('a watch', () => {
  /** Watches from the present; returns the events and how the watch ended. */
  async function follow(watch: WatchFault, from?: string) {
    const made = await house({ watch });
    const heard: string[] = [];
    let end = 'open';
    const before = made.plain.create(CONFIG_MAPS, map('before'));
    await made.clock.drain();
    const resourceVersion = from ?? (await before).metadata.resourceVersion;
    void (async () => {
      try {
        for await (const batch of made.client.watch(CONFIG_MAPS, { resourceVersion }))
          for (const event of batch) if (event.type !== 'BOOKMARK') heard.push(event.object.metadata.name);
        end = 'ended';
      } catch (error) {
        end = String((error as StatusError).code);
      }
    })();
    await made.clock.drain();
    const write = async (name: string): Promise<void> => {
      void made.plain.create(CONFIG_MAPS, map(name));
      await made.clock.drain();
    };
    return { made, heard, write, end: () => end };
  }

  it('ends after so many events, in order or broken', async () => {
    for (const [broken, how] of [
      [false, 'ended'],
      [true, '503'],
    ] as const) {
      const { heard, write, end } = await follow({ kind: 'dropped', afterEvents: 1, broken });
      await write('a');
      await write('b');
      expect([heard, end()]).toEqual([['a'], how]);
    }
  });

  it('expires', async () => {
    const { heard, write, end } = await follow({ kind: 'expired', afterEvents: 2 });
    for (const name of ['a', 'b', 'c']) await write(name);
    expect([heard, end()]).toEqual([['a', 'b'], '410']);
  });

  it('is held up and then tells everything in order', async () => {
    const { made, heard, write } = await follow({ kind: 'lagging', lags: [{ afterEvents: 0, ms: 1_000 }] });
    await write('a');
    await write('b');
    await made.clock.advance(999);
    expect(heard).toEqual([]);
    await made.clock.advance(1);
    expect(heard).toEqual(['a', 'b']);
  });

  it('repeats what came before', async () => {
    const { heard, write } = await follow({ kind: 'replayed', revisions: 1 });
    await write('a');
    expect(heard).toEqual(['before', 'a']);
  });

  it('of one that has ended is closed and silent', async () => {
    const { made, heard, write, end } = await follow({ kind: 'lagging', lags: [] });
    await write('a');
    made.life.end();
    await write('b');
    await made.clock.advance(1_000);
    expect([heard, end()]).toEqual([['a'], 'open']);
  });
});
