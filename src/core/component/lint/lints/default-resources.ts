/** Containers without a word about resources. */
import { DEFAULTS } from '../../../api/component/defaults.ts';
import { defineLint } from '../contract/lint.ts';

const { cpu, memory } = DEFAULTS.resources.limits;

export const defaultResources = defineLint({
  name: 'default-resources',
  level: 'info',
  why: 'Nothing is said about resources, so general defaults count',
  *check({ containers }) {
    for (const { container, path } of containers) {
      if (container.resources !== undefined) continue;
      const message = `says nothing; limits are ${cpu} CPU and ${memory}`;
      yield { path: [...path, 'resources'], message, suggestion: 'say what it needs' };
    }
  },
});
