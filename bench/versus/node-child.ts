/** A Node.js program in a process of its own, which ends when this process does, for whatever reason. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NodeChild {
  readonly name: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface NodeChildOptions {
  readonly name: string;
  /** Flags of Node.js, the script, and its arguments. */
  readonly args: readonly string[];
  /** Folder of the program's log. */
  readonly folder: string;
  /** The text that the program prints when it is ready. */
  readonly ready: string;
  readonly env?: { readonly [name: string]: string };
}

const START_MS = 120_000;
const STOP_MS = 5_000;
const LOOK_MS = 50;

export async function startNodeChild({ name, args, folder, ready, env }: NodeChildOptions): Promise<NodeChild> {
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', process.execPath, ...args], {
    cwd: folder,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()).once('error', () => resolve()));
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const stop = async (): Promise<void> => {
    if (isOver()) return;
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(force);
  };
  const read = (): string => readFileSync(logFile, 'utf8');
  for (const end = performance.now() + START_MS; !read().includes(ready);) {
    if (isOver() || performance.now() > end) {
      await stop();
      throw new Error(`${name} did not come up:\n${read().slice(-4000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return { name, pid: child.pid ?? 0, stop };
}
