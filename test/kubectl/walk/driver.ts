/** Runs the chapters of the walk with one kubectl against a cluster: one of its own, or any that a kubeconfig leads to. */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestCluster } from '../../support/cluster.ts';
import { minorOf, TIMED_OUT, type Kubectl } from '../../support/kubectl.ts';
import { mask } from './mask.ts';
import { sectionOf, type Taken } from './transcript.ts';
import { stepsOf, type Chapter, type Step } from './walk.ts';

const FILES = fileURLToPath(new URL('files', import.meta.url));
/** Generous: a busy machine is no failure. Nothing waits this long for what comes to be. */
const STEP_LIMIT_MS = 150_000;
const SETTLE_LIMIT_MS = 120_000;
const PAUSE_MS = 150;

/** What a fresh namespace is waited for: pods need its account, and somewhere to run. */
const READY = [
  'kubectl wait --for=condition=Ready nodes --all --timeout=120s >/dev/null',
  'until kubectl get serviceaccount default >/dev/null 2>&1; do sleep 0.2; done',
].join('; ');

interface Place {
  readonly folder: string;
  readonly kubeconfigFile: string;
  /** Whether others were here before, and will come after. */
  readonly isShared: boolean;
  stop(): Promise<void>;
}

/** Takes every step of a chapter, on a cluster of its own unless told of one, and answers with its section of the transcript. */
export async function walk(chapter: Chapter, kubectl: Kubectl, kubeconfigFile?: string): Promise<string> {
  const place = await (kubeconfigFile === undefined ? settle() : visit(kubeconfigFile));
  try {
    const env = environment(place, kubectl);
    const { key } = chapter;
    await shell(
      `kubectl create namespace ${key} && kubectl config set-context --current --namespace=${key}; ${READY}`,
      env,
    );
    const taken: Taken[] = [];
    for (const step of stepsOf(chapter, minorOf(kubectl))) taken.push(await take(step, env));
    if (place.isShared) await shell(`kubectl delete namespace ${key}`, env);
    return sectionOf(chapter, taken);
  } finally {
    await place.stop();
  }
}

/** The lines say `kubectl` and mean this one, with a kubeconfig they may change. */
function environment(place: Place, kubectl: Kubectl): NodeJS.ProcessEnv {
  const bin = join(place.folder, 'bin');
  mkdirSync(bin);
  symlinkSync(kubectl.path, join(bin, 'kubectl'));
  const own = join(place.folder, 'own-kubeconfig');
  copyFileSync(place.kubeconfigFile, own);
  return {
    ...process.env,
    // A command that lives for a moment need not collect garbage, nor do so on every core.
    GOGC: 'off',
    GOMAXPROCS: '1',
    LC_ALL: 'C',
    TZ: 'UTC',
    TMPDIR: '/tmp',
    HOME: place.folder,
    KUBECONFIG: own,
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
  };
}

async function settle(): Promise<Place> {
  return { ...(await startTestCluster({ groups: [{ name: 'node', count: 5 }] })), isShared: false };
}

function visit(kubeconfigFile: string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-walk-'));
  return {
    folder,
    kubeconfigFile,
    isShared: true,
    async stop() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function take(step: Step, env: NodeJS.ProcessEnv): Promise<Taken> {
  const end = Date.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const { text, code } = await shell(step.run, env, step);
    if (step.settles === undefined || step.settles.test(text) || Date.now() > end) {
      return { step, output: mask(text.trimEnd()), code };
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

interface Ended {
  readonly text: string;
  readonly code: number;
}

/** Both streams in one, as a terminal shows them. */
function shell(
  line: string,
  env: NodeJS.ProcessEnv,
  { meanwhile, interruptedAt }: Pick<Step, 'meanwhile' | 'interruptedAt'> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    // A group of its own, so that everything the line started can be ended.
    const child = spawn('/bin/sh', ['-c', `{ ${line}\n} 2>&1 </dev/null`], {
      env,
      cwd: FILES,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const interrupt = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      } catch {
        // It has ended by itself.
      }
    };
    const limit = setTimeout(interrupt, STEP_LIMIT_MS);
    let text = '';
    let beside: Promise<unknown> | undefined;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (meanwhile?.once.test(text) === true) beside ??= shell(meanwhile.run, env);
      if (interruptedAt?.test(text) === true) interrupt();
    });
    child.once('close', (code) => {
      clearTimeout(limit);
      void Promise.resolve(beside).then(() => resolve({ text, code: code ?? TIMED_OUT }));
    });
  });
}
