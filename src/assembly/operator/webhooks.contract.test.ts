/** Webhooks over the wire: an API server asks two replicas about every write, while their authorities change under it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCluster, type TestCluster } from '../../../test/support/cluster.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  CONFIG_MAPS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  SECRETS,
  SERVICES,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../core/api/registry/resources.ts';
import type { ConfigMap } from '../../core/api/types/core-v1.ts';
import { forbiddenRequest, type StatusError } from '../../core/kube/status-error.ts';
import type { AdmissionPlugin } from '../../machinery/ports/admission.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import { realClock } from '../../machinery/time/real-clock.ts';
import { realRandom } from '../../machinery/random/real-random.ts';
import type { CertificatePolicy } from '../../machinery/webhook/certificates/plan.ts';
import { certificatesIn, decodeState } from '../../machinery/webhook/certificates/state.ts';
import { webhookPath } from '../../machinery/webhook/answer-review.ts';
import { WEBHOOK_NAME } from '../catalogue/rights.ts';
import { startActors, type Undo } from '../common/start-actors.ts';
import { startWebhooks, type Webhooks } from './webhooks.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
/** The second is shorter: an authority that has just taken over is not due again. */
const DUE_AFTER_MS = 30 * SECOND;
const OVERLAP_MS = 20 * SECOND;
/** Certificates are valid for long; an authority is replaced soon all the same. */
const HURRIED: CertificatePolicy = {
  authorityMs: 24 * HOUR,
  authorityRenewBeforeMs: 24 * HOUR - DUE_AFTER_MS,
  servingMs: HOUR,
  servingRenewBeforeMs: HOUR / 2,
  overlapMs: OVERLAP_MS,
};
/**
 * Advances only when the test says so; never by five minutes, since certificates begin that long before they are made.
 */
let now = realClock.now();
const clock: Clock = { ...realClock, now: () => now };

const TEST_PLUGIN: AdmissionPlugin = {
  name: 'test-guard',
  handles: ({ resource }) => resource.resource === 'configmaps',
  mutate: ({ object }) =>
    object === undefined
      ? { allowed: true }
      : {
          allowed: true,
          object: { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, seen: 'yes' } } },
        },
  validate({ name, resource, dryRun, user }) {
    if (name.startsWith('bad')) {
      return { allowed: false, error: forbiddenRequest(resource, name, 'no such names here'), warnings: ['tried'] };
    }
    return { allowed: true, warnings: dryRun ? [`${user.name} only tries`] : [] };
  },
};

const NAMESPACE = 'default';
let cluster: TestCluster;
let client: Client;
let replicas: readonly Webhooks[];
const undo: Undo = [];
let leaders = 0;

/** The other replica keeps the certificates from now on. */
async function nextLeader(): Promise<void> {
  for (const step of undo.splice(0).toReversed()) await step();
  const keeper = replicas[(leaders += 1) % replicas.length]?.keeper();
  void startActors(keeper === undefined ? [] : [keeper], undo);
}

beforeAll(async () => {
  cluster = await startTestCluster({ groups: [], controllers: ['*', '-root-ca-certificate-publisher-controller'] });
  ({ client } = cluster);
  replicas = [1, 2].map(() =>
    startWebhooks({
      client,
      clock,
      random: realRandom,
      logger: silentLogger,
      plugins: [TEST_PLUGIN],
      address: '127.0.0.1',
      port: 0,
      certificates: { kind: 'self-managed', namespace: NAMESPACE, policy: HURRIED },
    }),
  );
  await nextLeader();
  const ports = await Promise.all(replicas.map(({ listening }) => listening));
  // An ExternalName for the address of the webhooks; cluster addresses are not routed here.
  await client.create(SERVICES, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: WEBHOOK_NAME, namespace: NAMESPACE },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  const hook = (phase: 'mutate' | 'validate', index: number) => ({
    name: `${phase}-${index}.everynode.dev`,
    clientConfig: {
      service: {
        namespace: NAMESPACE,
        name: WEBHOOK_NAME,
        port: ports[index] ?? 0,
        path: webhookPath(phase, TEST_PLUGIN.name),
      },
    },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 30,
    failurePolicy: 'Fail',
  });
  const apiVersion = 'admissionregistration.k8s.io/v1';
  await client.create(MUTATING_WEBHOOK_CONFIGURATIONS, {
    apiVersion,
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: WEBHOOK_NAME },
    webhooks: [hook('mutate', 0)],
  });
  await client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, {
    apiVersion,
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: WEBHOOK_NAME },
    webhooks: [hook('validate', 0), hook('validate', 1)],
  });
  await eventually(async () => String((await bundles()).every((bundle) => bundle.length > 0)), /true/);
}, 120_000);

