/**
 * Manifests of others, as they publish them, from a folder that `EVERYNODE_MANIFESTS` names: one sub-folder or file a set.
 * Nothing of them is part of this repository.
 */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runKubectl, type Kubectl, type Run } from '../../support/kubectl.ts';

export interface ForeignSet {
  readonly name: string;
  readonly path: string;
}

const MANIFEST = /\.(ya?ml|json)$/;

/** By name. None where no folder is named. */
export function foreignSets(folder: string | undefined = process.env['EVERYNODE_MANIFESTS']): readonly ForeignSet[] {
  if (folder === undefined || folder === '' || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => MANIFEST.test(name) || statSync(join(folder, name)).isDirectory())
    .toSorted()
    .map((name) => ({ name: name.replace(MANIFEST, ''), path: realpathSync(join(folder, name)) }));
}

/** A server as kubectl sees it. */
export interface ServedBy {
  readonly kubeconfig: string;
  /** For kubectl's copies of what the server serves: another server at the same address is another one. */
  readonly cache: string;
}

/** What is done with a set, in this order; each is the verb and its flags. */
export const ACTS = {
  apply: ['apply'],
  diff: ['diff'],
  'apply again': ['apply'],
  delete: ['delete', '--timeout=240s'],
} as const satisfies { readonly [act: string]: readonly string[] };

export type Act = keyof typeof ACTS;

const LIMIT_MS = 600_000;

export const act = (kubectl: Kubectl, { cache, kubeconfig }: ServedBy, { path }: ForeignSet, name: Act): Promise<Run> =>
  runKubectl(kubectl, kubeconfig, [...ACTS[name], '-f', path, `--cache-dir=${cache}`], {
    timeoutMs: LIMIT_MS,
    // Names of files in a folder of its own are what differs between two runs of the same.
    env: { KUBECTL_EXTERNAL_DIFF: 'diff -u -N' },
  });

/** What was printed, without what two servers cannot have in common. The order of lines is not compared. */
export function comparable({ code, stderr, stdout }: Run): readonly string[] {
  const lines = (text: string): readonly string[] =>
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(masked)
      .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return [`exit ${code}`, ...lines(stdout), ...lines(stderr).map((line) => `stderr: ${line}`)];
}

const masked = (line: string): string =>
  line
    .replaceAll(/https?:\/\/(127\.0\.0\.1|localhost):\d+/g, 'SERVER')
    .replaceAll(/\S*\/(LIVE|MERGED)-\d+\//g, '$1/')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?[+-]\d{4}|Z)?/g, 'TIME')
    .replaceAll(/(resourceVersion: )"\d+"/g, '$1VERSION')
    .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, 'IP');

/** Lines that only one of two has, for a person to read. */
export function partingLines(kubernetes: readonly string[], everynode: readonly string[]): readonly string[] {
  const left = [...everynode];
  const only = kubernetes.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [...only.map((line) => `kubernetes: ${line}`), ...left.map((line) => `everynode:  ${line}`)];
}

const GONE: readonly RegExp[] = [
  /^\S+ "([^"]+)" (?:force )?deleted(?: from \S+ namespace)?$/,
  /\(NotFound\): error when deleting .*: \S+ "([^"]+)" not found$/,
  /the server could not find the requested resource \(delete \S+ (\S+)\)$/,
  /resource mapping not found for name: "([^"]+)"/,
];

/** Names of objects that were deleted, or were gone already. */
const goneBy = ({ stderr, stdout }: Run): readonly string[] =>
  `${stdout}\n${stderr}`
    .split('\n')
    .flatMap((line) => GONE.map((pattern) => pattern.exec(line)?.[1]).find((name) => name !== undefined) ?? [])
    .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));

const WAS_GONE = /\(NotFound\): error when deleting/;

/**
 * A set that deletes its own Namespace, or the definition of its own kinds, races with the deletion of what was in there:
 * whether kubectl still finds an object is a matter of moments on Kubernetes itself. Where Kubernetes lost that race, both
 * must have got rid of the same objects, by either way.
 */
export const isRace = (name: Act, kubernetes: Run, everynode: Run): boolean =>
  name === 'delete' &&
  WAS_GONE.test(kubernetes.stderr) &&
  goneBy(kubernetes).join('\n') === goneBy(everynode).join('\n');

export interface Done {
  readonly codes: readonly [kubernetes: number, everynode: number];
  /** How many lines one of them has alone. */
  readonly parted: number;
  readonly raced: boolean;
}

export interface SetResult {
  readonly set: string;
  readonly acts: ReadonlyMap<Act, Done>;
}

/** A table of what became of the sets: exit codes, and how many lines part. */
export function tableOf(results: readonly SetResult[]): string {
  const names = Object.keys(ACTS) as Act[];
  const cell = (result: SetResult, name: Act): string => {
    const done = result.acts.get(name);
    if (done === undefined) return 'not run';
    const [real, ours] = done.codes;
    const codes = real === ours ? `exit ${real}` : `exit ${real}, here ${ours}`;
    if (done.parted === 0) return `${codes}, same`;
    return done.raced ? `${codes}, the same gone` : `${codes}, ${done.parted} lines part`;
  };
  const rows = results.map((result) => `| ${[result.set, ...names.map((name) => cell(result, name))].join(' | ')} |`);
  return [`| set | ${names.join(' | ')} |`, `|${' --- |'.repeat(names.length + 1)}`, ...rows].join('\n');
}
