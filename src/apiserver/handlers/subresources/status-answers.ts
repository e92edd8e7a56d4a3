import type { ApiResponse } from '../../contract/request.ts';

/** Kubernetes' answer to a POST that created no object to return. */
export const created = (): ApiResponse => ({
  type: 'status',
  status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
});
