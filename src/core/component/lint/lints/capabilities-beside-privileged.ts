/** Capabilities of a container that is privileged and has all of them. */
import { defineLint } from '../contract/lint.ts';

export const capabilitiesBesidePrivileged = defineLint({
  name: 'capabilities-beside-privileged',
  level: 'info',
  why: 'A privileged container has every capability anyway',
  *check({ containers }) {
    for (const { container, path } of containers) {
      const { privileged, capabilities } = container.securityContext ?? {};
      const add = capabilities?.add ?? [];
      if (privileged !== true || add.length === 0) continue;
      const message = `${add.join(', ')}: a privileged container has them anyway`;
      const suggestion = 'try without privileged';
      yield { path: [...path, 'securityContext', 'capabilities', 'add'], message, suggestion };
    }
  },
});
