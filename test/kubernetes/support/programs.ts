/**
 * Programs of a real control plane: where they are, how one is started, waited for and ended. Each writes into a log of
 * its own, and dies with the process that started it, whatever ends that.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, openSync, closeSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { VERSION } from '../../../src/core/api/version.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', '..', 'scripts', 'get-kubernetes.mjs');
/** Generous: a busy machine is no failure. */
const START_MS = 120_000;
/** kube-apiserver takes more than five seconds to stop; there is nothing in it that a test would miss. */
const STOP_MS = 3_000;
const LOOK_EVERY_MS = 100;

const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export const ALL_PROGRAMS = [...CONTROL_PLANE, 'e2e.test'] as const;
export type ProgramName = (typeof ALL_PROGRAMS)[number];

let folder: string | undefined;

/** Where the programs are; asked for once. */
function programs(): string {
  folder ??= execFileSync(process.execPath, [SCRIPT, '--print'], { encoding: 'utf8' }).trim();
  return folder;
}

/** `v1.36.4`: the release these programs are of; their folder is called after it unless somebody gave another. */
export const releaseOf = (): string => {
  const name = basename(programs());
  return /^\d+\.\d+\.\d+$/.test(name) ? `v${name}` : OWN_RELEASE;
};
const OWN_RELEASE = VERSION.gitVersion.split('+', 1)[0] ?? '';
/** 36 of `v1.36.4`. */
export const minorRelease = (): number => Number(releaseOf().split('.')[1]);
/** Whether it is the release that everynode is like. */
export const isOwnRelease = (): boolean => releaseOf() === OWN_RELEASE;

export const pathOf = (name: ProgramName): string => join(programs(), name);

export const missingPrograms = (wanted: readonly ProgramName[] = CONTROL_PLANE): readonly ProgramName[] =>
  wanted.filter((name) => !existsSync(pathOf(name)));

export interface Program {
  readonly name: ProgramName;
  readonly pid: number;
  /** What it has written so far. */
  log(): string;
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL' | 'SIGTERM'): void;
  stop(): Promise<void>;
  /** Ends it, by force unless it is to end orderly, and starts it again with the same flags. Resolves when it is ready. */
  restart(how: 'orderly' | 'killed'): Promise<Program>;
}

export interface ProgramOptions {
  readonly name: ProgramName;
  readonly args: readonly string[];
  /** For its log. */
  readonly folder: string;
  /** Asked until it says yes. */
  readonly isReady: () => Promise<boolean>;
}

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { name, args, folder: where, isReady } = options;
  const logFile = join(where, `${name}.log`);
  const log = openSync(logFile, 'a');
  // The kernel ends it when we are gone: a test that is killed cannot clean up.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', pathOf(name), ...args], {
    cwd: where,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const program: Program = {
    name,
    pid: child.pid ?? 0,
    log: () => readFileSync(logFile, 'utf8'),
    signal: (signal) => void child.kill(signal),
    async restart(how) {
      if (how === 'killed') child.kill('SIGKILL');
      await program.stop();
      return startProgram(options);
    },
    async stop() {
      if (isOver()) return;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(force);
    },
  };
  const end = Date.now() + START_MS;
  while (!(await isReady().catch(() => false))) {
    if (isOver() || Date.now() > end) {
      await program.stop();
      throw new Error(`${name} did not come up:\n${tail(program.log())}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return program;
}

const tail = (text: string): string => text.trimEnd().split('\n').slice(-20).join('\n');

/** Ports that nobody listens on at this moment. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Whether a program on this machine answers 200; whose certificate it shows is not what is asked here. */
export const answersOk = (port: number, path: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, rejectUnauthorized: false, timeout: 2000 };
    const asking = request(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asking.once('timeout', () => asking.destroy(new Error('no answer')));
    asking.once('error', reject).end();
  });
