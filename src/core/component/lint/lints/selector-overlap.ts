/** Another DaemonSet of the namespace that selects the same pods. */
import { defineLint } from '../contract/lint.ts';
import { daemonName, isSameDaemon } from '../parts/daemons.ts';

export const selectorOverlap = defineLint({
  name: 'selector-overlap',
  level: 'error',
  why: 'Another DaemonSet of the namespace selects the same pods; the two fight over them',
  *check({ rendered, otherDaemons = [] }) {
    const { daemonSet, identity } = rendered;
    const own = daemonSet.spec.template.metadata?.labels ?? {};
    for (const other of otherDaemons) {
      if (isSameDaemon(other, daemonSet) || other.metadata.namespace !== identity.namespace) continue;
      const theirs = other.spec.selector.matchLabels ?? {};
      // Selectors by expressions are left to the API server's own warnings; the existing tool never writes them.
      const hasExpressions = (other.spec.selector.matchExpressions ?? []).length > 0;
      const labels = other.spec.template.metadata?.labels ?? {};
      const isTaken = !hasExpressions && Object.keys(theirs).length > 0 && covers(theirs, own);
      if (!isTaken && !covers(identity.selector, labels)) continue;
      const suggestion =
        identity.mode === 'compatible' ? 'use another namespace, or safe mode' : 'use another namespace';
      yield { path: ['spec', 'namespace'], message: `${daemonName(other)} selects the same pods`, suggestion };
    }
  },
});

type Labels = { readonly [key: string]: string };

const covers = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
