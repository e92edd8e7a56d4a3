/**
 * The store alone, without API handling: bare objects for its own cost, and a DaemonSet's pods (2.6 KB of JSON, template
 * parts shared by reference) for the durable path. Directories are made under the system's temporary directory, so
 * durable figures are those of that disk.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Collection } from '../src/apiserver/store/collection.ts';
import { createLogEngine } from '../src/apiserver/store/engines/log/log-engine.ts';
import { createStore } from '../src/apiserver/store/engines/ephemeral-store.ts';
import { openStore } from '../src/apiserver/store/store-over-engine.ts';
import type { Store } from '../src/apiserver/store/store.ts';
import type { Stored } from '../src/core/kube/objects.ts';
import { realClock } from '../src/machinery/time/real-clock.ts';
import { isSelected, reportCase } from './support/report.ts';
import { daemonPod } from './support/daemon-pod.ts';

const PODS = { tenant: 'system', group: '', resource: 'pods' };
const RUNS = 3;

const bareObject = (index: number, revision: number): Stored => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: `object-${index}`,
    namespace: 'default',
    uid: `uid-${index}`,
    resourceVersion: String(revision),
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
});

/** Writes `count` objects with `inFlight` writers that each wait for their answer; returns writes a second. */
async function load(
  store: Store,
  count: number,
  inFlight: number,
  make: (index: number, revision: number) => Stored,
): Promise<number> {
  let next = 0;
  const started = performance.now();
  const writer = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const { metadata } = make(index, 0);
      const key = { ...PODS, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
      await store.write(key, (_accepted, revision) => ({ put: make(index, revision) }));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, writer));
  return count / ((performance.now() - started) / 1000);
}

async function inDirectory<T>(run: (open: () => Promise<Store>) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'everynode-bench-'));
  try {
    return await run(async () => openStore({ clock: realClock, engine: await createLogEngine({ directory }) }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function samples(run: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < RUNS; i++) values.push(await run());
  return values;
}

async function ephemeral(inFlight: number): Promise<number> {
  const store = createStore({ clock: realClock });
  const rate = await load(store, 200_000, inFlight, bareObject);
  await store.close();
  return rate;
}

const durable = (inFlight: number, count: number): Promise<number> =>
  inDirectory(async (open) => {
    const store = await open();
    const rate = await load(store, count, inFlight, daemonPod);
    await store.close();
    return rate;
  });

async function loopDelay(store: Store): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await load(store, 50_000, 100, daemonPod);
  delay.disable();
  await store.close();
  return delay.percentile(99) / 1e6;
}

const loadTime = (): Promise<number> =>
  inDirectory(async (open) => {
    const store = await open();
    await load(store, 50_000, 500, daemonPod);
    await store.close();
    const started = performance.now();
    const again = await open();
    const elapsed = performance.now() - started;
    await again.close();
    return elapsed;
  });

async function listTime(): Promise<number> {
  const store = createStore({ clock: realClock });
  await load(store, 10_000, 100, bareObject);
  const started = performance.now();
  let count = 0;
  for (const _object of store.list(PODS)) count++;
  const elapsed = performance.now() - started;
  await store.close();
  if (count !== 10_000) throw new Error(`listed ${count} objects`);
  return elapsed;
}

function heapPerObject(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const objects = Array.from({ length: 100_000 }, (_, i) => bareObject((i * 7_919) % 100_000, i));
  const collection = new Collection();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (const object of objects) collection.put('default', object.metadata.name ?? '', object);
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / objects.length;
  if (collection.count() !== objects.length) throw new Error('objects were lost');
  return bytes;
}

type Case = readonly [name: string, unit: 's' | 'ms' | '/s' | 'B', run: () => Promise<number>];

const cases: readonly Case[] = [
  ['write-ephemeral-1', '/s', () => ephemeral(1)],
  ['write-ephemeral-100', '/s', () => ephemeral(100)],
  ['write-durable-1', '/s', () => durable(1, 2_000)],
  ['write-durable-10', '/s', () => durable(10, 10_000)],
  ['write-durable-100', '/s', () => durable(100, 40_000)],
  ['loop-delay-ephemeral', 'ms', () => loopDelay(createStore({ clock: realClock }))],
  ['loop-delay-durable', 'ms', () => inDirectory(async (open) => loopDelay(await open()))],
  ['list-10k', 'ms', listTime],
  ['load-50k', 'ms', loadTime],
  ['heap-per-object', 'B', () => Promise.resolve(heapPerObject())],
];

export default async function bench(selected: readonly string[]): Promise<void> {
  for (const [name, unit, run] of cases) {
    if (!isSelected(selected, name)) continue;
    const better = unit === '/s' ? 'higher' : 'lower';
    reportCase({ bench: 'store', case: name, unit, better, samples: await samples(run) });
  }
}
