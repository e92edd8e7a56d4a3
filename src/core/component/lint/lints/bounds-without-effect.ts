/** Bounds of a rolling update beside the strategy OnDelete. */
import { defineLint } from '../contract/lint.ts';

const BOUNDS = ['rollingUpdate', 'maxUnavailable', 'maxSurge'] as const;

export const boundsWithoutEffect = defineLint({
  name: 'bounds-without-effect',
  level: 'warning',
  why: 'With OnDelete nothing is updated by itself, so bounds mean nothing',
  *check({ component }) {
    const { updateStrategy } = component.spec;
    if (updateStrategy?.type !== 'OnDelete') return;
    for (const name of BOUNDS)
      if (updateStrategy[name] !== undefined) {
        const path = ['spec', 'updateStrategy', name];
        yield { path, message: 'means nothing with OnDelete', suggestion: 'take it out' };
      }
  },
});
