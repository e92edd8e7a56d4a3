/** Runs the published command line in a process of its own, with a home of its own, and never for longer than allowed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { parse } from 'yaml';

export const BIN = fileURLToPath(new URL('../../bin/everynode.mjs', import.meta.url));
/**
 * For one command. kube-controller-manager may find the service account of a new namespace missing, and then tries the pods
 * of a DaemonSet again after twice the time before, up to about forty seconds.
 */
const LIMIT_MS = 110_000;

const folders: string[] = [];
const children = new Set<ChildProcess>();

/** A directory that is gone after the test; also the home of every command run in it. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'everynode-cli-'));
  folders.push(made);
  return made;
}

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Cli {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  /** Resolves as soon as stderr says this; fails if the command ends before. */
  says(what: string | RegExp): Promise<string>;
}

export interface CliOptions {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads; nothing unless said. */
  readonly stdin?: string;
  readonly bin?: string;
}

export function cli(args: readonly string[], options: CliOptions): Cli {
  const env = { ...process.env, EVERYNODE_HOME: options.home, NO_COLOR: '', FORCE_COLOR: '', ...options.env };
  const child = spawn(process.execPath, [options.bin ?? BIN, ...args], {
    cwd: options.home,
    env,
    stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  children.add(child);
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  child.stdout?.on('data', (chunk: Buffer) => void (output.stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
    for (const look of waiting) look();
  });
  if (options.stdin !== undefined) child.stdin?.end(options.stdin);
  const ended = new Promise<Outcome>((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      children.delete(child);
      resolve({ code, signal, ...output });
    });
  });
  return {
    child,
    ended,
    says: (what) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const isSaid = typeof what === 'string' ? output.stderr.includes(what) : what.test(output.stderr);
          if (!isSaid) return;
          waiting.delete(look);
          resolve(output.stderr);
        };
        waiting.add(look);
        look();
        void ended.then((outcome) =>
          reject(new Error(`ended before it said ${String(what)}: ${JSON.stringify(outcome)}`)),
        );
      }),
  };
}

export const run = (args: readonly string[], options: CliOptions): Promise<Outcome> => cli(args, options).ended;

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Asks the cluster of a kubeconfig, with its credentials or without. */
export function ask(kubeconfig: string, path: string, anonymous = false): Promise<Answer> {
  const file = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
    users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
  };
  const { cluster } = file.clusters.at(-1) as (typeof file.clusters)[0];
  const { user } = file.users.at(-1) as (typeof file.users)[0];
  const decode = (text: string): Buffer => Buffer.from(text, 'base64');
  const keys = anonymous ? {} : { cert: decode(user['client-certificate-data']), key: decode(user['client-key-data']) };
  return new Promise((resolve, reject) => {
    const request = https.get(
      `${cluster.server}${path}`,
      { ca: decode(cluster['certificate-authority-data']), agent: false, ...keys },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => void (body += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      },
    );
    request.on('error', reject);
  });
}

export async function names(kubeconfig: string, path: string): Promise<readonly string[]> {
  const { body } = await ask(kubeconfig, path);
  return (JSON.parse(body) as { items: readonly { metadata: { name: string } }[] }).items.map(
    ({ metadata }) => metadata.name,
  );
}
