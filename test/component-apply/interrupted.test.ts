/**
 * Whatever write an apply or a deletion is cut off at, before or after it took effect: the next one finishes, and ends
 * where an undisturbed one would have.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyComponent } from '../../src/control/component/apply/apply.ts';
import { deleteComponent } from '../../src/control/component/apply/delete.ts';
import type { RenderedComponent } from '../../src/control/component/apply/rendered.ts';
import { DAEMON_SETS, NAMESPACES } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { agent } from './component.ts';
import { counting, faulty, interrupted, type Moment } from './faulty-client.ts';
import { contextOf, freshNamespace, openSetting, stateOf, TRANSPORTS, type Setting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await openSetting(0);
}, 60_000);
afterAll(() => setting.stop());

const MOMENTS: readonly Moment[] = ['before', 'after'];

const first = (namespace: string): RenderedComponent => agent({ namespace, extraConfig: 'x' });
/** Something changes, something is new, something goes, and a selector cannot change in place. */
const second = (namespace: string): RenderedComponent =>
  agent({
    namespace,
    config: 'level: debug\n',
    secret: 'another-token',
    image: 'example.test/agent:2',
    selector: { app: 'daemonset', generation: 'two' },
    more: [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'new' } }],
  });
/** Everything that either of them has. */
const both = (namespace: string): RenderedComponent => ({
  identity: first(namespace).identity,
  objects: [
    ...second(namespace).objects,
    ...first(namespace).objects.filter(({ metadata }) => metadata.name === 'agent-extra'),
  ],
});

const stateText = async (client: Client, namespace: string): Promise<string> =>
  JSON.stringify(await stateOf(client, [both(namespace)]), undefined, 1).replaceAll(namespace, 'NS');

interface Case {
  readonly name: string;
  readonly before: (client: Client, namespace: string) => Promise<unknown>;
  readonly disturbed: (client: Client, namespace: string, signal?: AbortSignal) => Promise<unknown>;
}

const update = (client: Client, namespace: string, signal?: AbortSignal): Promise<unknown> =>
  applyComponent(contextOf(client, [], signal), second(namespace), { recreate: true });

const CASES: readonly Case[] = [
  {
    name: 'a first apply',
    before: () => Promise.resolve(),
    disturbed: (client, namespace, signal) => applyComponent(contextOf(client, [], signal), first(namespace)),
  },
  {
    name: 'an update',
    before: (client, namespace) => applyComponent(contextOf(client), first(namespace)),
    disturbed: update,
  },
  {
    name: 'an adoption from kubectl',
    async before(client, namespace) {
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} });
      const set = second(namespace).objects.at(-1) as DaemonSet;
      const labelled = { ...set, metadata: { ...set.metadata, labels: { old: 'label' } } };
      await client.create(DAEMON_SETS, labelled, { fieldManager: 'kubectl-client-side-apply' });
    },
    disturbed: (client, namespace, signal) =>
      applyComponent(contextOf(client, [], signal), second(namespace), { adopt: 'unowned' }),
  },
  {
    name: 'a deletion',
    before: (client, namespace) => applyComponent(contextOf(client), first(namespace)),
    disturbed: (client, namespace, signal) => deleteComponent(contextOf(client, [], signal), first(namespace).identity),
  },
  {
    name: 'a deletion where the namespace stays',
    async before(client, namespace) {
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} });
      await applyComponent(contextOf(client), first(namespace));
    },
    disturbed: (client, namespace, signal) => deleteComponent(contextOf(client, [], signal), first(namespace).identity),
  },
];

describe.each(TRANSPORTS)('cut off, %s', (transport) => {
  it.each(CASES)(
    '$name is finished by the next, whatever write it was cut off at',
    async ({ before, disturbed }) => {
      const client = setting.clients[transport];
      const undisturbed = freshNamespace();
      await before(client, undisturbed);
      const all = counting(client);
      await disturbed(all.client, undisturbed);
      const wanted = await stateText(client, undisturbed);
      expect(all.seen.length).toBeGreaterThan(3);

      // Over HTTP some will do: what differs there is the way, not the order.
      for (let at = 0; at < all.seen.length; at += transport === 'http' ? 3 : 1) {
        for (const moment of transport === 'http' ? ([at % 2 === 0 ? 'after' : 'before'] as const) : MOMENTS) {
          const namespace = freshNamespace();
          await before(client, namespace);
          const cut = interrupted(client, at, moment);
          // A write that met another's and was tried again makes one more now and then, which the next time is not there.
          const isLast = at === all.seen.length - 1;
          const outcome = await disturbed(cut.client, namespace, cut.signal).then(
            () => 'finished',
            (error: unknown) => String(error),
          );
          expect(outcome).toMatch(isLast ? /finished|aborted/ : /aborted/);
          await disturbed(client, namespace);
          expect(await stateText(client, namespace), `${moment} ${all.seen[at] ?? ''}`).toBe(wanted);
        }
      }
    },
    200_000,
  );

  it('an apply cut off and then another manifest: what only the first brought is pruned', async () => {
    const client = setting.clients[transport];
    const namespace = freshNamespace();
    const total = counting(client);
    await applyComponent(contextOf(total.client), first(freshNamespace()));
    const cut = interrupted(client, total.seen.length - 2, 'after');
    await expect(applyComponent(contextOf(cut.client, [], cut.signal), first(namespace))).rejects.toThrow('aborted');
    await update(client, namespace);
    const state = await stateOf(client, [both(namespace)]);
    expect(state['ConfigMap agent-extra']).toBe('absent');
  }, 60_000);

  it('of two at the same time the earlier stops before its next write, and the later wins', async () => {
    const client = setting.clients[transport];
    const namespace = freshNamespace();
    await applyComponent(contextOf(client), first(namespace));
    let isDone = false;
    const slow = faulty(
      client,
      () => undefined,
      async (index) => {
        if (index !== 1 || isDone) return;
        isDone = true;
        await applyComponent(contextOf(client), agent({ namespace, config: 'the later' }));
      },
    );
    const earlier = applyComponent(contextOf(slow.client), agent({ namespace, config: 'earlier', secret: 'abcdefgh' }));
    await expect(earlier).rejects.toMatchObject({ code: 'EN_COMPONENT_APPLY_SUPERSEDED' });
    expect(slow.seen.length).toBe(2);
    const undisturbed = freshNamespace();
    await applyComponent(contextOf(client), agent({ namespace: undisturbed, config: 'the later' }));
    expect(await stateText(client, namespace)).toBe(await stateText(client, undisturbed));
  }, 60_000);

  it('of two that begin at once one is told so', async () => {
    const client = setting.clients[transport];
    const namespace = freshNamespace();
    await applyComponent(contextOf(client), first(namespace));
    const attempts = await Promise.allSettled(
      ['one', 'two', 'three'].map((config) => applyComponent(contextOf(client), agent({ namespace, config }))),
    );
    const failed = attempts.filter((attempt) => attempt.status === 'rejected');
    expect(failed.length).toBeGreaterThan(0);
    for (const { reason } of failed) expect(reason).toMatchObject({ code: 'EN_COMPONENT_APPLY_SUPERSEDED' });
    await applyComponent(contextOf(client), agent({ namespace, config: 'in the end' }));
    const state = await stateOf(client, [agent({ namespace })]);
    expect(state['ConfigMap agent-config']).toMatchObject({ data: { config: 'in the end' } });
  }, 60_000);
});
