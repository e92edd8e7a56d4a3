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

export default defineConfig({
  test: {
    // One more than there are cores: suites of real processes wait half of their time.
    maxWorkers: availableParallelism() + 1,
    projects: [
      project('unit', ['src/**/*.test.ts', 'tools/**/*.test.ts', 'bench/**/*.test.ts'], {
        exclude: ['src/**/*.contract.test.ts'],
      }),
      project('contract', [
        'src/**/*.contract.test.ts',
        'test/contract/**/*.test.ts',
        'test/hostile/**/*.test.ts',
        'test/daemonset/**/*.test.ts',
        'test/housekeeping/**/*.test.ts',
        'test/webhooks/**/*.test.ts',
        'test/apply/*.test.ts',
        'test/access/*.test.ts',
        'test/custom/*.test.ts',
        'test/store/**/*.test.ts',
        'test/workloads/**/*.test.ts',
        'test/component-apply/**/*.test.ts',
        'test/component-controller/**/*.test.ts',
      ]),
      project(
        'kubectl',
        [
          'test/kubectl/*.test.ts',
          'test/apply/kubectl/**/*.test.ts',
          'test/access/kubectl/**/*.test.ts',
          'test/custom/kubectl/**/*.test.ts',
          'test/support/**/*.test.ts',
        ],
        {
          ...PROCESSES,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          globalSetup: './test/support/kubectl-setup.ts',
        },
      ),
      // Long walks of whole manifests and transcripts; part of test:all and of what must hold before a change lands.
      project(
        'walk',
        [
          'test/kubectl/walk/**/*.test.ts',
          'test/manifests/**/*.test.ts',
          'test/helm/**/*.test.ts',
          'test/deploy/**/*.test.ts',
        ],
        {
          ...PROCESSES,
          testTimeout: 400_000,
          hookTimeout: 120_000,
          globalSetup: './test/support/kubectl-setup.ts',
        },
      ),
      project('cli', ['test/cli/**/*.test.ts', 'test/operator/**/*.test.ts'], {
        ...PROCESSES,
        testTimeout: 60_000,
        globalSetup: './test/cli/setup.ts',
      }),
      project('simulation', ['test/simulation/**/*.test.ts'], { testTimeout: 60_000 }),
      project('faults', ['test/faults/**/*.test.ts'], { ...PROCESSES, testTimeout: 300_000, hookTimeout: 120_000 }),
      // A hundred thousand hostile cases from a fixed seed; see test/fuzz/support/plan.ts.
      project('fuzz', ['test/fuzz/**/*.test.ts'], {
        // Cases come from a fixed seed: what is wrong fails twice, a stall of the machine once.
        retry: 1,
        testTimeout: 300_000,
        hookTimeout: 120_000,
        globalSetup: './test/fuzz/support/counts.ts',
      }),
      // Against a real control plane, or with parts of one; see scripts/get-kubernetes.mjs. One at a time: each fills the machine.
      project('kubernetes', ['test/kubernetes/**/*.test.ts'], {
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
