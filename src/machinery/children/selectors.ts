/** Selectors of owners, with their answers remembered: all pods of a template share their labels, so each set is matched once. */
import { compileLabelSelector } from '../../core/kube/label-selector.ts';
import type { Labels } from '../../core/kube/labels.ts';
import type { LabelSelector } from '../../core/kube/meta-v1.ts';
import { NOTHING, type Selector } from '../../core/kube/selector.ts';

export type Selects = (labels: Labels | undefined) => boolean;

const known = new WeakMap<LabelSelector, Selects>();

export function selectsWith(selector: LabelSelector | undefined): Selects {
  if (selector === undefined) return () => false;
  let selects = known.get(selector);
  if (selects === undefined) known.set(selector, (selects = remembering(compiled(selector))));
  return selects;
}

export function remembering(selector: Selector): Selects {
  const answers = new WeakMap<Labels, boolean>();
  // Pods of one template come one after the other.
  let last: Labels | undefined;
  let lastAnswer = false;
  return (labels) => {
    if (labels === undefined) return selector.matches({});
    if (labels === last) return lastAnswer;
    let answer = answers.get(labels);
    if (answer === undefined) answers.set(labels, (answer = selector.matches(labels)));
    last = labels;
    lastAnswer = answer;
    return answer;
  };
}

/** The API server lets no selector in that cannot be read; one that slipped in selects nothing. */
function compiled(selector: LabelSelector): Selector {
  try {
    return compileLabelSelector(selector);
  } catch {
    return NOTHING;
  }
}

/** Whether the selector matches everything, which no owner's may. */
export const isEmptySelector = (selector: LabelSelector | undefined): boolean =>
  selector !== undefined &&
  Object.keys(selector.matchLabels ?? {}).length === 0 &&
  (selector.matchExpressions ?? []).length === 0;
