/** Containers that name resources, but no limit of memory. */
import { defineLint } from '../contract/lint.ts';

export const missingLimits = defineLint({
  name: 'missing-limits',
  level: 'warning',
  why: 'Without a memory limit one daemon can take a whole node down',
  *check({ containers }) {
    for (const { container, path } of containers) {
      if (container.resources === undefined || Object.hasOwn(container.resources.limits ?? {}, 'memory')) continue;
      yield { path: [...path, 'resources'], message: 'has no memory limit', suggestion: 'add limits.memory' };
    }
  },
});
