/** Pod templates: what every workload makes its pods from. Defaults are in `pod/default-spec.ts`. */
import { forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { compileLabelSelector } from '../../../kube/label-selector.ts';
import type { LabelSelector } from '../../../kube/meta-v1.ts';
import type { Selector } from '../../../kube/selector.ts';
import type { PodSpec, PodTemplateSpec } from '../../types/core-v1.ts';
import { validateAnnotations, validateLabels } from '../../rules/metadata.ts';
import { selectorFindings } from '../pod/label-keys.ts';
import type { Findings, StringMap } from '../../rules/findings.ts';
import { addAll, isSet } from '../../rules/findings.ts';
import { internalValue } from '../pod/internal-form.ts';
import type { PodOptions } from '../pod/options.ts';
import { validatePodAnnotations, validateProfilesMatch } from '../pod/validate-annotations.ts';
import { validatePodSpec } from '../pod/validate-spec.ts';

const NO_SPEC: PodSpec = Object.freeze({ containers: Object.freeze([]) });

export function validateTemplate(
  found: Findings,
  template: PodTemplateSpec | undefined,
  options: PodOptions,
  path: string,
): void {
  const { metadata, spec = NO_SPEC } = template ?? {};
  validateTemplateMeta(found, template, options, path);
  validatePodSpec(found, spec, undefined, options, `${path}.spec`);
  validateProfilesMatch(found, metadata?.annotations, spec, `${path}.spec`);
  if (isSet(spec.ephemeralContainers)) {
    found.push(forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
}

/** Only labels and annotations of a template are looked at; findings leave `metadata` out of the path. */
export function validateTemplateMeta(
  found: Findings,
  template: PodTemplateSpec | undefined,
  options: PodOptions,
  path: string,
): void {
  const { metadata, spec = NO_SPEC } = template ?? {};
  addAll(found, validateLabels(metadata?.labels, `${path}.labels`));
  addAll(found, validateAnnotations(metadata?.annotations, `${path}.annotations`));
  validatePodAnnotations(found, metadata?.annotations, spec, options, `${path}.annotations`);
}

/** Pods that are to run for good: restarted always, without a deadline. */
export function validateRunsForever(
  found: Findings,
  template: PodTemplateSpec | undefined,
  kind: string,
  path: string,
): void {
  const { restartPolicy = '', activeDeadlineSeconds } = template?.spec ?? {};
  if (restartPolicy !== 'Always') found.push(notSupported(`${path}.spec.restartPolicy`, restartPolicy, ['Always']));
  if (activeDeadlineSeconds !== undefined) {
    const text = `activeDeadlineSeconds in ${kind} is not Supported`;
    found.push(forbidden(`${path}.spec.activeDeadlineSeconds`, text));
  }
}

export const shownSelector = (selector: LabelSelector | undefined): unknown =>
  internalValue('*v1.LabelSelector', selector);

const shownLabels = (labels: StringMap | undefined): unknown => internalValue('{s', labels);

/** The compiled selector, or undefined where the selector is invalid. */
export function compiled(selector: LabelSelector | undefined): Selector | undefined {
  try {
    return compileLabelSelector(selector);
  } catch {
    return undefined;
  }
}

export function validateSelects(
  found: Findings,
  selector: Selector,
  template: PodTemplateSpec | undefined,
  path: string,
): void {
  const labels = template?.metadata?.labels;
  if (selector.matches(labels ?? {})) return;
  const text = '`selector` does not match template `labels`';
  found.push(invalid(`${path}.metadata.labels`, shownLabels(labels), text));
}

export const isEmptySelector = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length === 0 && !isSet(matchExpressions);

/** A selector that is there, well formed and not empty. `named` is the kind as the message spells it. */
export function validateSelector(
  found: Findings,
  selector: LabelSelector | undefined,
  named: string,
  path: string,
): void {
  if (selector === undefined) {
    found.push(required(path, ''));
    return;
  }
  addAll(found, selectorFindings(selector, path));
  if (isEmptySelector(selector)) {
    found.push(invalid(path, shownSelector(selector), `empty selector is invalid for ${named}`));
  }
}
