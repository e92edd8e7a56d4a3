import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], extra: object = {}) => ({
  test: {
    name,
    include,
    testTimeout: 20_000,
    pool: 'threads' as const,
    // Modules hold no state that a test could see (no ambient time, no mocks): files share a worker's loaded code.
    isolate: false,
    setupFiles: ['./test/support/property-seed.ts'],
    ...extra,
  },
});

/** Suites of real processes meet a busy machine's moods; a second failure is a real one. What was retried is reported. */
const PROCESSES = { pool: 'forks' as const, retry: 1 };

/** Folders of test/ with a project of their own. All others belong to `contract`, so that no new folder is forgotten. */
const SUITES = {
  kubectl: ['test/kubectl/*.test.ts', 'test/*/kubectl/**/*.test.ts'],
  walk: [
    'test/kubectl/walk/**/*.test.ts',
    'test/manifests/**/*.test.ts',
    'test/helm/**/*.test.ts',
    'test/deploy/**/*.test.ts',
  ],
  cli: ['test/cli/**/*.test.ts', 'test/operator/**/*.test.ts'],
  simulation: ['test/simulation/**/*.test.ts'],
  faults: ['test/faults/**/*.test.ts'],
  fuzz: ['test/fuzz/**/*.test.ts'],
  kubernetes: ['test/kubernetes/**/*.test.ts'],
};
const ELSEWHERE = Object.values(SUITES).flat();

export default defineConfig({
  test: {
    // One more than there are cores: suites of real processes wait half of their time.
    maxWorkers: availableParallelism() + 1,
    projects: [
      project('unit', ['src/**/*.test.ts', 'tools/**/*.test.ts', 'bench/**/*.test.ts'], {
        exclude: ['src/**/*.contract.test.ts'],
      }),
      project('contract', ['src/**/*.contract.test.ts', 'test/**/*.test.ts'], { exclude: ELSEWHERE }),
      project('kubectl', SUITES.kubectl, {
        ...PROCESSES,
        testTimeout: 60_000,
        hookTimeout: 120_000,
        globalSetup: './test/support/kubectl-setup.ts',
      }),
      // Long walks of whole manifests and transcripts; part of test:all and of what must hold before a change lands.
      project('walk', SUITES.walk, {
        ...PROCESSES,
        testTimeout: 400_000,
        hookTimeout: 120_000,
        globalSetup: './test/support/kubectl-setup.ts',
      }),
      project('cli', SUITES.cli, {
        ...PROCESSES,
        testTimeout: 60_000,
        globalSetup: './test/cli/setup.ts',
      }),
      project('simulation', SUITES.simulation, { testTimeout: 60_000 }),
      project('faults', SUITES.faults, { ...PROCESSES, testTimeout: 300_000, hookTimeout: 120_000 }),
      // A hundred thousand hostile cases from a fixed seed; see test/fuzz/support/plan.ts.
      project('fuzz', SUITES.fuzz, {
        // Cases come from a fixed seed: what is wrong fails twice, a stall of the machine once.
        retry: 1,
        testTimeout: 300_000,
        hookTimeout: 120_000,
        globalSetup: './test/fuzz/support/counts.ts',
      }),
      // Against a real control plane, or with parts of one; see scripts/get-kubernetes.mjs. One at a time: each fills the machine.
      project('kubernetes', SUITES.kubernetes, {
        pool: 'forks' as const,
        maxWorkers: 1,
        // As with other suites of processes: a machine that is busy with something else is no failure.
        retry: 1,
        testTimeout: 900_000,
        hookTimeout: 300_000,
        globalSetup: ['./test/kubernetes/support/setup.ts', './test/cli/setup.ts'],
      }),
    ],
  },
});
