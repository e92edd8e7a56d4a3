/** Objects tests begin with, and how they read failures. */
import type { ConfigMap, Pod } from '../../core/api/types/core-v1.ts';
import type { ObjectMeta } from '../../core/kube/meta-v1.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import type { ApiWatchEvent } from '../contract/request.ts';

export const configMap = (name: string, metadata: Partial<ObjectMeta> = {}, data = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...metadata },
  data,
});

export const pod = (name: string, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'example.test/agent:1' }], ...spec },
});

export async function failure(outcome: Promise<unknown>): Promise<StatusError> {
  const error = await outcome.then(
    (value) => new Error(`expected a failure, got ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof StatusError) return error;
  throw error;
}

export const thrown = (run: () => unknown): StatusError => {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('expected a failure');
};

/** `ADDED a@12`, `BOOKMARK @12`, `BOOKMARK @12 end`. */
export const told = (event: ApiWatchEvent): string =>
  event.type === 'BOOKMARK'
    ? `BOOKMARK @${event.resourceVersion}${event.initialEventsEnd ? ' end' : ''}`
    : `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}`;
