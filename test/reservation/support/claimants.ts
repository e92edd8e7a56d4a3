/** Pods of the tests of claims. */
import { CLAIM_ANNOTATIONS } from '../../../src/core/api/names.ts';
import type { Pod, PodSpec } from '../../../src/core/api/types/core-v1.ts';
import { pod } from '../ticket-world.ts';

export const web = (
  name: string,
  cpu: string,
  spec: Partial<PodSpec> = {},
  annotations: Record<string, string> = {},
): Pod => {
  const made = pod(name, {
    containers: [{ name: 'main', image: 'example.test/web:1', resources: { requests: { cpu } } }],
    ...spec,
  });
  return { ...made, metadata: { ...made.metadata, annotations } };
};
export const claimant = (
  name: string,
  cpu = '800m',
  claim: Record<string, string> = { [CLAIM_ANNOTATIONS.ticketRequest]: 'room' },
): Pod => web(name, cpu, {}, claim);
export const REQUIRED = { [CLAIM_ANNOTATIONS.claim]: 'Required' };
