/** The cost of a whole process: to start, to hold pods, and how smoothly it runs under load. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inChild } from '../support/child.ts';
import { BIN, SERVER_FLAG } from '../support/server.ts';
import { reportCase } from '../support/report.ts';

const exec = promisify(execFile);

async function measureHelp(): Promise<void> {
  const samples: number[] = [];
  for (let run = 0; run < 12; run += 1) {
    const began = performance.now();
    await exec(process.execPath, [BIN, '--help']);
    if (run >= 2) samples.push(performance.now() - began);
  }
  reportCase({ bench: 'api', case: 'help', unit: 'ms', better: 'lower', samples });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Requests until an answer comes; no trust is needed to time an answer. */
function answered(port: number): Promise<void> {
  return new Promise((resolve) => {
    const attempt = (): void => {
      const retry = (): void => void setTimeout(attempt, 5);
      request({ host: '127.0.0.1', port, path: '/version', rejectUnauthorized: false }, (response) => {
        response.resume();
        response.on('end', resolve);
      })
        .on('error', retry)
        .end();
    };
    attempt();
  });
}

async function measureStart(): Promise<void> {
  const samples: number[] = [];
  const home = mkdtempSync(join(tmpdir(), 'everynode-bench-'));
  for (let run = 0; run < 6; run += 1) {
    const port = await freePort();
    const began = performance.now();
    const child = spawn(process.execPath, [SERVER_FLAG, BIN, 'up', '--ephemeral', '--port', String(port)], {
      stdio: 'ignore',
      env: { ...process.env, EVERYNODE_HOME: home },
    });
    await answered(port);
    if (run >= 1) samples.push((performance.now() - began) / 1000);
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
  rmSync(home, { recursive: true, force: true });
  reportCase({ bench: 'api', case: 'start', unit: 's', better: 'lower', samples });
}

async function measureHeap(): Promise<void> {
  const samples: number[] = [];
  for (let run = 0; run < 3; run += 1)
    samples.push(
      ...(await inChild<number>(new URL('heap-child.ts', import.meta.url), [
        SERVER_FLAG,
        '--expose-gc',
        '--max-old-space-size=4096',
      ])),
    );
  reportCase({ bench: 'api', case: 'heap-per-pod', unit: 'B', better: 'lower', samples });
}

async function measureLoopDelay(): Promise<void> {
  const samples: number[] = [];
  for (let run = 0; run < 3; run += 1)
    samples.push(...(await inChild<number>(new URL('loop-child.ts', import.meta.url), [SERVER_FLAG])));
  reportCase({ bench: 'api', case: 'loop-delay', unit: 'ms', better: 'lower', samples });
}

const MEASURES: { readonly [name: string]: () => Promise<void> } = {
  help: measureHelp,
  start: measureStart,
  'heap-per-pod': measureHeap,
  'loop-delay': measureLoopDelay,
};

export async function run(cases: readonly string[]): Promise<void> {
  for (const name of cases) await MEASURES[name]?.();
}
