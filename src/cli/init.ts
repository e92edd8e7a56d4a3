/** `everynode init`: a manifest to start from, out of the examples that are published with the command. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadManifests, prepareComponents } from '../core/component/load/load.ts';
import { namedObjects } from '../core/component/named-objects.ts';
import { secretPlaces } from '../core/component/secrets/secret-source.ts';
import { dns1123LabelProblems } from '../core/kube/names.ts';
import { CliError } from './support/cli-error.ts';
import { STARTERS, type InitFlags } from './component/flags.ts';

/** The relative path is the same from the sources and from the emitted JavaScript. */
const EXAMPLES = new URL('../../examples/components/', import.meta.url);

export async function init(starter: string | undefined, flags: InitFlags): Promise<void> {
  if (starter === undefined) {
    const width = Math.max(...STARTERS.map(({ length }) => length));
    for (const name of STARTERS) process.stdout.write(`${name.padEnd(width)}   ${summaryOf(readExample(name))}\n`);
    process.stderr.write('  Write one with: everynode init NAME\n');
    return;
  }
  const { name = starter, namespace } = flags;
  for (const [flag, value] of [['--name', name] as const, ['--namespace', namespace] as const]) {
    const [problem] = value === undefined ? [] : dns1123LabelProblems(value);
    if (problem !== undefined) throw new CliError(`invalid argument ${JSON.stringify(value)} for ${flag}: ${problem}`);
  }
  const text = customized(readExample(starter), starter, name, namespace);
  const file = flags.output ?? `${name}.yaml`;
  if (file === '-') {
    process.stdout.write(text);
    return;
  }
  write(file, text, flags.force === true);
  const { needs, variables } = await needsOf(text, file);
  const first =
    needs.length === 0 ? '' : `  Before it is applied there must be:\n${needs.map((each) => `    ${each}\n`).join('')}`;
  const allowed = variables.map((name) => ` --allow-env ${name}`).join('');
  process.stderr.write(
    `${file} is written\n${first}  Look at it, then: everynode lint -f ${file} && everynode apply -f ${file}${allowed}\n`,
  );
}

/** Variables, files and objects that the manifest needs and does not hold. */
async function needsOf(text: string, file: string) {
  const { components } = await prepareComponents(loadManifests([{ file, text }]));
  const folder = dirname(file);
  const variables: string[] = [];
  const needs = components.flatMap(({ read, rendered: { identity, objects } }) => [
    ...secretPlaces(read.component).map((place) => {
      const [, from = '', what = ''] = /^(env|file):(.*)$/.exec(place) ?? [];
      if (from === 'env') variables.push(what);
      return from === 'env' ? `the variable ${what} (export ${what}=…)` : `the file ${join(folder, what)}`;
    }),
    ...namedObjects(objects).map(({ kind, name, keys }) => {
      const having = keys.length === 0 ? '' : ` with ${keys.length === 1 ? 'the key' : 'the keys'} ${keys.join(', ')}`;
      return `the ${kind} ${identity.namespace}/${name}${having}, in the cluster`;
    }),
  ]);
  return { needs, variables };
}

function readExample(name: string): string {
  try {
    return readFileSync(new URL(`${name}.yaml`, EXAMPLES), 'utf8');
  } catch (error) {
    throw new CliError(`the starter is missing: ${(error as Error).message}`, 'Install everynode again');
  }
}

const summaryOf = (text: string): string => /^# (.*)/.exec(text)?.[1] ?? '';

/** Replaces words, so that comments and the order of fields stay. Names that contain the component's name follow it. */
function customized(text: string, starter: string, name: string, namespace: string | undefined): string {
  const named = text.replaceAll(starter, name);
  return namespace === undefined ? named : named.replace(/^( {2}namespace: ).*$/m, `$1${namespace}`);
}

function write(file: string, text: string, force: boolean): void {
  try {
    writeFileSync(file, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new CliError(`${file} is there already`, 'Choose another with -o, or replace it with --force');
    throw new CliError(`cannot write ${file}: ${message}`);
  }
}
