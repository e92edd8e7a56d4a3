/**
 * The room of components: one manifest in, everything a node daemon needs out. `core/api/component/` declares the
 * manifest. Here: `read/` turns texts into components with places, `references/` resolves what one takes from another,
 * `secrets/` looks values up, `render/` makes the objects, `validate/` finds what is wrong, `lint/` what is unwise, and
 * `print/` writes YAML. All of that is pure; `apply/` brings the objects to a cluster.
 *
 * This file: the way of a text through all of it, as commands and controllers go it.
 */
import { COMPONENT_KIND } from '../../api/component/generations.ts';
import { SecretText } from '../../api/component/secret-text.ts';
import { placeText, type Problem } from '../problem.ts';
import { parseManifests } from '../read/parse-manifests.ts';
import { problemAt, readComponent, type ReadComponent } from '../read/read-component.ts';
import { applySet, type SetOptions, shownPath } from '../read/set.ts';
import type { SourceNode } from '../../kube/yaml/source-node.ts';
import { SourceDocument, sourceOf } from '../source.ts';
import { type OtherDocument, type ReferenceOptions, resolveReferences } from '../references/resolve.ts';
import type { Mode } from '../render/mode.ts';
import type { Rendered } from '../render/render.ts';
import { dockerConfigMention, foundAt, resolveSecrets, type SecretSource } from '../secrets/secret-source.ts';
import { checkComponent } from '../validate/check-component.ts';

export interface ManifestText {
  /** As people call it: a path, `-`, an address. */
  readonly file: string;
  readonly text: string;
}

export interface Override extends SetOptions {
  readonly expression: string;
}

export interface LoadedManifests {
  /** Every KubernetesDaemonSet, with its own problems. */
  readonly components: readonly ReadComponent[];
  /** Documents of other kinds, to be referred to. */
  readonly others: readonly OtherDocument[];
  /** Problems of texts and overrides themselves. */
  readonly problems: readonly Problem[];
}

/** Texts into components. Overrides change every component. */
export function loadManifests(texts: readonly ManifestText[], overrides: readonly Override[] = []): LoadedManifests {
  const components: ReadComponent[] = [];
  const others: OtherDocument[] = [];
  const problems: Problem[] = [];
  for (const { file, text } of texts) {
    const parsed = parseManifests(text, file);
    problems.push(...parsed.problems);
    for (const document of parsed.documents) {
      const other = otherDocument(document);
      if (other !== undefined) others.push(other);
      else components.push(readComponent(withOverrides(document, overrides, problems)));
    }
  }
  return { components, others, problems: distinct(problems) };
}

/** An object of an API server, or one made in a program. */
export const readObject = (object: unknown, name = 'the object'): ReadComponent =>
  readComponent(new SourceDocument({ file: name, root: sourceOf(object) }));

function withOverrides(document: SourceDocument, overrides: readonly Override[], problems: Problem[]): SourceDocument {
  let changed = document;
  for (const { expression, ...options } of overrides) {
    const result = applySet(changed, expression, options);
    if (result.fault === undefined) changed = result.document;
    else {
      const path = shownPath(expression);
      problems.push({ ...result.fault, path, place: { file: document.file, override: path } });
    }
  }
  return changed;
}

/** One override is wrong once, however many components it changes; two documents of a file are wrong twice. */
const distinct = (problems: readonly Problem[]): readonly Problem[] => {
  const first = new Map<string, Problem>();
  for (const problem of problems) {
    const { code, path, place } = problem;
    const { file, line, column, override } = place;
    const key = JSON.stringify([code, path, ...(override === undefined ? [file, line, column] : [override])]);
    if (!first.has(key)) first.set(key, problem);
  }
  return [...first.values()];
};

const textOf = (node: SourceNode | undefined): string | undefined =>
  node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;

const memberOf = (node: SourceNode | undefined, ...names: readonly string[]): SourceNode | undefined =>
  node?.kind === 'map' ? node.entries.find(({ key }) => names.includes(key))?.value : undefined;

/** A document that claims to be something else, and not by a slip in the spelling of a kind of ours. */
function otherDocument({ root }: SourceDocument): OtherDocument | undefined {
  const kind = textOf(memberOf(root, 'kind'));
  const version = textOf(memberOf(root, 'apiVersion', 'api_version'));
  if (kind === undefined || kind === COMPONENT_KIND || version === undefined || isNearOurs(kind)) return undefined;
  const metadata = memberOf(root, 'metadata');
  return { kind, name: textOf(memberOf(metadata, 'name')) ?? '', env: textOf(memberOf(metadata, 'env')), root };
}

