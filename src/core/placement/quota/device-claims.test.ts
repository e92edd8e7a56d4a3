import { describe, expect, it } from 'vitest';
import type { DeviceRequest, ResourceClaim } from '../../api/types/resource-v1.ts';
import { formatQuantity } from '../../kube/quantity.ts';
import { countedKind, evaluatorOf } from './evaluators.ts';

const claimOf = (...requests: readonly DeviceRequest[]): ResourceClaim => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'c' },
  spec: { devices: { requests } },
});
const exactly = (deviceClassName: string, count: number): DeviceRequest => ({
  name: `${deviceClassName}-${count}`,
  exactly: { deviceClassName, allocationMode: 'ExactCount', count },
});
const usageOf = (claim: ResourceClaim): Record<string, string> => {
  const usage = evaluatorOf('resource.k8s.io', 'resourceclaims')?.usage(claim, 0) ?? new Map();
  return Object.fromEntries(Array.from(usage, ([name, amount]) => [name, formatQuantity(amount)]));
};

const COUNT = 'count/resourceclaims.resource.k8s.io';
const gold = 'gold.deviceclass.resource.k8s.io/devices';
const tin = 'tin.deviceclass.resource.k8s.io/devices';

describe('what a claim of devices takes from a quota', () => {
  it('is itself, and its devices by class', () => {
    expect(usageOf(claimOf())).toEqual({ [COUNT]: '1' });
    expect(usageOf(claimOf(exactly('gold', 1), exactly('tin', 2), exactly('gold', 3)))).toEqual({
      [COUNT]: '1',
      [gold]: '4',
      [tin]: '2',
    });
  });

  it('is as many as there may be when all are asked for, and none in ways nobody knows', () => {
    const all = { name: 'a', exactly: { deviceClassName: 'gold', allocationMode: 'All' } };
    const odd = { name: 'b', exactly: { deviceClassName: 'tin', allocationMode: 'Some', count: 7 } };
    expect(usageOf(claimOf(all, odd))).toEqual({ [COUNT]: '1', [gold]: '32', [tin]: '0' });
  });

  it('is the dearest of several ways, for each class', () => {
    const way = (deviceClassName: string, count: number) => ({
      name: `${deviceClassName}${count}`,
      deviceClassName,
      allocationMode: 'ExactCount',
      count,
    });
    const first = { name: 'f', firstAvailable: [way('gold', 2), way('gold', 5), way('tin', 3)] };
    expect(usageOf(claimOf(first, exactly('tin', 1)))).toEqual({ [COUNT]: '1', [gold]: '5', [tin]: '4' });
  });

  it('is found by the name in the quota', () => {
    expect(countedKind(gold)).toEqual({ group: 'resource.k8s.io', resource: 'resourceclaims' });
    expect(countedKind(COUNT)).toEqual({ group: 'resource.k8s.io', resource: 'resourceclaims' });
  });
});
