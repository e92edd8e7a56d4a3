/** An everynode in a process of its own, from the emitted JavaScript, as users run it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export interface ServerProcess {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** The flag in the first line of the bin. */
export const SERVER_FLAG = '--max-semi-space-size=8';
const { MEMORY } = (await import(new URL('../../bin/runtime.mjs', import.meta.url).href)) as {
  readonly MEMORY: NodeJS.ProcessEnv;
};
export const BIN = fileURLToPath(new URL('../../bin/everynode.mjs', import.meta.url));

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly {
    readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string };
  }[];
}

const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();

export async function startServer(flags: readonly string[]): Promise<ServerProcess> {
  if (!existsSync(fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))))
    throw new Error('run `npm run build` first: the emitted code is what is measured');
  const folder = mkdtempSync(join(tmpdir(), 'everynode-bench-'));
  const file = join(folder, 'kubeconfig');
  const args = flags.map((flag) => flag.replace('{tmp}', join(folder, 'data')));
  const child = spawn(process.execPath, [SERVER_FLAG, BIN, 'up', '--port', '0', '--write-kubeconfig', file, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A home of its own, so that no user's cluster is touched.
    env: { ...process.env, ...MEMORY, EVERYNODE_HOME: folder },
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('is up at')) resolve();
    });
    child.once('exit', () => reject(new Error(`the server ended: ${log}`)));
  });
  const config = parse(readFileSync(file, 'utf8')) as Kubeconfig;
  return {
    url: config.clusters[0]?.cluster.server ?? '',
    ca: decode(config.clusters[0]?.cluster['certificate-authority-data']),
    cert: decode(config.users[0]?.user['client-certificate-data']),
    key: decode(config.users[0]?.user['client-key-data']),
    child,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