const isNearOurs = (kind: string): boolean => kind.toLowerCase() === COMPONENT_KIND.toLowerCase();

export interface PrepareOptions extends ReferenceOptions {
  readonly mode?: Mode;
  /** Source of secrets. Without one their values stay unknown: enough to print, not to apply. */
  readonly secrets?: SecretSource;
  /** The text of a Docker configuration for all components. */
  readonly dockerConfig?: SecretText;
}

export interface PreparedComponent {
  readonly read: ReadComponent;
  readonly rendered: Rendered;
  readonly problems: readonly Problem[];
}

export interface Prepared {
  /** In the order they are applied in. */
  readonly components: readonly PreparedComponent[];
  /** Every problem of every component and text; empty when all of it can be applied. */
  readonly problems: readonly Problem[];
}

/** Resolves references and secrets, renders and validates. */
export async function prepareComponents(loaded: LoadedManifests, options: PrepareOptions = {}): Promise<Prepared> {
  const resolved = resolveReferences(loaded.components, loaded.others, options);
  const components: PreparedComponent[] = [];
  const problems: Problem[] = [...loaded.problems, ...resolved.problems];
  const first = new Map<string, ReadComponent>();
  for (const read of resolved.components) {
    const { known, dockerConfig, faults } = await withSecrets(read, options);
    const mode = options.mode === undefined ? {} : { mode: options.mode };
    const checked = checkComponent(known, { ...mode, ...(dockerConfig === undefined ? {} : { dockerConfig }) });
    const own = [...faults, ...checked.problems, ...givenTwice(known, checked.rendered, first)];
    components.push({ read: known, rendered: checked.rendered, problems: own });
    problems.push(...own.filter((problem) => !isUnresolved(problem, resolved.problems)));
  }
  return { components, problems: distinct(problems) };
}

/** Why a reference could not be resolved is told already; in a circle none can. */
const isUnresolved = ({ code, path, place }: Problem, told: readonly Problem[]): boolean =>
  code === 'EN_COMPONENT_REFERENCE' &&
  told.some(
    (other) =>
      other.code === 'EN_COMPONENT_CYCLE' || (other.path === `${path}.valueFrom` && other.place.file === place.file),
  );

const NAMING = /^(?:|metadata|metadata\.name|spec|spec\.namespace.*)$/;

/** The second component would replace the first, and which one was meant is unknown. */
function givenTwice(
  read: ReadComponent,
  { identity: { namespace, name } }: Rendered,
  first: Map<string, ReadComponent>,
): readonly Problem[] {
  const path = ['metadata', 'name'];
  const key = `${namespace}/${name}`;
  const other = first.get(key);
  first.set(key, other ?? read);
  // A placeholder stands in for a name that could not be read.
  if (other === undefined || namespace === '' || read.problems.some((problem) => NAMING.test(problem.path))) return [];
  const { place } = problemAt(other, path, { code: 'EN_COMPONENT_DUPLICATE', message: '' });
  const message = `${key} is given twice; the other one is at ${placeText(place)}`;
  return [problemAt(read, path, { code: 'EN_COMPONENT_DUPLICATE', message })];
}

async function withSecrets(read: ReadComponent, { secrets, dockerConfig }: PrepareOptions) {
  const mention = dockerConfigMention(read.component.metadata);
  // Logins of the caller win over the file that the manifest names.
  let config = dockerConfig ?? (mention === undefined ? undefined : SecretText.written(`file:${mention.path}`));
  if (secrets === undefined) return { known: read, dockerConfig: config, faults: [] };
  const { component, problems } = await resolveSecrets(read, secrets);
  const faults = [...problems];
  if (mention !== undefined && config?.isResolved === false) {
    const found = await foundAt(config, read.document.file, () => secrets.file(mention.path, read.document.file));
    if (typeof found === 'string') config = config.resolvedTo(found);
    else {
      const path = ['metadata', mention.in, mention.key];
      faults.push(problemAt(read, path, found));
      config = undefined;
    }
  }
  return { known: component === read.component ? read : { ...read, component }, dockerConfig: config, faults };
}
