import { describe, expect, it } from 'vitest';
import { SECRETS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../../core/api/registry/resources.ts';
import { serviceUnavailable } from '../../../core/kube/status-error.ts';
import type { KeyPair } from '../../certificates/certificates.ts';
import { rememberingLogger } from '../../logging/logger.ts';
import { realClock } from '../../time/real-clock.ts';
import { createSeededRandom } from '../../random/seeded-random.ts';
import { createFakeClient } from '../../testing/fake-client.ts';
import { createSelfManagedCertificates } from './self-managed.ts';
import { decodeState } from './state.ts';

const OWN = { namespace: 'here', name: 'hook' };
const NAMES = { secret: OWN, service: OWN, validating: [OWN.name] };
const CONFIGURATION = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: OWN.name },
  webhooks: [
    {
      name: 'guard.everynode.dev',
      clientConfig: { service: OWN },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
};

function replicas(count: number) {
  const random = createSeededRandom('self-managed');
  const client = createFakeClient({ clock: realClock, random });
  const stopping = new AbortController();
  const { logger, lines } = rememberingLogger();
  const all = Array.from({ length: count }, () => {
    const used: KeyPair[] = [];
    const use = (pair: KeyPair): void => void used.push(pair);
    const certificates = createSelfManagedCertificates({ client, clock: realClock, random, logger, names: NAMES, use });
    return { used, certificates, follows: certificates.follower.start(stopping.signal) };
  });
  const runs: Promise<void>[] = all.map(({ follows }) => follows);
  return {
    client,
    lines,
    all,
    lead: (index: number, signal = stopping.signal) => {
      const run = all[index]?.certificates.keeper().start(signal) ?? Promise.resolve();
      runs.push(run);
      return run;
    },
    async stop() {
      stopping.abort();
      await Promise.all(runs);
    },
  };
}

describe('self-managed certificates', () => {
  it('reach every replica and a configuration that comes late', async () => {
    const house = replicas(3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(house.all.map(({ used }) => used.length)).toEqual([0, 0, 0]);
    void house.lead(0);
    await until(() => house.all.every(({ used, certificates }) => used.length > 0 && certificates.follower.ready?.()));
    const { serving } = decodeState(await house.client.get(SECRETS, OWN));
    expect(house.all.map(({ used }) => used.at(-1))).toEqual([serving, serving, serving]);
    await house.client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, CONFIGURATION);
    await until(async () => {
      const { webhooks = [] } = await house.client.get(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: OWN.name });
      return webhooks[0]?.clientConfig.caBundle !== undefined;
    });
    await house.stop();
  });

  it('go on under the next leader, and under two at once', async () => {
    const house = replicas(2);
    const first = new AbortController();
    const led = house.lead(0, first.signal);
    void house.lead(1);
    await until(() => house.all.every(({ used }) => used.length > 0));
    first.abort();
    await led;
    const before = house.all[1]?.used.at(-1)?.certificate;
    // Deleted: the second has served it, so it is followed and not replaced.
    await house.client.delete(SECRETS, OWN);
    await until(async () => (await house.client.list(SECRETS, { namespace: OWN.namespace })).items.length === 1);
    const state = decodeState(await house.client.get(SECRETS, OWN));
    expect(state.serving?.certificate).toBe(before);
    expect(state.next).toBeDefined();
    await house.stop();
  });

  it('are tried again when the API server was away', async () => {
    const house = replicas(1);
    let failures = 0;
    house.client.before = ({ resource, verb }) => {
      if (resource !== 'secrets' || verb !== 'create' || failures > 0) return;
      failures += 1;
      throw serviceUnavailable('away');
    };
    void house.lead(0);
    await until(() => (house.all[0]?.used.length ?? 0) > 0);
    expect(failures).toBe(1);
    expect(house.lines.some(({ message }) => message === 'Keeping the webhook certificates failed')).toBe(true);
    await house.stop();
  });
});
