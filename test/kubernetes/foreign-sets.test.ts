/**
 * What others publish, applied, compared, applied again and deleted with kubectl, on a kube-apiserver and on ours: the same
 * words and the same exit code. The manifests come from the folder that `EVERYNODE_MANIFESTS` names; scripts/test-kubernetes.mjs
 * says so where there is none.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded, type EmbeddedCluster } from '../../src/assembly/embedded.ts';
import { kubectls, runKubectl, type Kubectl } from '../support/kubectl.ts';
import { startControlPlane, type ControlPlane } from './support/control-plane.ts';
import {
  act,
  type Act,
  ACTS,
  comparable,
  type Done,
  foreignSets,
  isRace,
  partingLines,
  type ServedBy,
  type SetResult,
  tableOf,
} from './support/foreign-sets.ts';
import { missingPrograms } from './support/programs.ts';

const SETS = foreignSets();
const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;
/** Those that a deletion waits for, and those whose objects are in every namespace. */
const CONTROLLERS = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
];
const LIMIT_MS = 1_800_000;

const kubectl = kubectls().at(-1);
const isAsked = SETS.length > 0 && missingPrograms([...PROGRAMS]).length === 0 && kubectl !== undefined;

describe.skipIf(!isAsked)('sets of foreign manifests', () => {
  let folder = '';
  let plane: ControlPlane;
  let cluster: EmbeddedCluster;
  let servers: readonly [kubernetes: ServedBy, everynode: ServedBy];
  /** By name: a set that is tried again has one result. */
  const results = new Map<string, SetResult>();
  const servedBy = (name: string, text: string): ServedBy => {
    const kubeconfig = join(folder, `${name}.kubeconfig`);
    writeFileSync(kubeconfig, text);
    return { kubeconfig, cache: join(folder, `${name}-cache`) };
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'everynode-foreign-'));
    [plane, cluster] = await Promise.all([
      startControlPlane({ controllers: CONTROLLERS.join(',') }),
      startEmbedded({ port: 0, bind: '127.0.0.1', controllers: CONTROLLERS, scheduler: false }),
    ]);
    servers = [servedBy('kubernetes', readFileSync(plane.admin, 'utf8')), servedBy('everynode', cluster.kubeconfig)];
  });
  afterAll(async () => {
    if (results.size > 0) process.stderr.write(`foreign sets:\n${tableOf([...results.values()])}\n`);
    await cluster?.stop();
    await plane?.stop();
    if (folder !== '') rmSync(folder, { recursive: true, force: true });
  });

  it.each(SETS.map((set) => [set.name, set] as const))(
    'are dealt with alike: %s',
    async (_, set) => {
      const acts = new Map<Act, Done>();
      results.set(set.name, { set: set.name, acts });
      const parted: string[] = [];
      for (const name of Object.keys(ACTS) as Act[]) {
        const [kubernetes, everynode] = servers;
        // One after the other: a deletion that takes long meets a namespace that is gone.
        const theirs = await act(kubectl as Kubectl, kubernetes, set, name);
        const ours = await act(kubectl as Kubectl, everynode, set, name);
        const lines = partingLines(comparable(theirs), comparable(ours));
        const raced = isRace(name, theirs, ours);
        acts.set(name, { codes: [theirs.code, ours.code], parted: lines.length, raced });
        if (!raced) parted.push(...lines.map((line) => `${name}: ${line}`));
        // A set that says nothing would be dealt with alike.
        if (name === 'apply') expect(theirs.stdout).toMatch(/ created$/m);
        if (name === 'apply') await Promise.all([kubernetes, everynode].map(established));
      }
      expect(parted).toEqual([]);
    },
    LIMIT_MS,
  );

  /** Definitions are served some time after they were made; what needs them is applied the second time. */
  const established = async ({ cache, kubeconfig }: ServedBy): Promise<unknown> =>
    runKubectl(
      kubectl as Kubectl,
      kubeconfig,
      ['wait', 'crd', '--all', '--for=condition=Established', '--timeout=60s', `--cache-dir=${cache}`],
      { timeoutMs: 90_000 },
    );
});
