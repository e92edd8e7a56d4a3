/** Shared by the parts of the client contract: the harness, sample objects, and how failures are read. */
import { CONFIG_MAPS } from '../../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { ConfigMap, Namespace, Pod } from '../../../core/api/types/core-v1.ts';
import { StatusError, type StatusReason } from '../../../core/kube/status-error.ts';
import type { Client } from '../client.ts';

export type ContractFeature =
  /** Objects are judged by their schemas, namespaces must exist. */
  | 'validation'
  /** Server-side apply with owned fields. */
  | 'apply'
  | 'strategic'
  | 'tenants';

export interface ClientHarness {
  readonly client: Client;
  /** Where pods may be created; made by the suite when absent. */
  readonly namespace?: string;
  readonly features?: readonly ContractFeature[];
  /** A kube-apiserver finds a resourceVersion on a create so late that it blames itself. */
  readonly checksVersionLate?: boolean;
  /** A kube-apiserver before 1.32 sends no initial state on a watch. */
  readonly lacksInitialEvents?: boolean;
  /** Makes the server forget its history, so that everything older than now is expired. */
  compact?(): void | Promise<void>;
  close?(): void | Promise<void>;
}

export const configMap = (
  name: string,
  rest: Partial<ConfigMap> & { labels?: Record<string, string> } = {},
): ConfigMap => {
  const { labels, ...fields } = rest;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...fields,
    metadata: { name, ...(labels ? { labels } : {}), ...fields.metadata },
  };
};

export const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  // No scheduler is called so: on a server that has one, the pod still waits for the test.
  spec: { schedulerName: 'nobody', containers: [{ name: 'main', image: 'example.test/agent:1' }] },
});

export const daemonSet = (name: string, image: string): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { name: '', labels: { app: name } },
      spec: { containers: [{ name: 'main', image }] },
    },
  },
});

/** The Status an operation fails with; anything else than a StatusError fails the test. */
export async function failure(promise: Promise<unknown>): Promise<StatusError> {
  const outcome = await promise.then(
    (value) => new Error(`expected a failure, got ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof StatusError) return outcome;
  throw outcome;
}

export const reasonOf = async (promise: Promise<unknown>): Promise<readonly [number, StatusReason]> => {
  const { code, reason } = await failure(promise);
  return [code, reason];
};

export interface ContractContext {
  readonly harness: ClientHarness;
  readonly client: Client;
  /** A namespace of its own for each call. */
  freshNamespace(): Promise<string>;
  readonly podNamespace: string;
}

export const namespaceNamed = (name: string): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
  spec: {},
});

export const merge = (body: object) => ({ type: 'merge' as const, body: body as never });

/** Skips the test where the server under test does not promise the feature. */
export function needs(context: ContractContext, feature: ContractFeature, skip: () => void): void {
  if (context.harness.features?.includes(feature) !== true) skip();
}

export const namesIn = async (
  client: Client,
  namespace: string,
  options: { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
): Promise<readonly string[]> =>
  (await client.list(CONFIG_MAPS, { namespace, ...options })).items.map((item) => item.metadata.name);
