/** Creates through the in-process client: full API semantics, no HTTP and no JSON in between. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOOPBACK } from '../../src/apiserver/contract/users.ts';
import { createInProcessClient } from '../../src/apiserver/inprocess/in-process-client.ts';
import { bootstrap } from '../../src/apiserver/bootstrap.ts';
import { createEmbeddedApi } from '../../src/assembly/embedded-api.ts';
import { openClusterStore } from '../../src/assembly/cluster-store.ts';
import { PODS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { silentLogger } from '../../src/machinery/logging/logger.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { throughput } from '../support/load.ts';
import { freshPodText, templatePods } from '../support/pods.ts';
import { reportCase } from '../support/report.ts';

const RUNS = 5;
const WARM_UP = 5000;
const COUNT = 20_000;
const IN_FLIGHT = 100;

async function withApi<T>(dataDir: string | undefined, use: (client: Client) => Promise<T>): Promise<T> {
  const store = await openClusterStore(dataDir, realClock, silentLogger);
  const client = createInProcessClient(createEmbeddedApi(store, silentLogger), { user: LOOPBACK });
  try {
    await bootstrap(client);
    return await use(client);
  } finally {
    await store.close();
  }
}

async function measureTemplate(dataDir: string | undefined): Promise<number> {
  return withApi(dataDir, async (client) => {
    const pod = await templatePods(client);
    await throughput(WARM_UP, IN_FLIGHT, (i) => client.create(PODS, pod(i, `node-${i}`)));
    return throughput(COUNT, IN_FLIGHT, (i) => client.create(PODS, pod(WARM_UP + i, `node-${WARM_UP + i}`)));
  });
}

async function measureFresh(): Promise<number> {
  return withApi(undefined, async (client) => {
    const pods = Array.from({ length: WARM_UP + COUNT }, (_, i) => JSON.parse(freshPodText(i)) as Pod);
    const create = (i: number): Promise<unknown> => {
      const pod = pods[i];
      return pod === undefined ? Promise.resolve() : client.create(PODS, pod);
    };
    await throughput(WARM_UP, IN_FLIGHT, create);
    return throughput(COUNT, IN_FLIGHT, (i) => create(WARM_UP + i));
  });
}

async function measureDurable(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-bench-'));
  try {
    return await measureTemplate(join(folder, 'data'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const MEASURES: { readonly [name: string]: () => Promise<number> } = {
  'create-inprocess-ephemeral': () => measureTemplate(undefined),
  'create-inprocess-fresh': measureFresh,
  'create-inprocess-durable': measureDurable,
};

export async function run(cases: readonly string[]): Promise<void> {
  for (const name of cases) {
    const samples: number[] = [];
    for (let i = 0; i < RUNS; i += 1) samples.push((await MEASURES[name]?.()) ?? Number.NaN);
    reportCase({ bench: 'api', case: name, unit: '/s', better: 'higher', samples });
  }
}
