/**
 * Kubernetes' own controllers and scheduler on everynode's API server: they find every kind they watch, with the rights
 * that the default roles give them, and do their work.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded, type EmbeddedCluster } from '../../src/assembly/embedded.ts';
import { kubeconfigText } from '../../src/assembly/kubeconfig.ts';
import { issueCertificate } from '../../src/machinery/certificates/certificates.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { daemonSetWorld, until, type DaemonSetWorld } from './support/daemonset-world.ts';
import { missingPrograms, type Program } from './support/programs.ts';
import { startControllerManager, startKubeScheduler } from './support/upstream.ts';

const NODES = 20;

describe.skipIf(missingPrograms().length > 0)('kube-controller-manager and kube-scheduler on our API server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-upstream-'));
  const pki = { certificate: join(folder, 'pki', 'ca.crt'), key: join(folder, 'pki', 'ca.key') };
  let cluster: EmbeddedCluster | undefined;
  let manager: Program | undefined;
  let scheduler: Program | undefined;
  let world: DaemonSetWorld;
  let keepsLogs = true;

  beforeAll(async () => {
    const running = await startEmbedded({
      port: 0,
      bind: '127.0.0.1',
      dataDir: folder,
      groups: [{ name: 'node', count: NODES }],
      controllers: [],
      scheduler: false,
    });
    cluster = running;
    const authority = { certificate: readFileSync(pki.certificate, 'utf8'), key: readFileSync(pki.key, 'utf8') };
    const kubeconfigOf = async (commonName: string): Promise<string> => {
      const client = await issueCertificate(authority, realClock.now(), { subject: { commonName }, usage: 'client' });
      const file = join(folder, `${commonName.replace(':', '-')}.kubeconfig`);
      const text = { server: running.server, authority: authority.certificate, client, name: commonName };
      writeFileSync(file, kubeconfigText(text), { mode: 0o600 });
      return file;
    };
    manager = await startControllerManager({
      folder,
      kubeconfig: await kubeconfigOf('system:kube-controller-manager'),
      controllers: '*',
      ca: pki,
      signingKey: join(folder, 'pki', 'sa.key'),
    });
    scheduler = await startKubeScheduler({ folder, kubeconfig: await kubeconfigOf('system:kube-scheduler') });
    world = daemonSetWorld(running.client);
    keepsLogs = false;
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') keepsLogs = true;
  });
  afterAll(async () => {
    await scheduler?.stop();
    await manager?.stop();
    await cluster?.stop();
    if (keepsLogs) process.stderr.write(`the logs are kept in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  });

  it('bring a pod to every node', async () => {
    await world.create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } } });
    expect(await world.complete(NODES)).toMatchObject({ numberReady: NODES, observedGeneration: 1 });
    const pods = await world.pods();
    expect(new Set(pods.map((pod) => pod.spec.nodeName)).size).toBe(NODES);
    expect(pods.map((pod) => pod.metadata.generateName)).toEqual(Array.from({ length: NODES }, () => 'agent-'));
  });

  it('find everything they want to watch', async () => {
    const logs = (): readonly string[] => [manager, scheduler].flatMap((program) => program?.log().split('\n') ?? []);
    const count = (pattern: RegExp): number => logs().filter((line) => pattern.test(line)).length;
    // The cluster has been at work for a while; the last of forty controllers may still be about to start.
    const { waiting, synced } = await until(
      async () => ({ waiting: count(/"Waiting for caches/), synced: count(/"Caches are synced"/) }),
      (seen) => seen.synced >= seen.waiting && seen.synced > 40,
    );
    expect(synced).toBe(waiting);
    expect(
      logs().filter((line) => /failed to (watch|list)|could not find the requested|forbidden/i.test(line)),
    ).toEqual([]);
  });
});
