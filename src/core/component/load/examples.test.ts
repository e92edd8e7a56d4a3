/**
 * The examples a user starts from: each renders, is what its golden file says in both modes, and lints clean or says why
 * not. `UPDATE_GOLDEN=1` writes the golden files anew.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import { loadManifests, prepareComponents } from './load.ts';
import { lintComponent } from '../lint/lint-component.ts';
import { SILENCE_PREFIX } from '../lint/contract/silence.ts';
import { LINTS } from '../lint/list.ts';
import { printObjects } from '../print/print-yaml.ts';
import { MODES, type Mode } from '../render/mode.ts';
import { readText } from '../testing/manifests.ts';

const folder = fileURLToPath(new URL('../../../../examples/components/', import.meta.url));
const golden = (name: string, mode: Mode): URL => new URL(`golden/${name}.${mode}.yaml`, import.meta.url);
const EXAMPLES = globSync('*.yaml', { cwd: folder })
  .toSorted()
  .map((file) => basename(file, '.yaml'));
const textOf = (name: string): string => readFileSync(`${folder}${name}.yaml`, 'utf8');

const prepared = async (name: string, mode: Mode) => {
  const { components, problems } = await prepareComponents(
    loadManifests([{ file: `${name}.yaml`, text: textOf(name) }]),
    { mode },
  );
  expect(problems).toEqual([]);
  const [component] = components;
  if (component === undefined) throw new Error(`${name} has no component`);
  return component;
};

it('there is one for each use', () => {
  expect(EXAMPLES).toEqual(['log-collector', 'network-plugin', 'node-monitor', 'security-agent', 'storage-daemon']);
});

describe.each(EXAMPLES)('%s', (name) => {
  it.each(MODES)('is rendered in %s mode as it always was, twice the same', async (mode) => {
    const text = printObjects((await prepared(name, mode)).rendered.objects);
    expect(printObjects((await prepared(name, mode)).rendered.objects)).toBe(text);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden(name, mode), text);
    expect(text).toBe(readFileSync(golden(name, mode), 'utf8'));
  });

  it('lints clean, or says why not; no silence is kept that nothing needs', async () => {
    const { read, rendered } = await prepared(name, 'safe');
    const findings = lintComponent(read, rendered);
    expect(findings.filter(({ silenced }) => silenced === undefined)).toEqual([]);
    const silences = Object.keys(read.component.metadata.annotations ?? {}).filter((key) =>
      key.startsWith(SILENCE_PREFIX),
    );
    expect(new Set(findings.map(({ rule }) => SILENCE_PREFIX + rule))).toEqual(new Set(silences));
    for (const key of silences) expect(LINTS.map(({ name }) => name)).toContain(key.slice(SILENCE_PREFIX.length));
  });

  it('has requests and limits, probes and a version for everything that runs', () => {
    const { app, sidecars = [] } = readText(textOf(name)).component.spec.container;
    expect(app.readinessProbe).toBeDefined();
    for (const container of [app, ...sidecars]) {
      expect(container.resources?.requests).toHaveProperty('cpu');
      expect(container.resources?.limits).toHaveProperty('memory');
      expect(container.image.tag).not.toBe('latest');
    }
  });
});

it('all of them can live in one cluster', async () => {
  const all = await Promise.all(EXAMPLES.map((name) => prepared(name, 'safe')));
  const daemons: DaemonSet[] = all.map(({ rendered }) => rendered.daemonSet);
  for (const { read, rendered } of all) {
    const findings = lintComponent(read, rendered, { otherDaemons: daemons });
    expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
  }
});
