/** Equality of the values libraries bring along. */
import { compareQuantities, type Quantity } from '../../../kube/quantity.ts';
import { CelError, CelOpaque, NO_OVERLOAD, QUANTITY_TYPE, type CelValue } from './values.ts';

export const URL_TYPE = 'kubernetes.URL';
export const SEMVER_TYPE = 'kubernetes.Semver';
export const FORMAT_TYPE = 'kubernetes.NamedFormat';
export const IP_TYPE = 'net.IP';
export const CIDR_TYPE = 'net.CIDR';
export const AUTHORIZER_TYPE = 'kubernetes.authorization.Authorizer';
export const PATH_CHECK_TYPE = 'kubernetes.authorization.PathCheck';
export const GROUP_CHECK_TYPE = 'kubernetes.authorization.GroupCheck';
export const RESOURCE_CHECK_TYPE = 'kubernetes.authorization.ResourceCheck';
export const DECISION_TYPE = 'kubernetes.authorization.Decision';

/** Payloads that are equal if their identities are. */
export interface Comparable {
  readonly identity: string;
}

export function opaqueEquals(a: CelOpaque, b: CelValue): boolean | CelError {
  if (!(b instanceof CelOpaque) || a.type !== b.type) return NO_OVERLOAD;
  if (a.type === QUANTITY_TYPE) return compareQuantities(a.payload as Quantity, b.payload as Quantity) === 0;
  if (a.type.startsWith('kubernetes.authorization.')) return NO_OVERLOAD;
  return (a.payload as Comparable).identity === (b.payload as Comparable).identity;
}
