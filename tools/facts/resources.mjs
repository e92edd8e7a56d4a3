// Prints the resources a Kubernetes API server serves by default, one line each, from its published discovery
// documents: group version resource Kind singular scope verbs shortNames categories subresources.
// Usage: node tools/facts/resources.mjs DISCOVERY_FOLDER > src/core/api/facts/kubernetes-resources.ts
// where DISCOVERY_FOLDER is api/discovery of the Kubernetes sources (the core group is published in the older form).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const SERVED = new Set(['v1', 'v2']);

const list = (values) => (values?.length ? values.join(',') : '-');
const subresource = (name, kind, verbs) =>
  `${name}:${kind.group || '-'}/${kind.version || '-'}/${kind.kind}:${verbs.join('+')}`;
const line = (group, version, resource) =>
  [
    group || '-',
    version,
    resource.name,
    resource.kind,
    resource.singular,
    resource.scope,
    list(resource.verbs),
    list(resource.shortNames),
    list(resource.categories),
    resource.subresources.length ? resource.subresources.join(' ') : '-',
  ].join(' ');

function* coreLines() {
  const { resources } = read('api__v1.json');
  for (const resource of resources) {
    if (resource.name.includes('/')) continue;
    const subresources = resources
      .filter((sub) => sub.name.startsWith(`${resource.name}/`))
      .map((sub) => {
        const own = { group: '', version: 'v1', kind: sub.kind };
        const kind = sub.version ? { group: sub.group, version: sub.version, kind: sub.kind } : own;
        return subresource(sub.name.slice(resource.name.length + 1), kind, sub.verbs);
      });
    yield line('', 'v1', {
      name: resource.name,
      kind: resource.kind,
      singular: resource.singularName,
      scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      verbs: resource.verbs,
      shortNames: resource.shortNames,
      categories: resource.categories,
      subresources,
    });
  }
}

function* groupLines() {
  for (const group of read('aggregated_v2.json').items) {
    for (const version of group.versions) {
      if (!SERVED.has(version.version)) continue;
      for (const resource of version.resources) {
        yield line(group.metadata.name, version.version, {
          name: resource.resource,
          kind: resource.responseKind.kind,
          singular: resource.singularResource,
          scope: resource.scope,
          verbs: resource.verbs,
          shortNames: resource.shortNames,
          categories: resource.categories,
          subresources: (resource.subresources ?? []).map((sub) =>
            subresource(
              sub.subresource,
              {
                group: sub.responseKind?.group || group.metadata.name,
                version: sub.responseKind?.version || version.version,
                kind: sub.responseKind?.kind ?? resource.responseKind.kind,
              },
              sub.verbs,
            ),
          ),
        });
      }
    }
  }
}

console.log(`// Published facts of the resources Kubernetes v1.36 serves, one a line: group version resource Kind singular scope verbs
// shortNames categories subresource:group/version/Kind:verbs… Written by tools/facts/resources.mjs; \`-\` is empty.
export const KUBERNETES_RESOURCES = \`
${[...coreLines(), ...groupLines()].join('\n')}
\`;`);
