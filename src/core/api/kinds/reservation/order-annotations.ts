/** Annotations of an Order that the controller reads. */
import { field, invalid } from '../../../kube/field-errors.ts';
import { parseGoDuration } from '../../../kube/go-duration.ts';
import type { ObjectMeta } from '../../../kube/meta-v1.ts';
import { RESERVATION_ANNOTATIONS } from '../../names.ts';
import { type Findings, lookup } from '../../rules/findings.ts';

interface Annotation {
  readonly key: string;
  readonly isFine: (text: string) => boolean;
  readonly text: string;
}

const ANNOTATIONS: readonly Annotation[] = [
  {
    key: RESERVATION_ANNOTATIONS.nodeGrace,
    isFine: (text) => (parseGoDuration(text) ?? 0) > 0,
    text: 'must be a duration above zero, such as 5m',
  },
  {
    key: RESERVATION_ANNOTATIONS.maxUnavailable,
    isFine: (text) => /^(?:[1-9][0-9]{0,8}|(?:[1-9][0-9]?|100)%)$/.test(text),
    text: 'must be a number above zero, such as 1, or a percentage from 1% to 100%',
  },
];

/** @param old metadata before a change; values that were there before are not judged again. */
export function validateOrderAnnotations(found: Findings, { annotations }: ObjectMeta, old?: ObjectMeta): void {
  for (const { key, isFine, text } of ANNOTATIONS) {
    const value = lookup(annotations, key);
    if (value === undefined || value === lookup(old?.annotations, key) || isFine(value)) continue;
    found.push(invalid(field.key('metadata.annotations', key), value, text));
  }
}
