/**
 * Writing credentials where kubectl finds them. A kubeconfig that holds other clusters keeps them: ours is put beside,
 * and made the current one. The file is for its owner only and is replaced in one step, so no reader ever sees half of
 * it.
 */
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse, stringify } from 'yaml';
import { CliError } from './support/cli-error.ts';
import { makeDirectory } from '../machinery/make-directory.ts';

const LISTS = ['clusters', 'users', 'contexts'] as const;

type Named = { readonly name?: unknown };
type Kubeconfig = { readonly [key: string]: unknown };

/** Returns the server that our name stood for in this file until now, if it was another one. */
export function writeKubeconfig(file: string, ours: string): string | undefined {
  try {
    makeDirectory(dirname(file), 0o700);
    // A link stays a link: its target is replaced.
    const target = existsSync(file) ? realpathSync(file) : file;
    const before = existsSync(target) ? readFileSync(target, 'utf8') : '';
    const text = merged(file, before, ours);
    const fresh = `${target}.${process.pid}.tmp`;
    try {
      writeFileSync(fresh, text, { mode: 0o600 });
      renameSync(fresh, target);
    } finally {
      rmSync(fresh, { force: true });
    }
    return replacedServer(before, ours);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(
      `cannot write the kubeconfig: ${(error as Error).message}`,
      'Name another place with --write-kubeconfig FILE',
    );
  }
}

function merged(file: string, before: string, ours: string): string {
  if (before.trim() === '') return ours;
  const old = readMap(before);
  const next = readMap(ours);
  if (old === undefined || next === undefined || !LISTS.every((key) => isListOrAbsent(old[key]))) {
    throw new CliError(
      `${file} is no kubeconfig, and is left as it is`,
      'Name another place with --write-kubeconfig FILE',
    );
  }
  const result: { [key: string]: unknown } = { ...old };
  for (const key of LISTS) {
    const mine = next[key] as readonly Named[];
    const names = new Set(mine.map(({ name }) => name));
    const others = ((old[key] ?? []) as readonly Named[]).filter((entry) => !names.has(entry?.name));
    result[key] = [...others, ...mine];
  }
  return stringify({ ...result, apiVersion: 'v1', kind: 'Config', 'current-context': next['current-context'] });
}

function replacedServer(before: string, ours: string): string | undefined {
  const [mine] = clustersOf(ours);
  const old = clustersOf(before).find(({ name }) => name === mine?.name)?.cluster?.server;
  return typeof old === 'string' && old !== mine?.cluster?.server ? old : undefined;
}

type ClusterEntry = Named & { readonly cluster?: { readonly server?: unknown } };

const clustersOf = (text: string): readonly ClusterEntry[] =>
  ((readMap(text)?.['clusters'] ?? []) as readonly (ClusterEntry | null)[]).filter((entry) => entry !== null);

function readMap(text: string): Kubeconfig | undefined {
  try {
    const value: unknown = parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Kubeconfig) : undefined;
  } catch {
    return undefined;
  }
}

const isListOrAbsent = (value: unknown): boolean => value === undefined || value === null || Array.isArray(value);
