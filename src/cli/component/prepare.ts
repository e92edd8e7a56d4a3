/** From flags to components: reads, overrides, prepares, and tells every problem at once. */
import {
  loadManifests,
  prepareComponents,
  type LoadedManifests,
  type Override,
  type PreparedComponent,
} from '../../core/component/load/load.ts';
import { placeText, problemText, type Problem } from '../../core/component/problem.ts';
import { readComponent, type ReadComponent } from '../../core/component/read/read-component.ts';
import { applySet } from '../../core/component/read/set.ts';
import type { SourceNode } from '../../core/kube/yaml/source-node.ts';
import { placeOf } from '../../core/component/source.ts';
import { dns1123LabelProblems } from '../../core/kube/names.ts';
import { CliError } from '../support/cli-error.ts';
import type { InputFlags, SecretFlags } from './flags.ts';
import { readInputs } from './input.ts';
import { createSecretSource, readDockerConfig } from './secret-files.ts';
import { printable } from './text.ts';

/** Prepares without values of secrets. Fails with all problems of all manifests, if there are any. */
export async function prepareInputs(flags: InputFlags): Promise<readonly PreparedComponent[]> {
  const { components, problems } = await inspectInputs(flags);
  if (problems.length > 0) throw problemsError(problems);
  return components;
}

/**
 * Prepares with the values of secrets, and prints a line on stderr for each file and variable that was read for them:
 * before anything is sent, so that the user can still stop.
 */
export async function prepareWithSecrets(flags: InputFlags & SecretFlags): Promise<readonly PreparedComponent[]> {
  const loaded = await load(flags);
  // Users of apply might believe that these documents were applied, too.
  for (const { kind, name } of loaded.others)
    process.stderr.write(
      `note: ${printable(`${kind} ${name}`)} is no KubernetesDaemonSet: others may refer to it, nothing is made of it\n`,
    );
  const { source, readings } = createSecretSource(flags);
  const { components, problems } = await prepareComponents(loaded, { ...optionsOf(flags), secrets: source });
  if (problems.length > 0) throw problemsError(problems);
  for (const reading of readings()) process.stderr.write(`note: ${printable(reading)}\n`);
  return components;
}

export const inspectInputs = async (flags: InputFlags) => prepareComponents(await load(flags), optionsOf(flags));

const optionsOf = ({ mode, dockerConfig }: InputFlags) => ({
  mode,
  ...(dockerConfig === undefined ? {} : { dockerConfig: readDockerConfig(dockerConfig) }),
});

async function load(flags: InputFlags): Promise<LoadedManifests> {
  const { texts, problems } = await readInputs(flags);
  const overrides: readonly Override[] = [
    ...flags.set.map((expression): Override => ({ expression })),
    ...flags.setString.map((expression): Override => ({ expression, asText: true })),
  ];
  const { namespace } = flags;
  if (namespace !== undefined) requireNamespaceName(namespace);
  let loaded = loadManifests(texts, overrides);
  if (problems.length > 0) loaded = { ...loaded, problems: [...problems, ...loaded.problems] };
  if (namespace !== undefined) loaded = { ...loaded, components: loaded.components.map(inNamespace(namespace)) };
  if (loaded.components.length === 0 && loaded.problems.length === 0)
    throw new CliError(
      `there is no KubernetesDaemonSet in ${texts.map(({ file }) => file).join(', ')}`,
      'everynode init writes one to start from',
    );
  return loaded;
}

function requireNamespaceName(namespace: string): void {
  const [problem] = dns1123LabelProblems(namespace);
  if (problem !== undefined)
    throw new CliError(`invalid argument ${JSON.stringify(namespace)} for --namespace: ${problem}`);
}

/**
 * Fills in the namespace where the manifest has none. Another namespace than that of `-n` is an error, as with kubectl.
 */
const inNamespace =
  (wanted: string) =>
  (read: ReadComponent): ReadComponent => {
    const { document } = read;
    const node = member(member(document.root, 'spec'), 'namespace');
    const said = node?.kind === 'map' ? scalarOf(member(node, 'value')) : scalarOf(node);
    if (typeof said === 'string' && said !== '' && said !== wanted)
      throw new CliError(
        `${placeText(placeOf(document, node?.at ?? 0))}: the namespace ${printable(said)} is not that of -n, ${wanted}`,
        'Leave one of the two out, or change the manifest: --set spec.namespace=NAME',
      );
    // A reference to another component, or an invalid value: left as it is.
    if (said === wanted || (node !== undefined && said !== null && said !== '')) return read;
    const { document: filled } = applySet(document, `spec.namespace=${wanted}`, { asText: true });
    return filled === undefined ? read : readComponent(filled);
  };

const member = (node: SourceNode | undefined, name: string): SourceNode | undefined =>
  node?.kind === 'map' ? node.entries.find(({ key }) => key === name)?.value : undefined;
const scalarOf = (node: SourceNode | undefined): unknown => (node?.kind === 'scalar' ? node.value : undefined);

function problemsError(problems: readonly Problem[]): CliError {
  const lines = problems.map((problem) => printable(problemText(problem)));
  const [only = ''] = lines;
  const text = lines.length === 1 ? only : `${lines.length} problems:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new CliError(text);
}
