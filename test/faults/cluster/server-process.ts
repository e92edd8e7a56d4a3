/** The published server as a process of its own: started, killed, and started again on the same directory. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { credentialsOf, type Credentials } from '../../hostile/support/wire-client.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BIN = join(ROOT, 'bin', 'everynode.mjs');

/** Brings the emitted JavaScript up to date; what is emitted in spite of a type error serves as well. */
export function build(): void {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  spawnSync(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.build.json')], { cwd: ROOT });
  if (!existsSync(join(ROOT, 'dist', 'cli', 'main.js'))) throw new Error('the build emitted nothing');
}

export interface ServerProcess {
  readonly server: string;
  readonly credentials: Required<Credentials>;
  readonly child: ChildProcess;
  /** Everything it said so far. */
  errors(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface StartOptions {
  /** Runs before the server in the same shell process, such as a limit. */
  readonly shell?: string;
  readonly flags?: readonly string[];
}

/** One attempt to start: a running server, or how it ended. */
type Started =
  | { readonly up: true; readonly process: ServerProcess }
  | { readonly up: false; readonly code: number | null; readonly errors: string };

const UP = /is up at (https:\/\/\S+)/;

function tryStart(dataDir: string, options: StartOptions = {}): Promise<Started> {
  const kubeconfig = join(dataDir, '..', 'kubeconfig');
  const args = [
    ...['--max-semi-space-size=8', BIN, 'up', '--data-dir', dataDir, '--port', '0', '--nodes', '0'],
    '--write-kubeconfig',
    kubeconfig,
    ...(options.flags ?? []),
  ];
  const env = { ...process.env, NO_COLOR: '1' };
  const child =
    options.shell === undefined
      ? spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
      : spawn('bash', ['-c', `${options.shell}; exec "$0" "$@"`, process.execPath, ...args], {
          stdio: ['ignore', 'ignore', 'pipe'],
          env,
        });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  let errors = '';
  return new Promise((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      const before = UP.test(errors);
      errors += chunk.toString();
      const server = UP.exec(errors)?.[1];
      if (before || server === undefined) return;
      const process: ServerProcess = {
        server,
        credentials: credentialsOf(readFileSync(kubeconfig, 'utf8')),
        child,
        errors: () => errors,
        async kill(signal) {
          child.kill(signal);
          await closed;
        },
      };
      resolve({ up: true, process });
    });
    void closed.then((code) => resolve({ up: false, code, errors }));
  });
}

export async function start(dataDir: string, options: StartOptions = {}): Promise<ServerProcess> {
  const started = await tryStart(dataDir, options);
  if (!started.up) throw new Error(`the server ended with ${started.code}: ${started.errors}`);
  return started.process;
}

/** A start that must not succeed: how the process ended and what it said. */
export async function refusedStart(
  dataDir: string,
  options: StartOptions = {},
): Promise<{ readonly code: number | null; readonly errors: string }> {
  const started = await tryStart(dataDir, options);
  if (!started.up) return started;
  await started.process.kill('SIGKILL');
  throw new Error('the server started');
}

/** Another command of the published program, to its end. */
export function runCommand(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly errors: string }> {
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, errors })));
}

/** A folder with a data directory in it, gone afterwards. */
export function temporaryDataDir(): { readonly dataDir: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-faults-'));
  return { dataDir: join(folder, 'data'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
