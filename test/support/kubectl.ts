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
/** Set once for all test processes, because asking ten binaries for their version takes a second. */
const KNOWN = 'EVERYNODE_TEST_KUBECTLS';

function candidates(): readonly string[] {
  const folders = new Set([CACHE]);
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'kubectl');
    if (existsSync(path)) folders.add(dirname(realpathSync(path)));
  }
  return [...folders]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => FILE.test(name))
        .map((name) => join(folder, name)),
    );
}

function versionOf(path: string): string | undefined {
  try {
    const text = execFileSync(path, ['version', '--client', '-o', 'json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { gitVersion } = (JSON.parse(text) as { clientVersion: { gitVersion: string } }).clientVersion;
    if (gitVersion.includes('dispatcher')) return undefined;
    return /^v(\d+\.\d+)/.exec(gitVersion)?.[1];
  } catch {
    return undefined;
  }
}

/** The minor release: 36 for `1.36`. */
export const minorOf = ({ version }: Kubectl): number => Number(version.split('.')[1]);

/** Looks at the machine again; oldest first. */
export function findKubectls(): readonly Kubectl[] {
  const found = new Map<string, Kubectl>();
  for (const path of candidates()) {
    const version = versionOf(path);
    if (version !== undefined && !found.has(version)) found.set(version, { version, path });
  }
  const all = [...found.values()].sort((a, b) => minorOf(a) - minorOf(b));
  process.env[KNOWN] = JSON.stringify(all);
  return all;
}

/** Oldest first. */
export function kubectls(): readonly Kubectl[] {
  const known = process.env[KNOWN];
  return known === undefined ? findKubectls() : (JSON.parse(known) as readonly Kubectl[]);
}

/** Besides the oldest and the newest: those on both sides of the release that began to send protobuf. */
const ALSO = ['1.27', '1.31', '1.32'];

export interface ChosenKubectl extends Kubectl {
  readonly minor: number;
  /** The oldest or the newest. */
  readonly isEnd: boolean;
}

export function chosenKubectls(): readonly ChosenKubectl[] {
  const all = kubectls();
  const ends = new Set([all[0], all.at(-1)]);
  return all
    .filter((kubectl) => ends.has(kubectl) || ALSO.includes(kubectl.version))
    .map((kubectl) => ({ ...kubectl, minor: minorOf(kubectl), isEnd: ends.has(kubectl) }));
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly env?: { readonly [name: string]: string };
  /** Called once its complaints, or its chatter with `-v=6`, look like this. */
  readonly once?: { readonly stderr: RegExp; readonly call: () => void };
  /** Ended as soon as it has printed this. */
  readonly interruptedAt?: RegExp;
  /** Called with all that was printed to stdout so far, whenever there is more. */
  readonly onPrinted?: (printed: string) => void;
}

/** A command that lives for a moment need not collect garbage, nor do so on every core: it takes half the time. */
const SHORT_LIVED = { GOGC: 'off', GOMAXPROCS: '1' };

/** The exit code of a command that did not end by itself. */
export const TIMED_OUT = 124;

/** Runs kubectl to its end or the time limit, without a shell. */
export function runKubectl(
  kubectl: Kubectl,
  kubeconfig: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Run> {
  const env = { ...process.env, ...SHORT_LIVED, KUBECONFIG: kubeconfig, HOME: dirname(kubeconfig), ...options.env };
  return new Promise((resolve) => {
    const child = execFile(
      kubectl.path,
      [...args],
      { env, timeout: options.timeoutMs ?? 30_000, maxBuffer: 64 << 20 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : TIMED_OUT;
        resolve({ code, stdout, stderr });
      },
    );
    const { once, interruptedAt } = options;
    let said = '';
    let isCalled = false;
    child.stderr?.on('data', (chunk: string) => {
      said += chunk;
      if (isCalled || once?.stderr.test(said) !== true) return;
      isCalled = true;
      once.call();
    });
    let printed = '';
    child.stdout?.on('data', (chunk: string) => {
      printed += chunk;
      if (interruptedAt?.test(printed) === true) child.kill();
      options.onPrinted?.(printed);
    });
    // A kubectl that ends without reading closes the pipe under our hands.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}
