/** Labels over labels; the same two always make the very same third, so that objects that share labels go on sharing them. */
import type { Labels } from '../../core/kube/labels.ts';

const known = new WeakMap<Labels, WeakMap<Labels, Labels>>();

export function mergedLabels(labels: Labels | undefined, over: Labels): Labels {
  if (labels === undefined) return over;
  let merged = known.get(labels);
  if (merged === undefined) known.set(labels, (merged = new WeakMap()));
  let result = merged.get(over);
  if (result === undefined) merged.set(over, (result = Object.freeze({ ...labels, ...over })));
  return result;
}
