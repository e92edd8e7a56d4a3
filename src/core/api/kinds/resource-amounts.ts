/** Amounts of resources, as nodes, quotas and claims carry them. */
import { type FieldError, invalid } from '../../kube/field-errors.ts';
import { qualifiedNameProblems } from '../../kube/names.ts';
import { type Amount, amountText, isNegative, isWhole } from './quantities.ts';

const WHOLE_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

/** In Kubernetes' own namespace, said or unsaid. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

/** A resource somebody else defined, such as `nvidia.com/gpu`. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith('requests.') && qualifiedNameProblems(`requests.${name}`).length === 0;

const NOTHING: readonly FieldError[] = [];

export function validateResourceAmount(resource: string, amount: Amount, path: () => string): readonly FieldError[] {
  const negative = isNegative(amount);
  const broken = !isWhole(amount) && (WHOLE_RESOURCES.has(resource) || isExtendedResource(resource));
  if (!negative && !broken) return NOTHING;
  const errors: FieldError[] = [];
  if (negative) errors.push(invalid(path(), amountText(amount), 'must be greater than or equal to 0'));
  if (broken) errors.push(invalid(path(), amountText(amount), 'must be an integer'));
  return errors;
}
