/** Secrets and ConfigMaps that pods name and the cluster does not have. */
import type { PathStep } from '../../trace.ts';
import { defineLint, type LintContext } from '../contract/lint.ts';

export const missingObject = defineLint({
  name: 'missing-object',
  level: 'warning',
  why: 'A Secret or ConfigMap that pods name is not in the cluster; the DaemonSet is accepted and its pods wait',
  *check({ containers, missing = [] }) {
    for (const { name, text } of missing) yield { path: pathOfName(containers, name), message: text };
  },
});

/** The first field of a container that names the object. */
function pathOfName(containers: LintContext['containers'], name: string): readonly PathStep[] {
  for (const { container, path } of containers) {
    const secret = (container.env?.secrets ?? []).findIndex(({ secretRef }) => secretRef?.name === name);
    if (secret !== -1) return [...path, 'env', 'secrets', secret, 'secretRef'];
    const mount = (container.volumeMounts ?? []).findIndex(
      (each) => each.secret?.name === name || each.configMap?.name === name,
    );
    if (mount !== -1) return [...path, 'volumeMounts', mount];
  }
  return ['spec', 'container'];
}
