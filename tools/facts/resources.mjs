// Prints the resources a Kubernetes API server serves by default, one line each, from its published aggregated
// discovery document: group version resource Kind singular scope verbs shortNames categories subresources.
// Usage: node resources.mjs AGGREGATED_V2_JSON
import { readFileSync } from 'node:fs';

const SERVED = new Set(['v1', 'v2']);
const document = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const list = (values) => (values?.length ? values.join(',') : '-');
for (const group of document.items) {
  for (const version of group.versions) {
    if (!SERVED.has(version.version)) continue;
    for (const resource of version.resources) {
      const subresources = (resource.subresources ?? []).map(
        (sub) =>
          `${sub.subresource}:${sub.responseKind?.group || '-'}/${sub.responseKind?.version || '-'}/${sub.responseKind?.kind}:${sub.verbs.join('+')}`,
      );
      console.log(
        [
          group.metadata.name ?? '-',
          version.version,
          resource.resource,
          resource.responseKind.kind,
          resource.singularResource,
          resource.scope,
          list(resource.verbs),
          list(resource.shortNames),
          list(resource.categories),
          subresources.length ? subresources.join(' ') : '-',
        ].join(' '),
      );
    }
  }
}
