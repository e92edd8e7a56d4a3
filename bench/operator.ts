/**
 * Bench `operator`: the cost of a large cluster for `everynode operator`, with every controller on: seconds from its
 * start until it is ready, memory it then holds and the most it ever held. The API server is ours, in a process of its
 * own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { note, reportCase } from './support/report.ts';
import { BIN, SERVER_FLAG } from './support/server.ts';

const NODES = Number(process.env['EVERYNODE_BENCH_NODES'] ?? 5_000);
const PODS = Number(process.env['EVERYNODE_BENCH_PODS'] ?? 150_000);
const RUNS = Number(process.env['EVERYNODE_BENCH_RUNS'] ?? 3);
/**
 * Modes beside the first run only when named: `whole` is impossible at this size, one answer is longer than a string
 * may be.
 */
const MODES = ['pages', 'stream', 'whole'] as const;
const LIMIT_MS = 900_000;

interface Sample {
  readonly seconds: number;
  /** CPU seconds of the process, which a busy machine does not change as much. */
  readonly cpu: number;
  readonly rss: number;
  readonly peak: number;
}

export default async function operator(selected: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-bench-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const began = performance.now();
  const server = await startServer(kubeconfig);
  note(`# ${NODES} nodes and ${PODS} pods after ${((performance.now() - began) / 1000).toFixed(0)} s`);
  try {
    for (const mode of MODES) {
      if (!(selected.length === 0 ? ['pages'] : selected).includes(mode)) continue;
      const samples: Sample[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        const sample = await measure(kubeconfig, mode);
        note(`# ${mode}: ${JSON.stringify(sample)}`);
        samples.push(sample);
      }
      const report = (what: keyof Sample, unit: 's' | 'MiB') =>
        reportCase({
          bench: 'operator',
          case: `${mode}-${what}`,
          unit,
          better: 'lower',
          samples: samples.map((sample) => sample[what]),
        });
      report('seconds', 's');
      report('cpu', 's');
      report('rss', 'MiB');
      report('peak', 'MiB');
    }
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startServer(kubeconfig: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./operator/server-child.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=8192', script, String(NODES), String(PODS), kubeconfig],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  );
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the server ended')));
  await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
  ended.catch(() => undefined);
  return child;
}

async function measure(kubeconfig: string, mode: string): Promise<Sample> {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [
      SERVER_FLAG,
      BIN,
      'operator',
      '--kubeconfig',
      kubeconfig,
      '--controllers=*,daemonset,scheduler',
      `--initial-state=${mode}`,
      `--health-port=${port}`,
      '--metrics-port=0',
      '--log-level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(child, 'exit');
  try {
    // Ready and at work: the caches are filled, and every controller has seen all objects.
    while (!(await isReady(port))) {
      if (child.exitCode !== null || performance.now() - began > LIMIT_MS) throw new Error('it did not become ready');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const seconds = (performance.now() - began) / 1000;
    const cpu = cpuSeconds(child.pid ?? 0);
    // The garbage collector gets a moment, as it would.
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    return { seconds, cpu, rss: kib('VmRSS') / 1024, peak: kib('VmHWM') / 1024 };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** Clock ticks are hundredths of a second on every Linux that matters. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz?verbose`);
    const text = await response.text();
    return response.ok && text.includes('leader-election ok: leads');
  } catch {
    return false;
  }
}
