/** Pods that the Pod Security level of their namespace refuses. */
import { defineLint } from '../contract/lint.ts';
import { ENFORCE_LABEL, NAMESPACE_PATH, namespaceLabelsOf, objectionsAt } from '../parts/pod-security.ts';

export const podSecurity = defineLint({
  name: 'pod-security',
  level: 'error',
  why: 'The namespace enforces a Pod Security level that refuses the pods; the DaemonSet is accepted and nothing runs',
  *check(context) {
    const { podSecurity: evaluate } = context;
    const labels = namespaceLabelsOf(context);
    const level = labels?.[ENFORCE_LABEL];
    if (evaluate === undefined || (level !== 'baseline' && level !== 'restricted')) return;
    const version = /^v1\.([0-9]{1,4})$/.exec(labels?.[`${ENFORCE_LABEL}-version`] ?? '')?.[1];
    const found = objectionsAt(context, evaluate, level, version === undefined ? undefined : Number(version));
    if (found.length === 0) return;
    const reasons = found.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
    yield { path: NAMESPACE_PATH, message: `the namespace enforces ${level}, which refuses the pods: ${reasons}` };
  },
});
