/** Dynamic resource allocation. */
import type { ResourceClaim, ResourceSlice } from '../types/resource-v1.ts';
import { AGE, NAME, printer, text } from './columns.ts';

function claimState(claim: ResourceClaim): string {
  const deleted = claim.metadata.deletionTimestamp !== undefined;
  const states = deleted ? ['deleted'] : [];
  if (claim.status?.allocation) {
    states.push('allocated');
    if (claim.status.reservedFor?.length) states.push('reserved');
  } else if (!deleted) states.push('pending');
  return states.join(',');
}

export const resourceClaimPrinter = printer<ResourceClaim>([
  NAME,
  text('State', 'Whether devices are allocated and in use', claimState),
  AGE,
]);

export const resourceSlicePrinter = printer<ResourceSlice>([
  NAME,
  text('Node', 'Node that has the devices', ({ spec }) => spec?.nodeName ?? ''),
  text('Driver', 'Driver of the devices', ({ spec }) => spec?.driver ?? ''),
  text('Pool', 'Pool the devices belong to', ({ spec }) => spec?.pool?.name ?? ''),
  AGE,
]);
