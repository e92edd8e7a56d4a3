/**
 * Kubernetes' own cases for DaemonSets judge ours twice: on everynode's API server, and on a real one with everynode's
 * DaemonSet controller and scheduler in place of Kubernetes' own. Runs where the binary is: `get-kubernetes.mjs --e2e`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/core/api/version.ts';
import { startTestCluster } from '../support/cluster.ts';
import { kubectls } from '../support/kubectl.ts';
import { conformancePage } from './support/conformance-page.ts';
import { runE2e, type E2eCase } from './support/e2e.ts';
import { startOperatedPlane } from './support/operated-plane.ts';
import { missingPrograms } from './support/programs.ts';

const FOCUS = String.raw`\[sig-apps\] (Daemon set|ControllerRevision)`;
/** Of Kubernetes 1.36: a run that chose nothing would pass. */
const LEAST_CASES = 11;
const NODES = 5;
const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'conformance.md');
const LIMIT_MS = 20 * 60_000;
const kubectl = kubectls().at(-1)?.path;

describe.skipIf(missingPrograms(['e2e.test', 'etcd', 'kube-apiserver']).length > 0 || kubectl === undefined)(
  'Kubernetes’ own cases for DaemonSets pass',
  () => {
    const verdicts = new Map<string, readonly E2eCase[]>();
    afterAll(() => {
      const version = VERSION.gitVersion.split('+', 1)[0] ?? '';
      if (process.env['EVERYNODE_WRITE_DOCS'] !== undefined && verdicts.size > 1)
        writeFileSync(PAGE, conformancePage(version, verdicts));
    });

    async function judge(cluster: string, kubeconfig: string): Promise<void> {
      const folder = mkdtempSync(join(tmpdir(), 'everynode-e2e-'));
      const cases = await runE2e({ kubeconfig, kubectl: kubectl ?? '', folder, focus: FOCUS });
      verdicts.set(cluster, cases);
      for (const { outcome, seconds, name } of cases) process.stderr.write(`${outcome} ${seconds} s ${name}\n`);
      const failures = cases.filter(({ outcome }) => outcome === 'failed').map(reasonOf);
      if (failures.length === 0) rmSync(folder, { recursive: true, force: true });
      else process.stderr.write(`what was done is written in ${folder}\n`);
      expect(failures).toEqual([]);
      expect(cases.length).toBeGreaterThanOrEqual(LEAST_CASES);
    }

    it(
      'on an embedded cluster',
      async () => {
        const cluster = await startTestCluster({ groups: [{ name: 'node', count: NODES }] });
        try {
          await judge('embedded', cluster.kubeconfigFile);
        } finally {
          await cluster.stop();
        }
      },
      LIMIT_MS,
    );

    it(
      'on a kube-apiserver, with our DaemonSet controller and scheduler',
      async () => {
        const plane = await startOperatedPlane('everynode', NODES);
        try {
          await judge('our controller and scheduler on a kube-apiserver', plane.admin);
        } catch (error) {
          plane.keepLogs();
          throw error;
        } finally {
          await plane.stop();
        }
      },
      LIMIT_MS,
    );
  },
);

const reasonOf = ({ name, reason }: E2eCase): string => `${name}: ${reason}`;
