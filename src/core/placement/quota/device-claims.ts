/** The usage of a ResourceClaim in a quota: itself, and the most devices it may get, by their class. */
import type {
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
} from '../../api/types/resource-v1.ts';
import { type Quantity, quantityOf } from '../../kube/quantity.ts';
import type { QuotaEvaluator } from './evaluators.ts';
import { ONE } from './pod-usage.ts';

const COUNT = 'count/resourceclaims.resource.k8s.io';
const BY_CLASS = '.deviceclass.resource.k8s.io/devices';
/** Most devices that a request with allocationMode All can get. */
const MOST_DEVICES = 32;

const devicesOf = ({ allocationMode, count = 0 }: ExactDeviceRequest | DeviceSubRequest): number =>
  allocationMode === 'All' ? MOST_DEVICES : allocationMode === 'ExactCount' ? count : 0;

/** Of several alternatives, the one with the most devices for each class. */
function worstOf({ exactly, firstAvailable = [] }: DeviceRequest): ReadonlyMap<string, number> {
  const ways = firstAvailable.length > 0 ? firstAvailable : exactly === undefined ? [] : [exactly];
  const worst = new Map<string, number>();
  for (const way of ways) worst.set(way.deviceClassName, Math.max(worst.get(way.deviceClassName) ?? 0, devicesOf(way)));
  return worst;
}

export const deviceClaims: QuotaEvaluator = {
  handles: (operation, subresource) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  counts: (name) => name === COUNT || name.endsWith(BY_CLASS),
  inScope: () => false,
  problem: () => undefined,
  usage(object) {
    const devices = new Map<string, number>();
    for (const request of (object as ResourceClaim).spec.devices?.requests ?? [])
      for (const [name, count] of worstOf(request)) devices.set(name, (devices.get(name) ?? 0) + count);
    const usage = new Map<string, Quantity>([[COUNT, ONE]]);
    for (const [name, count] of devices) usage.set(`${name}${BY_CLASS}`, quantityOf(count));
    return usage;
  },
};
