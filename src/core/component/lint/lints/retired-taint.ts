/** A toleration of the taint that control planes had before Kubernetes 1.25. */
import { defineLint } from '../contract/lint.ts';
import { tolerationsOf } from '../parts/tolerations.ts';

export const retiredTaint = defineLint({
  name: 'retired-taint',
  level: 'info',
  why: 'The taint node-role.kubernetes.io/master is gone since Kubernetes 1.25; control planes have node-role.kubernetes.io/control-plane',
  *check({ component }) {
    for (const { toleration, path } of tolerationsOf(component)) {
      if (toleration.key !== 'node-role.kubernetes.io/master') continue;
      const suggestion = 'node-role.kubernetes.io/control-plane';
      yield { path: [...path, 'key'], message: 'no node has this taint any more', suggestion };
    }
  },
});
