/** Manifests and requests that examples are made of. */
import type { JsonObject } from '../../../src/core/kube/json.ts';
import type { Operation } from './api-sequences.ts';

export const applied = (body: JsonObject): Operation => ({
  method: 'PATCH',
  on: 'object',
  contentType: 'application/apply-patch+yaml',
  query: { fieldManager: 'alpha' },
  body,
});

/** The least that a kind of apps/v1 wants. */
export const workload = (kind: string, more: JsonObject = {}) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: '$name' },
  spec: {
    ...more,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});
