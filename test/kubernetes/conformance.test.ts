/**
 * Kubernetes' own cases judge ours: those for DaemonSets twice, on everynode's API server and on a real one with everynode's
 * DaemonSet controller and scheduler in place of Kubernetes' own; those about scheduling, the API and the workloads on
 * everynode. Which, and why not the others: support/conformance-plan.ts. With EVERYNODE_CONFORMANCE=wide the long ones are
 * asked as well, and EVERYNODE_WRITE_DOCS=1 then writes docs/conformance.md. What was said is kept in .cache/conformance.json;
 * EVERYNODE_CONFORMANCE=again asks only what has not passed in the last such run, EVERYNODE_CONFORMANCE=daemons only those for
 * DaemonSets.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { kubectls } from '../support/kubectl.ts';
import { conformancePage } from './support/conformance-page.ts';
import {
  failureKnown,
  faultsOf,
  isSlow,
  planConformance,
  type Choice,
  type ConformancePlan,
} from './support/conformance-plan.ts';
import { listE2e, runE2e, type E2eCase } from './support/e2e.ts';
import { startOperatedPlane } from './support/operated-plane.ts';
import { isOwnRelease, missingPrograms, releaseOf } from './support/programs.ts';

const NODES = 5;
/** A run that chose nothing would pass. */
const LEAST = { daemons: 10, embedded: 150 };
/** Processes that ask at the same time, of one cluster or each of its own; they wait most of theirs. */
const AT_ONCE = 4;
/** A process looks through eight thousand cases before it runs one; but whoever takes many last is waited for. */
const BATCH = 6;
const SLOW_BATCH = 2;
const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = join(ROOT, 'docs', 'conformance.md');
const REPORT = join(ROOT, '.cache', 'conformance.json');
const isAgain = process.env['EVERYNODE_CONFORMANCE'] === 'again';
const isWide = isAgain || process.env['EVERYNODE_CONFORMANCE'] === 'wide';
const isNarrow = process.env['EVERYNODE_CONFORMANCE'] === 'daemons';
const LIMIT_MINUTES = isWide ? 150 : 40;
const LIMIT_MS = (LIMIT_MINUTES + 5) * 60_000;
const kubectl = kubectls().at(-1)?.path ?? '';
const needed = ['e2e.test', 'etcd', 'kube-apiserver', 'kube-controller-manager'] as const;
const canRun = missingPrograms(needed).length === 0 && kubectl !== '';

const DAEMONS = /^\[sig-apps\] (?:Daemon set|ControllerRevision) /;
const EMBEDDED = 'embedded';
const OPERATED = 'our controller and scheduler on a kube-apiserver';