afterAll(async () => {
  for (const step of undo.toReversed()) await step();
  for (const replica of replicas) await replica.stop();
  await cluster.stop();
});

/** The authorities that each webhook believes. */
async function bundles(): Promise<readonly (readonly string[])[]> {
  const found = await Promise.all([
    client.get(MUTATING_WEBHOOK_CONFIGURATIONS, { name: WEBHOOK_NAME }),
    client.get(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: WEBHOOK_NAME }),
  ]);
  return found.flatMap(({ webhooks = [] }) =>
    webhooks.map(({ clientConfig }) =>
      certificatesIn(Buffer.from(clientConfig.caBundle ?? '', 'base64').toString('utf8')),
    ),
  );
}

const configMap = (name: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NAMESPACE },
});

describe('webhooks of the operator', () => {
  it('change and refuse what is written, in the words of the plugin', async () => {
    expect(replicas.map((each) => each.ready())).toEqual([true, true]);
    const made = await client.create(CONFIG_MAPS, configMap('good'));
    expect(made.metadata.labels).toEqual({ seen: 'yes' });
    const refused = await client.create(CONFIG_MAPS, configMap('bad')).catch((error: StatusError) => error.status);
    expect(refused).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'admission webhook "validate-0.everynode.dev" denied the request: configmaps "bad" is forbidden: no such names here',
    });
    await client.create(CONFIG_MAPS, configMap('dry'), { dryRun: true });
    await expect(client.get(CONFIG_MAPS, { namespace: NAMESPACE, name: 'dry' })).rejects.toThrow('not found');
  });

  it('lose no request while authorities, certificates and leaders change', async () => {
    const failures: string[] = [];
    const underWay = new Set<Promise<unknown>>();
    let written = 0;
    let isOver = false;
    const write = async (): Promise<void> => {
      while (!isOver) {
        const request = client.create(CONFIG_MAPS, configMap(`under-way-${(written += 1)}`)).catch((error: Error) => {
          failures.push(error.message);
        });
        underWay.add(request);
        await request;
        underWay.delete(request);
      }
    };
    const writers = Promise.all(Array.from({ length: 6 }, write));
    const state = async () => decodeState(await client.get(SECRETS, { namespace: NAMESPACE, name: WEBHOOK_NAME }));
    const some = async (count: number): Promise<void> => {
      const enough = written + count;
      await eventually(() => Promise.resolve(String(written >= enough || failures.length > 0)), /true/);
    };
    const ROTATIONS = 3;
    const authorities = new Set<string>();
    try {
      for (let rotation = 0; rotation < ROTATIONS && failures.length === 0; rotation++) {
        const before = await state();
        // The next authority is due: it is made, joins every bundle, and that is noted in the Secret.
        now += DUE_AFTER_MS;
        await nextLeader();
        await eventually(async () => String((await state()).everywhereSince), /^\d/);
        const { next } = await state();
        for (const bundle of await bundles()) expect(bundle).toContain(next?.certificate);
        await some(10);
        expect((await state()).serving).toEqual(before.serving);
        // Writes that had read an older bundle are done: that is the purpose of the overlap.
        await Promise.all(underWay);
        now += OVERLAP_MS;
        await nextLeader();
        await eventually(async () => String((await state()).authority?.certificate === next?.certificate), /true/);
        authorities.add(next?.certificate ?? '');
        expect((await state()).serving).not.toEqual(before.serving);
        await some(20);
      }
    } finally {
      isOver = true;
      await writers;
    }
    expect(failures).toEqual([]);
    expect(authorities.size).toBe(ROTATIONS);
    // Former authorities are still trusted: a replica may not have the new certificate yet.
    for (const bundle of await bundles()) expect(bundle.length).toBe(ROTATIONS + 1);
  }, 300_000);

  it('are not ready once stopped', async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(replicas.map((each) => each.ready())).toEqual([false, false]);
  });
});
