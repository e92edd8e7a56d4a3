/** Validation errors of access reviews, in Kubernetes' words. */
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../core/api/types/authorization-v1.ts';
import { type FieldError, invalid, required } from '../../core/kube/field-errors.ts';
import type { KubeObject } from '../../core/kube/objects.ts';

export const selfReviewErrors = (review: SelfSubjectAccessReview): readonly FieldError[] => [
  ...attributeErrors(review.spec),
  ...selectorErrors(review.spec),
  ...metadataErrors(review, 'must be empty'),
];

export const reviewErrors = (review: SubjectAccessReview): readonly FieldError[] => [
  ...attributeErrors(review.spec),
  ...subjectErrors(review.spec),
  ...selectorErrors(review.spec),
  ...metadataErrors(review, 'must be empty'),
];

export function localReviewErrors(review: LocalSubjectAccessReview): readonly FieldError[] {
  const { nonResourceAttributes, resourceAttributes } = review.spec;
  const { namespace = '', ...metadata } = review.metadata;
  const errors = [
    ...attributeErrors(review.spec),
    ...subjectErrors(review.spec),
    ...selectorErrors(review.spec),
    ...metadataErrors({ ...review, metadata }, 'must be empty except for namespace'),
  ];
  const asked = resourceAttributes?.namespace ?? '';
  if (resourceAttributes !== undefined && asked !== namespace) {
    errors.push(invalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  }
  if (nonResourceAttributes !== undefined) {
    const why = 'disallowed on this kind of request';
    errors.push(invalid('spec.nonResourceAttributes', nonResourceAttributes, why));
  }
  return errors;
}

function attributeErrors({ nonResourceAttributes, resourceAttributes }: SubjectAccessReviewSpec): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const why = 'cannot be specified in combination with resourceAttributes';
    return [invalid('spec.nonResourceAttributes', nonResourceAttributes, why)];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid('spec.resourceAttributes', null, why)];
}

const subjectErrors = ({ groups = [], user = '' }: SubjectAccessReviewSpec): readonly FieldError[] =>
  user === '' && groups.length === 0
    ? [invalid('spec.user', user, 'at least one of user or group must be specified')]
    : [];

function selectorErrors({ resourceAttributes }: SubjectAccessReviewSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const which of ['fieldSelector', 'labelSelector'] as const) {
    const selector = resourceAttributes?.[which];
    if (selector === undefined) continue;
    const path = `spec.resourceAttributes.${which}`;
    const { rawSelector = '', requirements = [] } = selector;
    if (rawSelector !== '' && requirements.length > 0) {
      errors.push(invalid(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
    } else if (rawSelector === '' && requirements.length === 0) {
      const why = `when ${path} is specified, requirements or rawSelector is required`;
      errors.push(required(`${path}.requirements`, why));
    }
  }
  return errors;
}

function metadataErrors({ metadata }: KubeObject, why: string): readonly FieldError[] {
  const { managedFields: _, ...said } = metadata;
  const isEmpty = Object.values(said).every(
    (value) =>
      value === '' ||
      value === undefined ||
      value === null ||
      (typeof value === 'object' && Object.keys(value).length === 0),
  );
  return isEmpty ? [] : [invalid('metadata', said, why)];
}
