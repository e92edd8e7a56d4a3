/** Runs the chapters of the walk with one kubectl against a cluster: one of its own, or any that a kubeconfig leads to. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestCluster } from '../../support/cluster.ts';
import type { Kubectl } from '../../support/kubectl.ts';
import { mask } from './mask.ts';
import { sectionOf, type Taken } from './transcript.ts';
import { stepsOf, type Chapter, type Step } from './walk.ts';

const FILES = fileURLToPath(new URL('files', import.meta.url));
const STEP_LIMIT_MS = 40_000;
const SETTLE_LIMIT_MS = 20_000;
const PAUSE_MS = 150;

export interface Walker {
  /** Takes every step of a chapter and answers with its section of the transcript. */
  walk(chapter: Chapter, minor: number): Promise<string>;
  stop(): Promise<void>;
}

interface Place {
  readonly folder: string;
  readonly kubeconfigFile: string;
  stop(): Promise<void>;
}

export async function startWalker(kubectl: Kubectl, kubeconfigFile?: string): Promise<Walker> {
  const place = await (kubeconfigFile === undefined
    ? startTestCluster({ groups: [{ name: 'node', count: 5 }] })
    : visit(kubeconfigFile));
  // The lines say `kubectl` and mean this one.
  const bin = join(place.folder, 'bin');
  mkdirSync(bin);
  symlinkSync(kubectl.path, join(bin, 'kubectl'));
  const env = {
    ...process.env,
    // A command that lives for a moment need not collect garbage, nor do so on every core.
    GOGC: 'off',
    GOMAXPROCS: '1',
    LC_ALL: 'C',
    TZ: 'UTC',
    TMPDIR: '/tmp',
    HOME: place.folder,
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
  };
  return {
    async walk(chapter, minor) {
      const { key } = chapter;
      const own = { ...env, KUBECONFIG: join(place.folder, `kubeconfig-${key}`) };
      copyFileSync(place.kubeconfigFile, own.KUBECONFIG);
      await shell(`kubectl create namespace ${key} && kubectl config set-context --current --namespace=${key}`, own);
      const taken: Taken[] = [];
      for (const step of stepsOf(chapter, minor)) taken.push(await take(step, own));
      return sectionOf(chapter, taken);
    },
    stop: () => place.stop(),
  };
}

function visit(kubeconfigFile: string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-walk-'));
  return {
    folder,
    kubeconfigFile,
    async stop() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
