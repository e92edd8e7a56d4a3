/**
 * Two clusters that are given the same: a real control plane, and ours. Nobody but the judged is at work on either, so
 * whatever happens there is an answer of theirs. Kubelets are played by the test.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbedded } from '../../../src/assembly/embedded.ts';
import { PODS } from '../../../src/core/api/registry/resources.ts';
import type { Pod } from '../../../src/core/api/types/core-v1.ts';
import { StatusError } from '../../../src/core/kube/status-error.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { createInformers } from '../../../src/machinery/cache/informers.ts';
import type { Lister } from '../../../src/machinery/cache/object-store.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../../src/machinery/random/real-random.ts';
import { silentLogger } from '../../../src/machinery/logging/logger.ts';
import { startOperatorControllers } from '../../support/operator.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { startControllerManager, startKubeScheduler } from '../support/upstream.ts';
import type { Program } from '../support/programs.ts';

export interface Side {
  readonly name: 'kubernetes' | 'everynode';
  readonly client: Client;
  /** Every pod, as the server tells of it. */
  readonly pods: Lister<Pod>;
  /** Resolves when it is so, or at the end of patience, and says whether it is. Asked at every change of a pod. */
  sees(isSo: () => boolean, patienceMs?: number): Promise<boolean>;
  /** What the judged has written since this was last asked. */
  log(): string;
  keepLogs(): void;
  stop(): Promise<void>;
}

/** A busy machine is no difference. */
const PATIENCE_MS = 30_000;
/** Its own limits would make it wait for itself. */
const UNLIMITED = ['--kube-api-qps=2000', '--kube-api-burst=2000'];

async function sideOf(
  name: Side['name'],
  client: Client,
  logs: Pick<Side, 'log' | 'keepLogs'>,
  stop: () => Promise<void>,
): Promise<Side> {
  const informers = createInformers(client, { clock: realClock, random: realRandom, logger: silentLogger });
  const pods = informers.for(PODS);
  const ending = new AbortController();
  const waiting = new Set<() => void>();
  pods.addHandler({ batch: () => waiting.forEach((look) => look()) });
  const running = informers.start(ending.signal).catch(() => undefined);
  await informers.synced();
  return {
    name,
    client,
    pods: pods.lister,
    sees(isSo, patienceMs = PATIENCE_MS) {
      if (isSo()) return Promise.resolve(true);
      return new Promise((resolve) => {
        const end = (answer: boolean): void => {
          clearTimeout(timer);
          waiting.delete(look);
          resolve(answer);
        };
        const timer = setTimeout(() => end(isSo()), patienceMs);
        const look = (): void => void (isSo() && end(true));
        waiting.add(look);
      });
    },
    ...logs,
    async stop() {
      ending.abort();
      await running;
      await stop();
    },
  };
}

export interface Judged {
  /** Both schedulers; ours acts through what is made of its client here. */
  readonly scheduler?: (ours: Client) => Client;
  /** As kube-controller-manager's flag; everynode knows the same names. */
  readonly controllers?: readonly string[];
}

/** Ours runs in this process, without a disk. */
async function startOurs({ scheduler, controllers = [] }: Judged): Promise<Side> {
  const cluster = await startEmbedded({ port: 0, bind: '127.0.0.1', groups: [], controllers, scheduler: false });
  const operator =
    scheduler === undefined ? undefined : await startOperatorControllers(scheduler(cluster.client), ['scheduler']);
  return sideOf('everynode', cluster.client, { log: () => '', keepLogs: () => undefined }, async () => {
    await operator?.stop();
    await cluster.stop();
  });
}

/** It writes down what each node was worth to a pod, where several would do. */
const TELLS_SCORES = '--vmodule=schedule_one=10';

/** Nodes keep the taints they are given, and volumes are not held back by anybody. */
const WITHOUT = '--disable-admission-plugins=TaintNodesByCondition,StorageObjectInUseProtection';

async function startTheirs({ scheduler, controllers = [] }: Judged): Promise<Side> {
  const plane = await startControlPlane({ apiServer: [WITHOUT] });
  const { folder } = plane;
  const programs: Program[] = [];
  const stop = async (): Promise<void> => {
    for (const program of programs) await program.stop();
    await plane.stop();
  };
  try {
    if (controllers.length > 0) {
      const options = {
        folder,
        kubeconfig: await plane.kubeconfigOf({ commonName: 'system:kube-controller-manager' }),
        controllers: controllers.join(','),
        ca: { certificate: join(folder, 'ca.crt'), key: join(folder, 'ca.key') },
        signingKey: join(folder, 'sa.key'),
        args: UNLIMITED,
      };
      programs.push(await startControllerManager(options));
    }
    if (scheduler !== undefined) {
      const kubeconfig = await plane.kubeconfigOf({ commonName: 'system:kube-scheduler' });
      programs.push(await startKubeScheduler({ folder, kubeconfig, args: [...UNLIMITED, TELLS_SCORES] }));
    }
    const logs = { log: followLog(join(folder, 'kube-scheduler.log')), keepLogs: plane.keepLogs };
    return await sideOf('kubernetes', await plane.clientOf(plane.admin), logs, stop);
  } catch (error) {
    plane.keepLogs();
    await stop();
    throw error;
  }
}

export interface Sides {
  readonly kubernetes: Side;
  readonly everynode: Side;
  /** The same done on both, at the same time. */
  both<T>(act: (side: Side) => Promise<T>): Promise<readonly [kubernetes: T, everynode: T]>;
  keepLogs(): void;
  stop(): Promise<void>;
}

export async function startSides(judged: Judged): Promise<Sides> {
  const kubernetes = await startTheirs(judged);
  const everynode = await startOurs(judged);
  return {
    kubernetes,
    everynode,
    both: (act) => Promise.all([act(kubernetes), act(everynode)]),
    keepLogs: () => kubernetes.keepLogs(),
    async stop() {
      await everynode.stop();
      await kubernetes.stop();
    },
  };
}

/** What was added to the file since it was last asked. */
function followLog(file: string): () => string {
  let read = 0;
  return () => {
    if (!existsSync(file)) return '';
    const opened = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(opened).size - read));
      const count = readSync(opened, bytes, 0, bytes.length, read);
      // A line that is being written is read the next time.
      const whole = bytes.subarray(0, count).lastIndexOf('\n') + 1;
      read += whole;
      return bytes.subarray(0, whole).toString();
    } finally {
      closeSync(opened);
    }
  };
}

/** What the server says to it: nothing, or the reason it is refused, which must be the same on both sides. */
export async function refusalOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}
