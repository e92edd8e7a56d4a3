/** References to Secrets of another namespace, which compatible mode renders without the namespace. */
import { defineLint } from '../contract/lint.ts';

export const secretNamespaceIgnored = defineLint({
  name: 'secret-namespace-ignored',
  level: 'warning',
  why: 'A pod reads Secrets of its own namespace, whatever the reference says',
  *check({ containers, rendered }) {
    const { mode, namespace } = rendered.identity;
    if (mode !== 'compatible') return;
    for (const { container, path } of containers)
      for (const [index, { secretRef }] of (container.env?.secrets ?? []).entries()) {
        if (secretRef?.namespace === undefined || secretRef.namespace === namespace) continue;
        const at = [...path, 'env', 'secrets', index, 'secretRef', 'namespace'];
        yield { path: at, message: `the pod looks in ${namespace}` };
      }
  },
});
