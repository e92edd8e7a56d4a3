import type { Pod } from '../../../../core/api/types/core-v1.ts';

/** Whether the pod runs or may come to run. */
export const isActive = (pod: Pod): boolean =>
  pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined;
