/** From flags to components: reads, overrides, prepares, and tells every problem at once. */
import {
  loadManifests,
  prepareComponents,
  type LoadedManifests,
  type Override,
  type PreparedComponent,
} from '../../control/component/load.ts';
import { placeText, problemText, type Problem } from '../../control/component/problem.ts';
import { placeOf, type SourceNode } from '../../control/component/read/source.ts';
import type { ReadComponent } from '../../control/component/read/read-component.ts';
import { CliError } from '../cli-error.ts';
import type { InputFlags } from './flags.ts';
import { readInputs } from './input.ts';
import { readDockerConfig, secretSource } from './secret-files.ts';
import { printable } from './text.ts';

export interface PrepareOptions {
  /** Look values of secrets up. */
  readonly withSecrets: boolean;
}

/** Fails with all problems of all manifests, if there are any. */
export async function prepareInputs(
  flags: InputFlags,
  { withSecrets }: PrepareOptions,
): Promise<readonly PreparedComponent[]> {
  const { components, problems } = await inspectInputs(flags, { withSecrets });
  if (problems.length > 0) throw problemsError(problems);
  return components;
}

export async function inspectInputs(flags: InputFlags, { withSecrets }: PrepareOptions) {
  const loaded = load(flags);
  // Who goes to the cluster with them might believe that they went, too.
  if (withSecrets)
    for (const { kind, name } of loaded.others)
      process.stderr.write(
        `note: ${printable(`${kind} ${name}`)} is no KubernetesDaemonSet: others may refer to it, nothing is made of it\n`,
      );
  return prepareComponents(loaded, {
    mode: flags.mode,
    ...(withSecrets ? { secrets: secretSource } : {}),
    ...(flags.dockerConfig === undefined ? {} : { dockerConfig: readDockerConfig(flags.dockerConfig) }),
  });
}

function load(flags: InputFlags): LoadedManifests {
  const texts = readInputs(flags);
  const overrides: readonly Override[] = [
    ...flags.set.map((expression): Override => ({ expression })),
    ...flags.setString.map((expression): Override => ({ expression, asText: true })),
  ];
  let loaded = loadManifests(texts, overrides);
  const { namespace } = flags;
  if (namespace !== undefined && loaded.components.some((read) => isOpen(read, namespace)))
    loaded = loadManifests(texts, [...overrides, { expression: `spec.namespace=${namespace}`, asText: true }]);
  if (loaded.components.length === 0 && loaded.problems.length === 0)
    throw new CliError(
      `there is no KubernetesDaemonSet in ${texts.map(({ file }) => file).join(', ')}`,
      'everynode init writes one to start from',
    );
  return loaded;
}

/** Says no namespace. One that says another than is asked for is an error, as with kubectl. */
function isOpen({ document }: ReadComponent, wanted: string): boolean {
  const node = member(member(document.root, 'spec'), 'namespace');
  if (node === undefined) return true;
  const said = node.kind === 'scalar' ? node.value : scalarOf(member(node, 'value'));
  if (typeof said === 'string' && said !== wanted)
    throw new CliError(
      `${placeText(placeOf(document, node.at))}: the namespace ${printable(said)} is not that of -n, ${wanted}`,
      'Leave one of the two out, or change the manifest: --set spec.namespace=NAME',
    );
  return false;
}

const member = (node: SourceNode | undefined, name: string): SourceNode | undefined =>
  node?.kind === 'map' ? node.entries.find(({ key }) => key === name)?.value : undefined;
const scalarOf = (node: SourceNode | undefined): unknown => (node?.kind === 'scalar' ? node.value : undefined);

export function problemsError(problems: readonly Problem[]): CliError {
  const lines = problems.map((problem) => printable(problemText(problem)));
  const [only = ''] = lines;
  const text = lines.length === 1 ? only : `${lines.length} problems:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new CliError(text);
}
