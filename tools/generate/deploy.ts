/**
 * Writes the generated files of deploy/ and its reference: `node tools/generate/deploy.ts`. The plain manifests need
 * helm (`node scripts/get-helm.mjs`) and are left as they are without it; tests report stale files.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CATALOGUE } from '../../src/assembly/catalogue/catalogue.ts';
import type { Catalogue } from '../../src/assembly/catalogue/entry.ts';
import { findHelm } from '../../test/helm/find-helm.ts';
import { crdFiles } from './deploy-crds.ts';
import { plainManifests, TEMPLATE_ARGUMENTS } from './deploy-manifests.ts';
import { rightsFile, webhooksFile } from './deploy-rights.ts';
import { valuesFile, valuesPage } from './deploy-values.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const CHART = 'deploy/helm/everynode';
export const MANIFESTS = 'deploy/manifests/everynode.yaml';
export const DEFINITIONS = 'deploy/manifests/crds.yaml';

const read = (path: string): string => readFileSync(`${ROOT}/${path}`, 'utf8');

/** Generated files that need no helm, by path from the root. */
export function generateDeploy(catalogue: Catalogue = CATALOGUE): ReadonlyMap<string, string> {
  const values = valuesFile(read(`${CHART}/values.yaml`), catalogue);
  return new Map([
    [`${CHART}/values.yaml`, values],
    [`${CHART}/files/rights.yaml`, rightsFile(catalogue)],
    [`${CHART}/files/webhooks.yaml`, webhooksFile()],
    ...[...crdFiles()].map(([name, text]) => [`${CHART}/files/crds/${name}`, text] as const),
    ['docs/reference/helm-values.md', valuesPage(values, read(`${CHART}/values.schema.json`))],
  ]);
}

/** Existing definitions, by path from the root: one whose kind has left must be deleted. */
export const presentDefinitions = (): readonly string[] => globSync(`${CHART}/files/crds/*.yaml`, { cwd: ROOT });

/** Generated files that need helm, by path from the root. */
export function generateManifests(helm: string): ReadonlyMap<string, string> {
  const args = ['template', TEMPLATE_ARGUMENTS[0] ?? '', `${ROOT}/${CHART}`, ...TEMPLATE_ARGUMENTS.slice(1)];
  const { definitions, operator } = plainManifests(execFileSync(helm, args, { encoding: 'utf8', maxBuffer: 64 << 20 }));
  return new Map([
    [MANIFESTS, operator],
    [DEFINITIONS, definitions],
  ]);
}

function write(files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(`${ROOT}/${path}`), { recursive: true });
    writeFileSync(`${ROOT}/${path}`, text);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = generateDeploy();
  for (const path of presentDefinitions()) if (!files.has(path)) rmSync(`${ROOT}/${path}`);
  write(files);
  const helm = findHelm();
  if (helm === undefined) {
    process.stderr.write(`no helm: deploy/manifests is left as it is (node scripts/get-helm.mjs brings one)\n`);
    process.exitCode = 1;
  } else write(generateManifests(helm.path));
}
