/**
 * The kubectl binaries of this machine, by version. Versioned files beside any kubectl on PATH count, and those in
 * .cache/kubectl; dispatchers that choose a version by themselves do not.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Kubectl {
  /** `1.36` */
  readonly version: string;
  readonly path: string;
}

const CACHE = fileURLToPath(new URL('../../.cache/kubectl', import.meta.url));
const FILE = /^kubectl([.-].+)?$/;

function candidates(): readonly string[] {
  const folders = new Set([CACHE]);
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'kubectl');
    if (existsSync(path)) folders.add(dirname(realpathSync(path)));
  }
  return [...folders]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).filter((name) => FILE.test(name)).map((name) => join(folder, name)));
}

function versionOf(path: string): string | undefined {
  try {
    const text = execFileSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const { gitVersion } = (JSON.parse(text) as { clientVersion: { gitVersion: string } }).clientVersion;
    if (gitVersion.includes('dispatcher')) return undefined;
    return /^v(\d+\.\d+)/.exec(gitVersion)?.[1];
  } catch {
    return undefined;
  }
}

let known: readonly Kubectl[] | undefined;

/** Oldest first. */
export function kubectls(): readonly Kubectl[] {
  if (known !== undefined) return known;
  const found = new Map<string, Kubectl>();
  for (const path of candidates()) {
    const version = versionOf(path);
    if (version !== undefined && !found.has(version)) found.set(version, { version, path });
  }
  known = [...found.values()].sort((a, b) => Number(a.version.split('.')[1]) - Number(b.version.split('.')[1]));
  return known;
}

/** The oldest, the newest, and those on both sides of the release that began to send protobuf. */
export function chosenKubectls(): readonly Kubectl[] {
  const all = kubectls();
  const wanted = new Set([all[0]?.version, '1.27', '1.31', '1.32', all.at(-1)?.version]);
  return all.filter(({ version }) => wanted.has(version));
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl to its end (or the time limit) without a shell. */
export function runKubectl(kubectl: Kubectl, kubeconfig: string, args: readonly string[], options: { readonly input?: string; readonly timeoutMs?: number } = {}): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(
      kubectl.path,
      [...args],
      { env: { ...process.env, KUBECONFIG: kubeconfig, HOME: dirname(kubeconfig) }, timeout: options.timeoutMs ?? 30_000, maxBuffer: 64 << 20 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 124, stdout, stderr }),
    );
    child.stdin?.end(options.input ?? '');
  });
}
