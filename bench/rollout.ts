/**
 * Bench `rollout`: a DaemonSet from creation (or a new template) until every node has its available pod, through the whole
 * control plane in one process. Each sample is a process of its own, warmed up on a smaller cluster.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { measureNodeJoin } from './rollout/node-join.ts';
import { isSelected, median, note, reportCase } from './support/report.ts';
import { SERVER_FLAG } from './support/server.ts';

const exec = promisify(execFile);
const CHILD = fileURLToPath(new URL('rollout/child.ts', import.meta.url));
const RUNS = 3;

interface Sample {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly memoryMiB: number;
}

async function sample(mode: string, nodes: number, dataDir?: string): Promise<Sample> {
  const args = [SERVER_FLAG, CHILD, mode, String(nodes), ...(dataDir === undefined ? [] : [dataDir])];
  const { stdout, stderr } = await exec(process.execPath, args, { maxBuffer: 1 << 24 });
  if (stderr !== '') note(stderr.trim());
  return JSON.parse(stdout) as Sample;
}

async function samples(mode: string, nodes: number): Promise<readonly Sample[]> {
  const all: Sample[] = [];
  for (let run = 0; run < RUNS; run += 1) all.push(await sample(mode, nodes));
  return all;
}

async function durable(nodes: number): Promise<readonly Sample[]> {
  const all: Sample[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'everynode-bench-'));
    try {
      all.push(await sample('create', nodes, join(folder, 'data')));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return all;
}

const seconds = (name: string, all: readonly Sample[]): void => {
  reportCase({ bench: 'rollout', case: name, unit: 's', better: 'lower', samples: all.map((each) => each.seconds) });
  const cpu = median(all.map((each) => each.cpuSeconds)).toFixed(2);
  const memory = Math.round(Math.max(...all.map((each) => each.memoryMiB)));
  note(`${name}: ${cpu} s of CPU, at most ${memory} MiB resident`);
};

const CASES: { readonly [name: string]: () => Promise<void> } = {
  n1000: async () => seconds('n1000', await samples('create', 1000)),
  n5000: async () => seconds('n5000', await samples('create', 5000)),
  n15000: async () => seconds('n15000', await samples('create', 15_000)),
  async n50000() {
    const all = await samples('create', 50_000);
    seconds('n50000', all);
    reportCase({
      bench: 'rollout',
      case: 'n50000-memory',
      unit: 'MiB',
      better: 'lower',
      samples: all.map((each) => each.memoryMiB),
    });
  },
  'n5000-durable': async () => seconds('n5000-durable', await durable(5000)),
  'update-5000': async () => seconds('update-5000', await samples('update', 5000)),
  'node-join-50000x20': async () =>
    reportCase({
      bench: 'rollout',
      case: 'node-join-50000x20',
      unit: 'ms',
      better: 'lower',
      samples: measureNodeJoin(50_000, 20),
    }),
};

export default async function rollout(selected: readonly string[]): Promise<void> {
  const unknown = selected.filter((name) => !Object.hasOwn(CASES, name));
  if (unknown.length > 0) throw new Error(`no case ${unknown.join(', ')}; cases: ${Object.keys(CASES).join(', ')}`);
  for (const [name, run] of Object.entries(CASES)) {
    if (!isSelected(selected, name)) continue;
    note(`# ${name}`);
    await run();
  }
}
