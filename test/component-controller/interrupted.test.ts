/**
 * Whatever write the controller is cut off at, before or after it took effect, as if its process had been killed: the next one
 * finishes, and ends where an undisturbed one would have.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { componentToApply } from '../../src/control/component/apply/from-rendered.ts';
import { readObject } from '../../src/core/component/load/load.ts';
import { renderComponent } from '../../src/core/component/render/render.ts';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  DAEMON_SETS,
  NAMESPACES,
} from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { counting, interrupted, type Moment } from '../component-apply/faulty-client.ts';
import { stateOf } from '../component-apply/setting.ts';
import { change, COMPONENTS, find, getComponent, manifest } from './setting.ts';
import { openVirtualWorld, type VirtualWorld } from './virtual-world.ts';

let world: VirtualWorld;
let client: Client;
beforeAll(async () => {
  world = await openVirtualWorld();
  client = world.client;
}, 60_000);
afterAll(() => world.stop());

const rendered = (name: string) =>
  componentToApply(renderComponent(readObject(manifest({ name, namespace: name })).component));

const stateText = async (name: string): Promise<string> =>
  JSON.stringify(await stateOf(client, [rendered(name)]), undefined, 1)
    .replaceAll(name, 'NAME')
    .replaceAll(
      /"(uid|everynode.dev\/checksum-config|deprecated.daemonset.template.generation)": "[^"]*"/g,
      '"$1": ""',
    );

/** Whoever goes on hears of every end it waits for, and need not look again after a while. */
const SOON_MS = 5_000;

const settle = (name: string) =>
  world.until(
    () => getComponent(client, name),
    ({ status, metadata }) => status?.phase === 'Ready' && status.observedGeneration === metadata.generation,
    SOON_MS,
  );
const gone = (name: string) =>
  world.until(
    () => find(client, COMPONENTS, name, 'default'),
    (object) => object === undefined,
    SOON_MS,
  );

interface Case {
  readonly what: string;
  before(name: string): Promise<unknown>;
  begin(name: string): Promise<unknown>;
  end(name: string): Promise<unknown>;
  check(name: string): Promise<string>;
}

const make = (name: string) => client.create(COMPONENTS, manifest({ name, namespace: name }));
const NOTHING = '[null,null,null]';
const isGone = async (name: string): Promise<string> => {
  const left = [
    await find(client, NAMESPACES, name),
    await find(client, CLUSTER_ROLES, `${name}:${name}`),
    await find(client, CLUSTER_ROLE_BINDINGS, `${name}:${name}`),
  ];
  return JSON.stringify(left);
};

/** With a controller that nobody disturbs. */
async function undisturbed(run: () => Promise<unknown>): Promise<void> {
  const controller = world.start();
  try {
    await run();
  } finally {
    await controller.stop();
  }
}

const CASES: readonly Case[] = [
  {
    what: 'making it',
    before: () => Promise.resolve(),
    begin: make,
    end: settle,
    check: stateText,
  },
  {
    what: 'changing it',
    async before(name) {
      await make(name);
      await settle(name);
    },
    begin: (name) =>
      change(
        client,
        {
          container: {
            app: {
              image: 'example.test/agent:2',
              volumeMounts: [{ name: 'config', mountPath: '/etc/agent', configMap: { name: 'new' } }],
            },
          },
          configMaps: { [`${name}-config`]: null, new: 'x' },
          rbac: null,
        },
        name,
      ),
    end: settle,
    check: stateText,
  },
  {
    what: 'moving it elsewhere',
    async before(name) {
      await make(name);
      await settle(name);
    },
    begin: (name) => change(client, { namespace: `${name}-new` }, name),
    async end(name) {
      await settle(name);
      await world.until(
        () => isGone(name),
        (left) => left === NOTHING,
        SOON_MS,
      );
    },
    check: async (name) =>
      `${await isGone(name)} ${(await getComponent(client, name)).status?.inventory === `${name}-new/everynode-inventory-${name}`}`,
  },
  {
    what: 'taking it away',
    async before(name) {
      await make(name);
      await settle(name);
    },
    begin: (name) => client.delete(COMPONENTS, { namespace: 'default', name }),
    end: gone,
    check: isGone,
  },
];

