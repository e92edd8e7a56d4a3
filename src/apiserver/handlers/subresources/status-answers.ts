import type { ApiResponse } from '../../contract/request.ts';

/** What Kubernetes answers to a POST that made nothing one could show. */
export const created = (): ApiResponse => ({
  type: 'status',
  status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
});
