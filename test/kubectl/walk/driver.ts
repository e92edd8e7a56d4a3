/** Runs the chapters of the walk with one kubectl against a cluster of its own. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NAMESPACES } from '../../../src/core/api/registry/resources.ts';
import { startTestCluster, type TestCluster } from '../../support/cluster.ts';
import type { ChosenKubectl } from '../../support/kubectl.ts';
import { mask } from './mask.ts';
import { sectionOf, type Taken } from './transcript.ts';
import { stepsOf, type Chapter, type Step } from './walk.ts';

const FILES = fileURLToPath(new URL('files', import.meta.url));
const STEP_LIMIT_MS = 40_000;
const SETTLE_LIMIT_MS = 20_000;
const PAUSE_MS = 150;

export interface Walker {
  /** Takes every step of a chapter and answers with its section of the transcript. */
  walk(chapter: Chapter): Promise<string>;
  stop(): Promise<void>;
}

export async function startWalker(kubectl: ChosenKubectl): Promise<Walker> {
  const cluster = await startTestCluster({ groups: [{ name: 'node', count: 5 }] });
  // The lines say `kubectl` and mean this one.
  const bin = join(cluster.folder, 'bin');
  mkdirSync(bin);
  symlinkSync(kubectl.path, join(bin, 'kubectl'));
  return {
    async walk(chapter) {
      const kubeconfig = await enter(cluster, chapter.key);
      const env = {
        ...process.env,
        GOGC: 'off',
        GOMAXPROCS: '1',
        TZ: 'UTC',
        LC_ALL: 'C',
        TMPDIR: '/tmp',
        HOME: cluster.folder,
        KUBECONFIG: kubeconfig,
        SCRATCH: cluster.folder,
        PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      };
      const taken: Taken[] = [];
      for (const step of stepsOf(chapter, kubectl.minor)) taken.push(await take(step, env));
      return sectionOf(chapter, taken);
    },
    stop: () => cluster.stop(),
  };
}

/** A namespace for the chapter, and a kubeconfig whose context is in it. */
async function enter(cluster: TestCluster, namespace: string): Promise<string> {
  await cluster.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} });
  const kubeconfig = join(cluster.folder, `kubeconfig-${namespace}`);
  writeFileSync(
    kubeconfig,
    cluster.kubeconfig.replace(/^( +)user: \S+$(?![\s\S]*^ +user: )/m, `$&\n$1namespace: ${namespace}`),
  );
  return kubeconfig;
}

async function take(step: Step, env: NodeJS.ProcessEnv): Promise<Taken> {
  const end = Date.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const { text, code } = await shell(step.run, env);
    if (step.settles === undefined || step.settles.test(text) || Date.now() > end) {
      const output = mask(text.trimEnd());
      return { step, output: step.sorted === true ? output.split('\n').sort().join('\n') : output, code };
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Both streams in one, as a terminal shows them. */
function shell(line: string, env: NodeJS.ProcessEnv): Promise<{ text: string; code: number }> {
  return new Promise((resolve) => {
    const options = { env, cwd: FILES, timeout: STEP_LIMIT_MS, maxBuffer: 16 << 20 };
    execFile('/bin/sh', ['-c', `{ ${line}\n} 2>&1 </dev/null`], options, (error, stdout) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 124;
      resolve({ text: stdout, code });
    });
  });
}
