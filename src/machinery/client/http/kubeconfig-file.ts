/** Reading kubeconfig files: one or several, merged as kubectl merges them. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { MachineryError } from '../../errors.ts';
import type { ExecPlugin } from './exec-credentials.ts';

export interface KubeconfigCluster {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
}

export interface KubeconfigUser {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: { readonly [key: string]: readonly string[] };
  readonly exec?: ExecPlugin;
  readonly 'auth-provider'?: { readonly name: string; readonly config?: { readonly [key: string]: string } };
}

interface KubeconfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** An entry with the file it came from, and its folder, which relative paths are meant from. */
export interface Entry<T> {
  readonly value: T;
  readonly file: string;
  readonly directory: string;
}

export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, Entry<KubeconfigCluster>>;
  readonly users: ReadonlyMap<string, Entry<KubeconfigUser>>;
  readonly contexts: ReadonlyMap<string, Entry<KubeconfigContext>>;
}

export const EMPTY_KUBECONFIG: Kubeconfig = {
  currentContext: '',
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
};

/** An explicit file, else the list in KUBECONFIG, else `~/.kube/config`. Only an explicit file must exist. */
export function kubeconfigPaths(
  explicit: string | undefined,
  env: NodeJS.ProcessEnv,
): { readonly paths: readonly string[]; readonly mustExist: boolean } {
  if (explicit !== undefined && explicit !== '') return { paths: [explicit], mustExist: true };
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) return { paths: [...new Set(listed)], mustExist: false };
  return { paths: [join(env['HOME'] ?? homedir(), '.kube', 'config')], mustExist: false };
}

export async function readKubeconfigs(paths: readonly string[], mustExist: boolean): Promise<Kubeconfig> {
  let merged = EMPTY_KUBECONFIG;
  for (const path of paths) {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (cause) {
      if (!mustExist && (cause as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw invalid(`cannot read ${path}: ${(cause as Error).message}`, cause);
    }
    merged = mergeKubeconfigs(merged, await parseKubeconfig(text, path));
  }
  return merged;
}

const merge = <T>(first: ReadonlyMap<string, T>, second: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
  new Map([...second, ...first]);

/** The first file to name something decides; later ones only add. */
function mergeKubeconfigs(first: Kubeconfig, second: Kubeconfig): Kubeconfig {
  return {
    currentContext: first.currentContext === '' ? second.currentContext : first.currentContext,
    clusters: merge(first.clusters, second.clusters),
    users: merge(first.users, second.users),
    contexts: merge(first.contexts, second.contexts),
  };
}

async function parseKubeconfig(text: string, path: string): Promise<Kubeconfig> {
  // YAML is loaded when a file is read; a file that is JSON, as ours are, does not need it.
  const document = text.trimStart().startsWith('{') ? parseJson(text, path) : await parseYaml(text, path);
  if (document === null || document === undefined) return EMPTY_KUBECONFIG;
  if (typeof document !== 'object' || Array.isArray(document)) throw invalid(`${path} is not a kubeconfig`);
  const config = document as { readonly [key: string]: unknown };
  const kind = config['kind'];
  if (kind !== undefined && kind !== 'Config') throw invalid(`${path} is a ${JSON.stringify(kind)}, not a Config`);
  const directory = dirname(resolve(path));
  const current = config['current-context'];
  return {
    currentContext: typeof current === 'string' ? current : '',
    clusters: entries<KubeconfigCluster>(config['clusters'], 'cluster', directory, path),
    users: entries<KubeconfigUser>(config['users'], 'user', directory, path),
    contexts: entries<KubeconfigContext>(config['contexts'], 'context', directory, path),
  };
}

/** A parser's message may quote the text at the mistake: in a kubeconfig, keys. Only the place is told. */
function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const [place = ''] = / at position \d+( \(line \d+ column \d+\))?/.exec((cause as Error).message) ?? [];
    throw invalid(`${path} is not valid JSON${place}`);
  }
}

async function parseYaml(text: string, path: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(text, { maxAliasCount: 100 }) as unknown;
  } catch (cause) {
    const [line] =
      (cause as { readonly linePos?: readonly { readonly line: number; readonly col: number }[] }).linePos ?? [];
    throw invalid(`${path} is not valid YAML${line === undefined ? '' : ` at line ${line.line}, column ${line.col}`}`);
  }
}

/** `[{name, cluster: {…}}, …]`; the first of a name counts. */
function entries<T>(list: unknown, member: string, directory: string, path: string): ReadonlyMap<string, Entry<T>> {
  const found = new Map<string, Entry<T>>();
  if (list === undefined || list === null) return found;
  if (!Array.isArray(list)) throw invalid(`${path}: ${member}s must be a list`);
  for (const item of list as readonly ({ readonly [key: string]: unknown } | null)[]) {
    const name = item?.['name'];
    const value = item?.[member] ?? {};
    if (typeof name !== 'string' || typeof value !== 'object') throw invalid(`${path}: a ${member} has no name`);
    if (!found.has(name)) found.set(name, { value: value as T, file: path, directory });
  }
  return found;
}

export const fromDirectory = (directory: string, path: string): string =>
  isAbsolute(path) ? path : join(directory, path);

export const invalid = (message: string, cause?: unknown): MachineryError =>
  new MachineryError('EN_MACHINERY_KUBECONFIG', message, { cause });
