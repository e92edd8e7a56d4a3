/**
 * A real control plane in trouble, with two operators in place of Kubernetes' DaemonSet controller and scheduler: whatever
 * stops, hangs or expires in the middle of a rollout, the rollout ends, no node ever has two pods, and no pod is made twice.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createNodes } from '../../../src/assembly/create-nodes.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { build } from '../../faults/cluster/server-process.ts';
import { startKubelets, type Running } from '../../support/operator.ts';
import { ADMIN, startControlPlane, type ControlPlane } from '../support/control-plane.ts';
import { daemonSetWorld, type DaemonSetWorld } from '../support/daemonset-world.ts';
import { missingPrograms } from '../support/programs.ts';
import { auditIn } from './audit.ts';
import { startOperators, type Operators } from './operators.ts';

const NODES = 40;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

describe.skipIf(missingPrograms(['etcd', 'kube-apiserver', 'kube-controller-manager']).length > 0)(
  'operators on a kube-apiserver',
  () => {
    let folder: string;
    let audit: ReturnType<typeof auditIn>;
    let plane: ControlPlane;
    let client: Client;
    let world: DaemonSetWorld;
    let fleet: Running;
    let operators: Operators;
    let certificate: { readonly cert: string; readonly key: string };
    let round = 0;

    /** The files that a kubeconfig names, as a certificate manager writes them: good for so long. */
    const writeCertificate = async (forMs: number): Promise<void> => {
      const { cert, key } = await plane.certificateOf(ADMIN, forMs);
      writeFileSync(certificate.key, key, { mode: 0o600 });
      writeFileSync(certificate.cert, cert);
    };

    beforeAll(async () => {
      build();
      folder = mkdtempSync(join(tmpdir(), 'everynode-faults-'));
      audit = auditIn(folder);
      plane = await startControlPlane({ controllers: '*,-daemonset-controller', apiServer: audit.flags });
      client = await plane.clientOf(plane.admin);
      world = daemonSetWorld(client);
      certificate = { cert: join(folder, 'client.crt'), key: join(folder, 'client.key') };
      await writeCertificate(3_600_000);
      const kubeconfig = join(folder, 'kubeconfig');
      writeFileSync(kubeconfig, kubeconfigWithFiles(plane, certificate));
      fleet = await startKubelets(await plane.clientOf(plane.admin), { instance: 'fleet' });
      await createNodes(client, [{ name: 'node', count: NODES }], [], realClock, undefined, undefined);
      operators = startOperators(['a', 'b'], { client, kubeconfig, folder });
      await world.create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%' } } });
      await world.complete(NODES);
    });
    afterEach(({ task }) => {
      if (task.result?.state === 'fail') plane.keepLogs();
    });
    afterAll(async () => {
      await operators?.stop();
      await fleet?.stop();
      await plane?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** A rollout that `harm` is done to once it is well under way; looks at the pods all the time. */
    async function rollsOutThrough(harm: () => Promise<void>): Promise<void> {
      round += 1;
      const image = `example.test/agent:round-${round}`;
      await world.setImage(image);
      const crowded: string[] = [];
      let isOver = false;
      const look = async (): Promise<void> => {
        while (!isOver) {
          const pods = await world.pods().catch(() => []);
          const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
          const nodes = alive.map(({ spec }) => spec.nodeName ?? '').filter((name) => name !== '');
          crowded.push(...nodes.filter((name, i) => nodes.indexOf(name) !== i));
          await sleep(100);
        }
      };
      const looking = look();
      try {
        await underWay(image);
        await harm();
        expect(await world.complete(NODES)).toMatchObject({ numberAvailable: NODES, numberMisscheduled: 0 });
      } finally {
        isOver = true;
        await looking;
      }
      const pods = await world.pods();
      expect(pods.map((pod) => pod.spec.containers[0]?.image)).toEqual(pods.map(() => image));
      expect(new Set(pods.map(({ spec }) => spec.nodeName)).size).toBe(NODES);
      expect(pods).toHaveLength(NODES);
      expect(crowded).toEqual([]);
      const made = audit.made().filter((pod) => pod.image === image);
      expect(new Set(made.map(({ node }) => node)).size).toBe(made.length);
      // A server that was killed may have kept the last few answers to itself.
      expect(made.length).toBeGreaterThan(NODES / 2);
    }

    async function underWay(image: string): Promise<void> {
      for (;;) {
        const pods = await world.pods();
        if (pods.some((pod) => pod.spec.containers[0]?.image === image)) return;
        await sleep(20);
      }
    }

    it.each(['killed', 'orderly'] as const)('go on when the API server is restarted: %s', async (how) => {
      await rollsOutThrough(() => plane.restart('kube-apiserver', how));
    });

    it('go on when the API server hangs for longer than a lease', async () => {
      await rollsOutThrough(async () => {
        plane.program('kube-apiserver').signal('SIGSTOP');
        await sleep(9_000);
        plane.program('kube-apiserver').signal('SIGCONT');
      });
    });

    it('go on while etcd is slow', async () => {
      const etcd = plane.program('etcd');
      let isSlow = true;
      const slowing = (async () => {
        while (isSlow) {
          etcd.signal('SIGSTOP');
          await sleep(400);
          etcd.signal('SIGCONT');
          await sleep(100);
        }
      })();
      await rollsOutThrough(async () => {
        await sleep(10_000);
        isSlow = false;
        await slowing;
      });
    });

    it('go on when etcd is killed and comes back', async () => {
      await rollsOutThrough(() => plane.restart('etcd', 'killed'));
    });

    it('take over from a leader that is killed in the middle of its writes, again and again', async () => {
      for (let i = 0; i < 3; i += 1) {
        await rollsOutThrough(async () => {
          const leader = await operators.leader();
          operators.signal(leader, 'SIGKILL');
          await operators.leaderAfter(leader);
        });
      }
    });

    it('keep a leader that slept through its lease from writing when it wakes', async () => {
      await rollsOutThrough(async () => {
        const leader = await operators.leader();
        operators.signal(leader, 'SIGSTOP');
        await operators.leaderAfter(leader);
        operators.signal(leader, 'SIGCONT');
      });
    });

    it('hand over when the leader is asked to stop', async () => {
      await rollsOutThrough(async () => {
        const leader = await operators.leader();
        operators.signal(leader, 'SIGTERM');
        await operators.leaderAfter(leader);
      });
    });

    it('wait for new certificates when theirs expired, and find them in their files', async () => {
      const before = operators.restarts();
      await writeCertificate(5_000);
      // They take up the short-lived one at a restart, one after the other.
      const leader = await operators.leader();
      operators.signal(leader, 'SIGKILL');
      const next = await operators.leaderAfter(leader);
      operators.signal(next, 'SIGKILL');
      await sleep(8_000);
      await world.setImage('example.test/agent:waiting');
      await sleep(5_000);
      expect(await world.images()).toEqual([`example.test/agent:round-${round}`]);
      await writeCertificate(3_600_000);
      expect(await world.complete(NODES)).toMatchObject({ numberAvailable: NODES });
      expect(await world.images()).toEqual(['example.test/agent:waiting']);
      expect(operators.restarts()).toBeGreaterThanOrEqual(before + 2);
    });
  },
);

const kubeconfigWithFiles = (
  { admin, server }: ControlPlane,
  files: { readonly cert: string; readonly key: string },
): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'operator',
    clusters: [{ name: 'operator', cluster: { server, 'certificate-authority': join(admin, '..', 'ca.crt') } }],
    users: [{ name: 'operator', user: { 'client-certificate': files.cert, 'client-key': files.key } }],
    contexts: [{ name: 'operator', context: { cluster: 'operator', user: 'operator' } }],
  });
