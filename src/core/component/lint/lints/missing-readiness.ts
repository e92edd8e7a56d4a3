/** Daemons without a readiness probe. */
import { defineLint } from '../contract/lint.ts';

export const missingReadiness = defineLint({
  name: 'missing-readiness',
  level: 'info',
  why: 'Without a readiness probe a rollout goes on when new pods do not work',
  *check({ containers }) {
    for (const { role, container, path } of containers)
      if (role === 'app' && container.readinessProbe === undefined)
        yield { path: [...path, 'readinessProbe'], message: 'there is no readiness probe' };
  },
});
