/** Capabilities that are added to the default ones. */
import { defineLint } from '../contract/lint.ts';
import { addedCapabilities } from '../parts/containers.ts';

export const capabilitiesNotDropped = defineLint({
  name: 'capabilities-not-dropped',
  level: 'info',
  why: 'Capabilities are added to those every container has; drop ALL first to have only what is needed',
  *check({ containers }) {
    for (const declared of containers) {
      if (addedCapabilities(declared).length === 0) continue;
      const { capabilities } = declared.container.securityContext ?? {};
      if ((capabilities?.drop ?? []).some((name) => name.toUpperCase() === 'ALL')) continue;
      const path = [...declared.path, 'securityContext', 'capabilities'];
      yield { path, message: 'adds to what every container has', suggestion: 'drop: [ALL]' };
    }
  },
});
