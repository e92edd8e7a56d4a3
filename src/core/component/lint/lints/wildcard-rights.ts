/** RBAC rules with a star. */
import { defineLint } from '../contract/lint.ts';

export const wildcardRights = defineLint({
  name: 'wildcard-rights',
  level: 'warning',
  why: 'A star gives rights to things that do not exist yet',
  *check({ component }) {
    for (const list of ['clusterRules', 'namespaceRules'] as const)
      for (const [index, rule] of (component.spec.rbac?.[list] ?? []).entries())
        for (const name of ['apiGroups', 'resources', 'verbs'] as const) {
          if (!rule[name].includes('*')) continue;
          const path = ['spec', 'rbac', list, index, name];
          yield { path, message: 'gives rights to everything', suggestion: 'name them' };
        }
  },
});
