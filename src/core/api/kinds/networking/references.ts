/** References to objects of other groups, judged alike wherever networking has them. */
import { required } from '../../../kube/field-errors.ts';
import { dns1123SubdomainProblems, pathSegmentNameProblems } from '../../../kube/names.ts';
import { addTexts, type Findings } from '../../rules/findings.ts';

/** A non-empty name that can be a segment of a URL path. */
export function validateSegment(found: Findings, value: string, path: string): void {
  if (value === '') found.push(required(path, ''));
  else addTexts(found, path, value, pathSegmentNameProblems(value));
}

export interface TypedReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export function validateTypedReference(found: Findings, reference: TypedReference, path: string): void {
  const { apiGroup, kind = '', name = '' } = reference;
  if (apiGroup !== undefined) addTexts(found, `${path}.apiGroup`, apiGroup, dns1123SubdomainProblems(apiGroup));
  validateSegment(found, kind, `${path}.kind`);
  validateSegment(found, name, `${path}.name`);
}
