/**
 * Components: a thousand different manifests of the size people write, each read from YAML, checked by Kubernetes' rules,
 * rendered and printed. `render-1000` is all of it; the other cases say where the time goes. `lint-cold` is a whole process
 * for one small manifest, from start to findings.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lintComponent } from '../src/core/component/lint/lint-component.ts';
import { loadManifests } from '../src/core/component/load/load.ts';
import { printObjects } from '../src/core/component/print/print-yaml.ts';
import { renderComponent } from '../src/core/component/render/render.ts';
import { checkComponent } from '../src/core/component/validate/check-component.ts';
import { isSelected, note, reportCase } from './support/report.ts';
import { BIN, SERVER_FLAG } from './support/server.ts';

const COUNT = 1000;
const RUNS = 7;
const FILES = ['log-collector', 'node-monitor', 'network-plugin', 'storage-daemon', 'security-agent'];

/** No two manifests are alike, so nothing can be remembered from one to the next. */
function manifests(): readonly { readonly file: string; readonly text: string }[] {
  const texts = FILES.map((file) =>
    readFileSync(new URL(`../examples/components/${file}.yaml`, import.meta.url), 'utf8'),
  );
  return Array.from({ length: COUNT }, (_, index) => {
    const text = texts[index % texts.length] ?? '';
    return { file: `m${index}.yaml`, text: text.replace(/^ {2}name: (\S+)$/m, `  name: $1-${index}`) };
  });
}

function timed(run: () => number): number {
  const start = process.hrtime.bigint();
  const made = run();
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  if (made !== COUNT) throw new Error(`${made} components instead of ${COUNT}`);
  return seconds;
}

function measure(name: string, selected: readonly string[], run: () => number): void {
  if (!isSelected(selected, name)) return;
  const samples = Array.from({ length: RUNS + 2 }, () => timed(run)).slice(2);
  reportCase({ bench: 'component', case: name, unit: 's', better: 'lower', samples });
}

/** Runs the emitted JavaScript, as it is published; skipped before a build. */
function lintCold(selected: readonly string[]): void {
  if (!isSelected(selected, 'lint-cold')) return;
  const file = fileURLToPath(new URL('../examples/components/node-monitor.yaml', import.meta.url));
  const samples: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = process.hrtime.bigint();
    const { status, stderr } = spawnSync(process.execPath, [SERVER_FLAG, BIN, 'lint', '-f', file], {
      encoding: 'utf8',
    });
    if (status !== 0) {
      note(
        `lint-cold needs a build (npm run build): ${stderr.split('\n').find((line) => line.includes('Error')) ?? ''}`,
      );
      return;
    }
    samples.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  reportCase({ bench: 'component', case: 'lint-cold', unit: 'ms', better: 'lower', samples });
}

export default async function component(selected: readonly string[]): Promise<void> {
  const texts = manifests();
  const { components, problems } = loadManifests(texts);
  if (problems.length > 0 || components.length !== COUNT) throw new Error('the examples cannot be read');

  measure('render-1000', selected, () => {
    let made = 0;
    for (const read of loadManifests(texts).components) {
      const checked = checkComponent(read);
      if (checked.problems.length === 0 && printObjects(checked.rendered.objects).length > 0) made += 1;
    }
    return made;
  });
  measure('read-1000', selected, () => loadManifests(texts).components.length);
  measure('check-1000', selected, () => components.filter((read) => checkComponent(read).problems.length === 0).length);
  measure(
    'objects-1000',
    selected,
    () => components.filter(({ component: each }) => renderComponent(each).objects.length > 0).length,
  );
  measure('lint-1000', selected, () => {
    let made = 0;
    for (const read of components) {
      lintComponent(read, renderComponent(read.component));
      made += 1;
    }
    return made;
  });
  lintCold(selected);
}
