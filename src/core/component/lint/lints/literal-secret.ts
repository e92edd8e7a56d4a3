/** Secrets in plain text: values of variables, and passwords of registries. */
import { defineLint } from '../contract/lint.ts';

export const literalSecret = defineLint({
  name: 'literal-secret',
  level: 'warning',
  why: 'A secret in plain text is in the history of the repository for ever',
  *check({ component, containers }) {
    for (const { container, path } of containers)
      for (const [index, { value }] of (container.env?.secrets ?? []).entries())
        // A resolved reference has no place in the manifest any more; only what was written there counts.
        if (value?.origin.from === 'literal')
          yield {
            path: [...path, 'env', 'secrets', index, 'value'],
            message: 'the value stands in the manifest',
            suggestion: 'use secretRef, env: or file:',
          };
    for (const [index, { password }] of (component.spec.pod?.imageRegistries ?? []).entries())
      if (password.origin.from === 'literal')
        yield {
          path: ['spec', 'pod', 'imageRegistries', index, 'password'],
          message: 'the password stands in the manifest',
          suggestion: 'use env:, file: or imagePullSecrets',
        };
  },
});
