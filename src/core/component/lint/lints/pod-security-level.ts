/** The Pod Security level that the namespace must allow, where the namespace enforces none that is known. */
import { defineLint } from '../contract/lint.ts';
import {
  CHECKED_LEVELS,
  ENFORCE_LABEL,
  NAMESPACE_PATH,
  namespaceLabelsOf,
  objectionsAt,
} from '../parts/pod-security.ts';

export const podSecurityLevel = defineLint({
  name: 'pod-security-level',
  level: 'info',
  why: 'The Pod Security level the namespace must allow, where that is not known',
  *check(context) {
    const { podSecurity: evaluate } = context;
    if (evaluate === undefined || namespaceLabelsOf(context)?.[ENFORCE_LABEL] !== undefined) return;
    if (CHECKED_LEVELS.some((level) => objectionsAt(context, evaluate, level).length === 0)) return;
    const suggestion = `label it ${ENFORCE_LABEL}: privileged`;
    yield { path: NAMESPACE_PATH, message: 'the namespace must allow privileged pods', suggestion };
  },
});