/** Whoever dies after one write dies before the next: only before the first is nothing done. */
const momentsOf = (at: number): readonly Moment[] => (at === 0 ? ['before', 'after'] : ['after']);

let names = 0;
const freshName = (): string => `cut-${(names += 1)}`;
/** So that those who come later do not look after it, too. */
const clear = async (name: string): Promise<void> => {
  const present = await find(client, COMPONENTS, name, 'default');
  if (present === undefined) return;
  await client.delete(COMPONENTS, { namespace: 'default', name });
  await undisturbed(() => gone(name));
};

describe('a controller that is killed', () => {
  it.each(CASES)(
    'while $what: the next one finishes',
    async ({ before, begin, end, check }) => {
      const whole = freshName();
      await undisturbed(() => before(whole));
      let seen: readonly string[] = [];
      const first = world.start((direct) => {
        const counted = counting(direct);
        seen = counted.seen;
        return counted.client;
      });
      await begin(whole);
      await end(whole);
      await first.stop();
      const wanted = await check(whole);
      await clear(whole);
      expect(seen.length).toBeGreaterThan(4);

      for (const [at, write] of seen.entries()) {
        for (const moment of momentsOf(at)) {
          const name = freshName();
          await undisturbed(() => before(name));
          let signal = new AbortController().signal;
          const victim = world.start((direct) => {
            const cut = interrupted(direct, at, moment);
            signal = cut.signal;
            return cut.client;
          });
          await begin(name);
          expect(await world.runUntil(() => signal.aborted, 10_000), `${moment} ${write} was reached`).toBe(true);
          await victim.stop();
          await undisturbed(() => end(name));
          expect(await check(name), `${moment} ${write}`).toBe(wanted);
          await clear(name);
        }
      }
    },
    60_000,
  );
});

describe('what somebody else holds on to', () => {
  const HOLD = 'example.test/hold';
  const hold = (name: string, finalizers: readonly string[] | null) =>
    client.patch(
      DAEMON_SETS,
      { namespace: name, name },
      { type: 'merge', body: { metadata: { finalizers: finalizers === null ? null : [...finalizers] } } },
    );
  const untilGoing = (name: string) =>
    world.until(
      () => find(client, DAEMON_SETS, name, name),
      (set) => set?.metadata.deletionTimestamp !== undefined,
    );

  it('is waited for, also by who was not there when it began, and its end is noticed at once', async () => {
    const name = freshName();
    await undisturbed(async () => {
      await make(name);
      await settle(name);
      await hold(name, [HOLD]);
      await client.delete(COMPONENTS, { namespace: 'default', name });
      await untilGoing(name);
    });
    await undisturbed(async () => {
      await world.clock.advance(5_000);
      const waiting = await getComponent(client, name);
      expect(waiting.status?.phase).toBe('Deleting');
      expect(JSON.stringify(waiting.status?.conditions)).toContain(`waits for the end of DaemonSet ${name}/${name}`);
      // Nothing that its pods use goes before them.
      expect(await find(client, CLUSTER_ROLES, `${name}:${name}`)).toBeDefined();
      await hold(name, null);
      await gone(name);
    });
    expect(await isGone(name)).toBe(NOTHING);
  });

  it('does not keep a component from moving on', async () => {
    const name = freshName();
    await undisturbed(async () => {
      await make(name);
      await settle(name);
      await hold(name, [HOLD]);
      await change(client, { namespace: `${name}-new` }, name);
      await untilGoing(name);
    });
    await undisturbed(async () => {
      await settle(name);
      await world.clock.advance(5_000);
      await hold(name, null);
      await world.until(
        () => find(client, NAMESPACES, name),
        (namespace) => namespace === undefined,
        SOON_MS,
      );
    });
    await clear(name);
  });
});
