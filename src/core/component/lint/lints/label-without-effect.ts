/** Labels of pods whose values everynode sets. */
import { defineLint } from '../contract/lint.ts';

export const labelWithoutEffect = defineLint({
  name: 'label-without-effect',
  level: 'warning',
  why: 'Pods are found by this label, so it keeps the value that everynode gives it',
  *check({ component, rendered }) {
    for (const [name, value] of Object.entries(component.spec.pod?.labels ?? {})) {
      const own = rendered.identity.labels[name];
      if (own === undefined || own === value) continue;
      yield { path: ['spec', 'pod', 'labels', name], message: `stays ${own}`, suggestion: 'take it out' };
    }
  },
});
