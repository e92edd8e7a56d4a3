/** Reads the one-line notation of served resources (facts/kubernetes-resources.ts tells it). */

export interface SubresourceDefinition {
  readonly name: string;
  readonly verbs: readonly string[];
  /** Kind answered with, where it is not the resource's own (`autoscaling/v1 Scale`). */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
}

export interface ResourceFact {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly SubresourceDefinition[];
}

const list = (text: string): readonly string[] => (text === '-' ? [] : text.split(','));
const plain = (text: string): string => (text === '-' ? '' : text);

export function parseResources(text: string): readonly ResourceFact[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseLine);
}

function parseLine(line: string): ResourceFact {
  const [
    group = '-',
    version = '',
    resource = '',
    kind = '',
    singular = '',
    scope,
    verbs = '-',
    short = '-',
    categories = '-',
    ...subresources
  ] = line.split(' ');
  return {
    group: plain(group),
    version,
    resource,
    kind,
    singular,
    namespaced: scope === 'Namespaced',
    verbs: list(verbs),
    shortNames: list(short),
    categories: list(categories),
    subresources: subresources.filter((sub) => sub !== '-').map((sub) => parseSubresource(sub, kind)),
  };
}

function parseSubresource(text: string, ownKind: string): SubresourceDefinition {
  const [name = '', answer = '', verbs = ''] = text.split(':');
  const [group = '-', version = '', kind = ''] = answer.split('/');
  return {
    name,
    verbs: verbs.split('+'),
    ...(kind === ownKind ? {} : { kind: { group: plain(group), version, kind } }),
  };
}

/** Groups whose types stand in a package that is not the group's first label. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ['', 'core'],
  ['core.korder.dev', 'korder'],
  ['kubernetes.planton.dev', 'planton'],
  ['kubernetes.project-planton.org', 'planton'],
  ['kubernetes.openmcf.org', 'planton'],
]);

/** `core/v1.Pod`: the schema of a kind. */
export function schemaName(group: string, version: string, kind: string): string {
  return `${PACKAGES.get(group) ?? group.split('.', 1)[0]}/${version}.${kind}`;
}
