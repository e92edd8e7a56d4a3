/** A toleration of every taint. */
import { defineLint } from '../contract/lint.ts';
import { tolerationsOf } from '../parts/tolerations.ts';

export const tolerateEverything = defineLint({
  name: 'tolerate-everything',
  level: 'warning',
  why: 'Pods also go to nodes that are broken or being drained, and hold up rollouts there',
  *check({ component }) {
    for (const { toleration, path } of tolerationsOf(component)) {
      const { key, operator, tolerationSeconds } = toleration;
      if (key === undefined && operator === 'Exists' && tolerationSeconds === undefined)
        yield { path, message: 'every taint is tolerated', suggestion: 'name the keys' };
    }
  },
});
