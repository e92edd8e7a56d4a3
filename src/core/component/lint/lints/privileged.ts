/** Privileged containers. */
import { defineLint } from '../contract/lint.ts';

export const privilegedContainer = defineLint({
  name: 'privileged',
  level: 'warning',
  why: 'The container is root on the node',
  *check({ containers }) {
    for (const { container, path } of containers)
      if (container.securityContext?.privileged === true)
        yield { path: [...path, 'securityContext', 'privileged'], message: 'the container is privileged' };
  },
});
