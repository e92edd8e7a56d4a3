/** Helm on the chart: runs it, and reads what it renders. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { it } from 'vitest';
import { type RegisteredWebhook, webhooksFile } from '../../tools/generate/deploy-rights.ts';
import { findHelm } from '../helm/find-helm.ts';
import type { Run } from '../support/kubectl.ts';
import { isOnPurpose } from '../support/no-kubectl.ts';

export const CHART = fileURLToPath(new URL('../../deploy/helm/everynode', import.meta.url));
export const KUBE_VERSION = ['--kube-version', 'v1.36.4'];
export const helm = findHelm();

const NO_HELM = 'no helm found; run "node scripts/get-helm.mjs" (needs Go)';

/** A suite that cannot run says so; where everything should be there, that is a failure. */
export function missHelm(): void {
  if (helm !== undefined) return;
  it('is missed', ({ skip }) => {
    process.stderr.write(`\nWARNING: the tests of the chart do not run: ${NO_HELM}\n\n`);
    if (isOnPurpose()) throw new Error(NO_HELM);
    skip(NO_HELM);
  });
}

export const valuesFile = (name: string): string => fileURLToPath(new URL(`values/${name}.yaml`, import.meta.url));

export function runHelm(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, timeout: 200_000, maxBuffer: 64 << 20 };
    execFile(helm?.path ?? '', [...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 124, stdout, stderr });
    });
  });
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: { readonly [key: string]: string };
    readonly annotations?: { readonly [key: string]: string };
  };
  readonly [field: string]: unknown;
}

export const manifestsIn = (text: string): readonly Manifest[] =>
  parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0] as Error;
      return document.toJSON() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);

/** What `helm template` makes of the chart; throws with what helm says. */
export async function template(chart: string, ...args: readonly string[]): Promise<readonly Manifest[]> {
  const run = await runHelm(['template', 'everynode', chart, '--namespace', 'daemons-here', ...KUBE_VERSION, ...args]);
  if (run.code !== 0) throw new Error(run.stderr);
  return manifestsIn(run.stdout);
}

/** A copy of the chart that has these webhooks instead of its own; and how to remove it. */
export function chartWith(
  webhooks: readonly RegisteredWebhook[],
  crds: ReadonlyMap<string, string> = new Map(),
): { readonly chart: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-chart-'));
  const chart = join(folder, 'everynode');
  cpSync(CHART, chart, { recursive: true });
  writeFileSync(join(chart, 'files', 'webhooks.yaml'), webhooksFile(webhooks));
  for (const [name, text] of crds) {
    cpSync(join(chart, 'Chart.yaml'), join(chart, 'files', 'crds', name), { recursive: true });
    writeFileSync(join(chart, 'files', 'crds', name), text);
  }
  return { chart, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export const TEST_WEBHOOKS: readonly RegisteredWebhook[] = [
  {
    name: 'test-guard',
    phase: 'validate',
    webhook: {
      name: 'test-guard.everynode.dev',
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      failurePolicy: 'Ignore',
      timeoutSeconds: 20,
    },
  },
  {
    name: 'test-marker',
    phase: 'mutate',
    webhook: {
      name: 'test-marker.everynode.dev',
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      failurePolicy: 'Ignore',
      timeoutSeconds: 20,
    },
  },
];