describe.skipIf(!canRun)('Kubernetes’ own cases pass', () => {
  const plan: ConformancePlan = canRun ? planConformance(listE2e()) : { chosen: [], endless: [], unfit: [] };
  const before = isAgain ? readVerdicts(REPORT) : [];
  const wanted = plan.chosen.filter(({ isCore, name }) => (isNarrow ? DAEMONS.test(name) : isCore || isWide));
  const known = new Set(namesOf(wanted));
  const passed = (cluster: string): E2eCase[] =>
    before.flatMap(passedOn(cluster)).filter(({ name }) => known.has(name));
  const verdicts = new Map([EMBEDDED, OPERATED].map((cluster) => [cluster, passed(cluster)]));
  const isDone = (cluster: string, name: string): boolean =>
    verdicts.get(cluster)?.some((each) => each.name === name) === true;
  const asked = wanted.filter(({ name }) => !isDone(EMBEDDED, name));
  const daemons = namesOf(wanted).filter((name) => DAEMONS.test(name));
  const keep = (): void => {
    const counted = Array.from(verdicts, ([cluster, cases]) => ({ cluster, cases }));
    mkdirSync(dirname(REPORT), { recursive: true });
    writeFileSync(REPORT, JSON.stringify({ release: releaseOf(), counted }, null, 1));
  };

  afterAll(() => {
    if (process.env['EVERYNODE_WRITE_DOCS'] === undefined || !isOwnRelease()) return;
    const isWhole = isWide && verdicts.get(EMBEDDED)?.length === wanted.length;
    if (isWhole && verdicts.get(OPERATED)?.length === daemons.length)
      writeFileSync(PAGE, conformancePage({ release: releaseOf(), verdicts, plan }));
    else process.stderr.write('docs/conformance.md is written by a whole run with EVERYNODE_CONFORMANCE=wide alone\n');
  });

  /** Asks in batches, one process for each kubeconfig; what fails is asked once more by itself: machines have moods. */
  async function ask(cluster: string, kubeconfigs: readonly string[], names: readonly string[]): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'everynode-e2e-'));
    const seen: E2eCase[] = [];
    let batches = 0;
    const run = async (kubeconfig: string, cases: readonly string[]): Promise<readonly E2eCase[]> => {
      batches += 1;
      const own = join(folder, String(batches));
      // The longest wait for five minutes on purpose; one that never ends shall not hold up the others for ever.
      const limitMinutes = Math.min(LIMIT_MINUTES, 6 + 6 * cases.length);
      return runE2e({ kubeconfig, kubectl, folder: own, cases, limitMinutes });
    };
    const waiting = names.toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)));
    const next = (): readonly string[] => waiting.splice(0, isSlow(waiting[0] ?? '') ? SLOW_BATCH : BATCH);
    const worker = async (kubeconfig: string): Promise<void> => {
      for (let cases = next(); cases.length > 0; cases = next())
        for (const first of await run(kubeconfig, cases)) {
          const isOdd = first.outcome === 'failed' && failureKnown(first.name) === undefined;
          if (isOdd) process.stderr.write(`once more: ${first.name}: ${first.reason.slice(0, 500)}\n`);
          const last = isOdd ? ((await run(kubeconfig, [first.name]))[0] ?? first) : first;
          process.stderr.write(`${cluster}: ${last.outcome} ${last.seconds} s ${last.name}\n`);
          seen.push(last);
          verdicts.get(cluster)?.push(last);
          if (isWide) keep();
        }
    };
    await Promise.all(kubeconfigs.map(worker));
    const faults = faultsOf(seen);
    if (faults.length === 0) rmSync(folder, { recursive: true, force: true });
    else process.stderr.write(`what was done is written in ${folder}\n`);
    expect(faults).toEqual([]);
  }

  /** Of so many clusters, so many processes each. */
  async function askEmbedded(choices: readonly Choice[], clusters: number, processes: number): Promise<void> {
    const all: TestCluster[] = [];
    try {
      for (let count = 0; count < clusters; count += 1)
        all.push(await startTestCluster({ groups: [{ name: 'node', count: NODES }] }));
      const kubeconfigs = all.flatMap(({ kubeconfigFile }) => Array.from({ length: processes }, () => kubeconfigFile));
      await ask(EMBEDDED, kubeconfigs, namesOf(choices));
    } finally {
      for (const cluster of all) await cluster.stop();
    }
  }

  // They wait most of their time, so they wait at the same time.
  describe.concurrent('all at once', () => {
    it.skipIf(!isOwnRelease())(
      'on an embedded cluster, those that want it for themselves',
      () =>
        askEmbedded(
          asked.filter(({ isSerial }) => isSerial),
          AT_ONCE,
          1,
        ),
      LIMIT_MS,
    );

    it.skipIf(!isOwnRelease())(
      'on an embedded cluster, the others',
      async () => {
        expect(wanted.length).toBeGreaterThanOrEqual(isNarrow ? LEAST.daemons : LEAST.embedded);
        await askEmbedded(
          asked.filter(({ isSerial }) => !isSerial),
          1,
          AT_ONCE,
        );
      },
      LIMIT_MS,
    );

    it(
      'on a kube-apiserver, with our DaemonSet controller and scheduler',
      async () => {
        expect(daemons.length).toBeGreaterThanOrEqual(LEAST.daemons);
        const names = daemons.filter((name) => !isDone(OPERATED, name));
        if (names.length === 0) return;
        const plane = await startOperatedPlane('everynode', NODES);
        try {
          await ask(OPERATED, [plane.admin], names);
        } catch (error) {
          plane.keepLogs();
          throw error;
        } finally {
          await plane.stop();
        }
      },
      LIMIT_MS,
    );
  });
});

const namesOf = (choices: readonly Choice[]): readonly string[] => choices.map(({ name }) => name);

interface Kept {
  readonly cluster: string;
  readonly cases: readonly E2eCase[];
}

function readVerdicts(file: string): readonly Kept[] {
  if (!existsSync(file)) return [];
  const { release, counted } = JSON.parse(readFileSync(file, 'utf8')) as { release: string; counted: readonly Kept[] };
  return release === releaseOf() ? counted : [];
}

const passedOn =
  (name: string) =>
  ({ cluster, cases }: Kept): readonly E2eCase[] =>
    cluster === name ? cases.filter(({ outcome }) => outcome !== 'failed') : [];
