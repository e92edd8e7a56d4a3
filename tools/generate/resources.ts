/** Typed constants for every resource, src/core/api/registry/resources.ts: `PODS`, `DAEMON_SETS`, `NODE_POOLS`. */
import { KUBERNETES_RESOURCES } from '../../src/core/api/facts/kubernetes-resources.ts';
import { OWN_RESOURCES } from '../../src/core/api/facts/own-resources.ts';
import { parseResources, type ResourceFact, schemaName } from '../../src/core/api/schema/parse-resources.ts';

const PATH = 'src/core/api/registry/resources.ts';
const WIDTH = 120;

/** Resources whose plain name is taken by another one. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['events.k8s.io/v1/events', 'EVENTS_IN_EVENTS_GROUP'],
  ['autoscaling/v1/horizontalpodautoscalers', 'HORIZONTAL_POD_AUTOSCALERS_V1'],
  ['kubernetes.project-planton.org/v1/kubernetesdaemonsets', 'KUBERNETES_DAEMON_SETS_OF_PROJECT_PLANTON'],
  ['kubernetes.openmcf.org/v1/kubernetesdaemonsets', 'KUBERNETES_DAEMON_SETS_OF_OPENMCF'],
]);

export function generateResources(): ReadonlyMap<string, string> {
  const facts = [...parseResources(KUBERNETES_RESOURCES), ...parseResources(OWN_RESOURCES)];
  const imports = new Map<string, Set<string>>();
  const lines = facts.map((fact) => {
    const [typePackage = '', type = ''] = schemaName(fact.group, fact.version, fact.kind).split('.');
    const names = imports.get(typePackage) ?? new Set<string>();
    const alias = aliasOf(fact, typePackage);
    imports.set(typePackage, names.add(alias === type ? type : `${type} as ${alias}`));
    return constant(fact, alias);
  });
  const importLines = [...imports]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, names]) => importLine([...names].toSorted(), `../types/${from.replace('/', '-')}.ts`));
  const text = `// Written by tools/generate/resources.ts from the facts; edit those. Cheap to import: no schema is touched.
import type { KubeObject, Resource } from '../../kube/objects.ts';
${importLines.join('')}
type Named = [group: string, version: string, resource: string, kind: string];
${helper('namespaced', true)}${helper('cluster', false)}
${lines.join('')}`;
  return new Map([[PATH, text]]);
}

const helper = (
  name: string,
  namespaced: boolean,
): string => `const ${name} = <T extends KubeObject>(...[group, version, resource, kind]: Named): Resource<T> => ({
  group,
  version,
  resource,
  kind,
  namespaced: ${namespaced},
});
`;

/** Two packages have a type of the same name: the less usual one is told apart by its package. */
function aliasOf(fact: ResourceFact, typePackage: string): string {
  if (typePackage === 'events/v1') return 'EventsEvent';
  if (typePackage === 'autoscaling/v1') return 'HorizontalPodAutoscalerV1';
  return fact.kind;
}

function constant(fact: ResourceFact, type: string): string {
  const name = RENAMED.get(`${fact.group}/${fact.version}/${fact.resource}`) ?? constantName(fact);
  const head = `export const ${name} = ${fact.namespaced ? 'namespaced' : 'cluster'}<${type}>(`;
  const words = [fact.group, fact.version, fact.resource, fact.kind].map((word) => `'${word}'`);
  const line = `${head}${words.join(', ')});\n`;
  return line.length - 1 <= WIDTH ? line : `${head}\n${words.map((word) => `  ${word},\n`).join('')});\n`;
}

/** `NetworkPolicy` and `networkpolicies` make NETWORK_POLICIES: the kind's words, the last one as the plural has it. */
export function constantName(fact: { readonly kind: string; readonly resource: string }): string {
  const words = fact.kind.match(/[A-Z]+(?=[A-Z][a-z])|[A-Z]+[a-z]*|[a-z]+/g) ?? [];
  const leading = words.slice(0, -1);
  const last = fact.resource.slice(leading.join('').length);
  return [...leading, last].join('_').toUpperCase();
}

function importLine(names: readonly string[], path: string): string {
  const line = `import type { ${names.join(', ')} } from '${path}';\n`;
  return line.length - 1 <= WIDTH
    ? line
    : `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from '${path}';\n`;
}
