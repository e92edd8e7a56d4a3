/** The Pod Security level that the namespace enforces, and the objections to the rendered pods at a level. */
import type { LintContext, PodSecurityEvaluator } from '../contract/lint.ts';

export const ENFORCE_LABEL = 'pod-security.kubernetes.io/enforce';
/** From the strictest level on. */
export const CHECKED_LEVELS = ['restricted', 'baseline'] as const;
export const NAMESPACE_PATH: readonly string[] = ['spec', 'namespace'];

const LATEST = Number.POSITIVE_INFINITY;

/** Labels of the namespace that the component creates, else of the one in the cluster; undefined where neither is known. */
export const namespaceLabelsOf = ({
  component: { spec },
  namespaceLabels,
}: LintContext): { readonly [key: string]: string } | undefined =>
  spec.createNamespace === true ? (spec.namespaceLabels ?? {}) : namespaceLabels;

export function objectionsAt(
  { rendered }: LintContext,
  evaluate: PodSecurityEvaluator,
  level: (typeof CHECKED_LEVELS)[number],
  version = LATEST,
): ReturnType<PodSecurityEvaluator> {
  const { template } = rendered.daemonSet.spec;
  return evaluate({ level, version }, template.metadata?.annotations, template.spec ?? { containers: [] });
}
