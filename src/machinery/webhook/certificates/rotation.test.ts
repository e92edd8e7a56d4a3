/** Years of rotations in virtual time: whatever is slow, a client that believes the bundle can verify every replica. */
import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SECRETS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../../core/api/registry/resources.ts';
import type { ValidatingWebhookConfiguration } from '../../../core/api/types/admissionregistration-v1.ts';
import type { Secret } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { createSeededRandom } from '../../random/seeded-random.ts';
import { createFakeClient, type FakeClient } from '../../testing/fake-client.ts';
import { createVirtualClock, type VirtualClock } from '../../time/virtual-clock.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import { certificatesIn, decodeState, isSignedBy, type CertificateState } from './state.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const OWN = { namespace: 'everynode-system', name: 'everynode-webhook' };
const NAMES = { secret: OWN, service: OWN, validating: [OWN.name] };

const CONFIGURATION: ValidatingWebhookConfiguration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: OWN.name },
  webhooks: [
    {
      name: 'guard.everynode.dev',
      clientConfig: { service: { ...OWN, path: '/validate/guard' } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

interface World {
  readonly clock: VirtualClock;
  readonly client: FakeClient;
  readonly keeper: Keeper;
  secret(): Promise<Stored<Secret>>;
  bundle(): Promise<readonly string[]>;
}

async function world(remembered?: () => CertificateState | undefined, configured = true): Promise<World> {
  const clock = createVirtualClock();
  const client = createFakeClient({ clock, random: createSeededRandom('rotation') });
  if (configured) await client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, CONFIGURATION);
  const keeper = createKeeper({ client, clock, names: NAMES, ...(remembered === undefined ? {} : { remembered }) });
  return {
    clock,
    client,
    keeper,
    secret: () => client.get(SECRETS, OWN),
    async bundle() {
      const { webhooks = [] } = await client.get(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: OWN.name });
      return certificatesIn(Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString());
    },
  };
}

/** As many steps as are due now. */
async function settle({ keeper }: World): Promise<number> {
  for (let steps = 0; steps < 20; steps++) {
    const pause = await keeper.step();
    if (pause > 0) return pause;
  }
  throw new Error('never comes to rest');
}

/** From when until when a client with the bundle believes the certificate; signatures are dear to check. */
function verifier(): (pem: string, bundle: readonly string[]) => readonly [from: number, to: number] {
  const known = new Map<string, readonly [number, number]>();
  return (pem, bundle) => {
    const key = pem + bundle.join('');
    const found = known.get(key) ?? believed(pem, bundle);
    known.set(key, found);
    return found;
  };
}

function believed(pem: string, bundle: readonly string[]): readonly [from: number, to: number] {
  const certificate = new X509Certificate(pem);
  const issuer = bundle.map((each) => new X509Certificate(each)).find((each) => isSignedBy(certificate, each));
  if (issuer === undefined || certificate.checkHost('everynode-webhook.everynode-system.svc') === undefined)
    return [0, 0];
  return [
    Math.max(certificate.validFromDate.getTime(), issuer.validFromDate.getTime()),
    Math.min(certificate.validToDate.getTime(), issuer.validToDate.getTime()),
  ];
}

function expectVerifiable(
  pem: string,
  bundle: readonly string[],
  now: number,
  who: string,
  verify: ReturnType<typeof verifier> = believed,
): void {
  const [from, to] = verify(pem, bundle);
  if (from <= now && now < to) return;
  expect.fail(`${who} cannot be verified at ${new Date(now).toISOString()}, only from ${from} to ${to}`);
}

describe('the certificates of a webhook', () => {
  it('are there at once after a first start, and stay as they are while nothing is due', async () => {
    const it = await world();
    expect(await settle(it)).toBeCloseTo(60 * DAY, -7);
    const { serving, authority } = decodeState(await it.secret());
    expectVerifiable(serving?.certificate ?? '', await it.bundle(), it.clock.now(), 'the replica');
    expect(await it.bundle()).toEqual([authority?.certificate]);
    const before = it.client.revision;
    expect(await it.keeper.step()).toBeGreaterThan(0);
    expect(it.client.revision).toBe(before);
  });

  it('can be verified at every instant of three years, by slow API servers on slow replicas', async () => {
    const it = await world();
    await settle(it);
    const start = it.clock.now();
    /** How late each hears of the Secret, and each API server of the configuration. */
    const replicas = [0, 5 * 60_000, 20 * DAY].map((lag) => ({ lag, history: [] as [number, string][] }));
    const servers = [0, 23 * HOUR].map((lag) => ({ lag, history: [] as [number, readonly string[]][] }));
    const latest = <T>(history: readonly (readonly [number, T])[], before: number): T | undefined =>
      (history.findLast(([at]) => at <= before) ?? history[0])?.[1];
    const authorities = new Set<string>();
    const verify = verifier();
    let looksAt = 0;
    let seen = { revision: '', serving: '', bundle: [] as readonly string[] };
    const served = new Set<string>();
    while (it.clock.now() < start + 3 * 365 * DAY) {
      // The leader looks when something is due, but every third time it is away for five days.
      const isAway = Math.floor((it.clock.now() - start) / (5 * DAY)) % 3 === 1;
      if (!isAway && it.clock.now() >= looksAt) looksAt = it.clock.now() + (await settle(it));
      const now = it.clock.now();
      if (it.client.revision !== seen.revision) {
        const { serving } = decodeState(await it.secret());
        seen = { revision: it.client.revision, serving: serving?.certificate ?? '', bundle: await it.bundle() };
      }
      const { serving, bundle } = seen;
      for (const each of bundle) authorities.add(each);
      served.add(serving);
      for (const replica of replicas) {
        if (replica.history.at(-1)?.[1] !== serving) replica.history.push([now, serving]);
      }
      for (const server of servers) {
        if (server.history.at(-1)?.[1].join() !== bundle.join()) server.history.push([now, bundle]);
      }
      for (const replica of replicas) {
        for (const server of servers) {
          const pem = latest(replica.history, now - replica.lag) ?? '';
          expectVerifiable(pem, latest(server.history, now - server.lag) ?? [], now, `replica ${replica.lag}`, verify);
        }
      }
      await it.clock.advance(6 * HOUR);
    }
    // Each authority signs for 245 days, each certificate serves for 60.
    expect(authorities.size).toBeGreaterThanOrEqual(5);
    expect(authorities.size).toBeLessThanOrEqual(6);
    expect(served.size).toBeGreaterThan(15);
    expect((await it.bundle()).length).toBeLessThanOrEqual(3);
  });

  it('can be verified although a leader died after it had made an authority and told nobody', async () => {
    const it = await world();
    await settle(it);
    // Kept well for months; then the next authority is made, and is in no configuration yet.
    const isStaged = async (): Promise<boolean> => decodeState(await it.secret()).next !== undefined;
    for (let pause = await it.keeper.step(); !(await isStaged()); pause = await it.keeper.step()) {
      await it.clock.advance(pause);
    }
    expect(await it.bundle()).toHaveLength(1);
    await it.clock.advance(10 * DAY);
    const old = decodeState(await it.secret()).serving?.certificate ?? '';
    // An API server that reads configurations almost a day late.
    const seen: [at: number, bundle: readonly string[]][] = [[it.clock.now(), await it.bundle()]];
    const served = new Set<string>();
    for (let hours = 0; hours < 5 * 24; hours += 1) {
      await settle(it);
      const now = it.clock.now();
      seen.push([now, await it.bundle()]);
      const late = (seen.findLast(([at]) => at <= now - 23 * HOUR) ?? seen[0])?.[1] ?? [];
      const pem = decodeState(await it.secret()).serving?.certificate ?? '';
      expectVerifiable(pem, late, now, 'a replica, to a late API server,');
      served.add(pem);
      await it.clock.advance(HOUR);
    }
    expect(served).toContain(old);
    expect(served.size).toBe(2);
  });

  it('are agreed upon by two that both believe to lead', async () => {
    const it = await world();
    const other = createKeeper({ client: it.client, clock: it.clock, names: NAMES });
    const outcomes = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const both = await Promise.allSettled([it.keeper.step(), other.step()]);
      for (const outcome of both) {
        if (outcome.status === 'rejected') outcomes.add((outcome.reason as { reason: string }).reason);
      }
    }
    expect([...outcomes].filter((reason) => reason !== 'Conflict' && reason !== 'AlreadyExists')).toEqual([]);
    const { serving } = decodeState(await it.secret());
    const bundle = await it.bundle();
    expect(bundle).toHaveLength(1);
    expectVerifiable(serving?.certificate ?? '', bundle, it.clock.now(), 'both');
  });

  it('come anew after everything has expired while nobody was there', async () => {
    const it = await world();
    await settle(it);
    await it.clock.advance(800 * DAY);
    await settle(it);
    const { serving, retired } = decodeState(await it.secret());
    expectVerifiable(serving?.certificate ?? '', await it.bundle(), it.clock.now(), 'the replica');
    expect(retired).toEqual([]);
  });

  it('are written again into a configuration that lost them, or that comes late', async () => {
    const late = await world(undefined, false);
    await settle(late);
    await late.client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, CONFIGURATION);
    await settle(late);
    const bundle = await late.bundle();
    expect(bundle).toHaveLength(1);
    const there = await late.client.get(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: OWN.name });
    await late.client.update(VALIDATING_WEBHOOK_CONFIGURATIONS, { ...there, webhooks: CONFIGURATION.webhooks ?? [] });
    await settle(late);
    expect(await late.bundle()).toEqual(bundle);
  });

  it('leave webhooks alone that call somebody else', async () => {
    const it = await world(undefined, false);
    const foreign = { name: 'x.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'] };
    const webhooks = [
      { ...foreign, clientConfig: { url: 'https://example.com/hook' } },
      ...(CONFIGURATION.webhooks ?? []),
    ];
    await it.client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, { ...CONFIGURATION, webhooks });
    await settle(it);
    const { webhooks: found = [] } = await it.client.get(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: OWN.name });
    expect(found[0]?.clientConfig).toEqual({ url: 'https://example.com/hook' });
    expect(found[1]?.clientConfig.caBundle).toBeDefined();
  });

  it.each(['deleted', 'emptied'])(
    'are followed, not replaced, when the Secret is %s: a rotation on demand',
    async (how) => {
      let served: CertificateState | undefined;
      const it = await world(() => served);
      await settle(it);
      served = decodeState(await it.secret());
      const old = served.serving?.certificate ?? '';
      if (how === 'deleted') await it.client.delete(SECRETS, OWN);
      else await it.client.update(SECRETS, { ...(await it.secret()), data: {} });
      await settle(it);
      // Replicas serve the same certificate as before, and clients trust it; the new authority waits.
      expect(decodeState(await it.secret()).serving?.certificate).toBe(old);
      expect(await it.bundle()).toHaveLength(2);
      await it.clock.advance(DAY);
      await settle(it);
      const after = decodeState(await it.secret());
      expect(after.serving?.certificate).not.toBe(old);
      for (const pem of [old, after.serving?.certificate ?? '']) {
        expectVerifiable(pem, await it.bundle(), it.clock.now(), 'a replica');
      }
    },
  );

  it.each([
    ['a key of another certificate', { 'tls.key': 'authority.key' }],
    ['a certificate nobody signed', { 'ca.crt': undefined, 'authority.crt': undefined }],
    ['nonsense', { 'tls.crt': 'nonsense', 'authority.key': 'nonsense' }],
  ])('that were spoilt (%s) are made anew', async (_, changes) => {
    const it = await world();
    await settle(it);
    const secret = await it.secret();
    const data = { ...secret.data };
    for (const [name, from] of Object.entries(changes)) {
      if (from === undefined) delete data[name];
      else data[name] = secret.data?.[from] ?? Buffer.from(from).toString('base64');
    }
    await it.client.update(SECRETS, { ...secret, data });
    await settle(it);
    const { serving } = decodeState(await it.secret());
    expectVerifiable(serving?.certificate ?? '', await it.bundle(), it.clock.now(), 'the replica');
  });
});
