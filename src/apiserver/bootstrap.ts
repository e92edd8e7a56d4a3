/** Objects that every cluster has from its first moment. Safe to run at each start: existing objects are left alone. */
import { IMMORTAL_NAMESPACES } from './admission/namespace-lifecycle.ts';
import { type GroupVersion, localApiServices } from './local-api-services.ts';
import {
  API_SERVICES,
  CONFIG_MAPS,
  NAMESPACES,
  PRIORITY_CLASSES,
  SERVICE_ACCOUNTS,
} from '../core/api/registry/resources.ts';
import type { ConfigMap, Namespace, ServiceAccount } from '../core/api/types/core-v1.ts';
import type { PriorityClass } from '../core/api/types/scheduling-v1.ts';
import type { Client } from '../machinery/client/client.ts';
import { createIfMissing } from './create-if-missing.ts';
import { type OwnService, publishOwnService } from './own-service.ts';

export interface BootstrapOptions {
  /** PEM of the authority whose client certificates we believe: other servers of the cluster ask for it. */
  readonly clientAuthority?: string;
  /** The `kubernetes` Service and what belongs to it; none: no such Service. */
  readonly apiService?: OwnService;
  /** Kinds that this server serves itself; each group and version is listed as an APIService. */
  readonly served?: Iterable<GroupVersion>;
}

const SYSTEM_CRITICAL = 2_000_000_000;

const namespace = (name: string): Namespace => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });

const priorityClass = (name: string, value: number, description: string): PriorityClass => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  description,
  preemptionPolicy: 'PreemptLowerPriority',
});

const defaultAccount = (inNamespace: string): ServiceAccount => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'default', namespace: inNamespace },
});

const SYSTEM_CLASSES: readonly PriorityClass[] = [
  priorityClass(
    'system-node-critical',
    SYSTEM_CRITICAL + 1000,
    'For system pods that must not be moved from their node.',
  ),
  priorityClass('system-cluster-critical', SYSTEM_CRITICAL, 'For system pods that must run, on whatever node.'),
];

export async function bootstrap(client: Client, options: BootstrapOptions = {}): Promise<void> {
  const names = [...IMMORTAL_NAMESPACES];
  for (const name of names) await createIfMissing(client, NAMESPACES, namespace(name));
  for (const entry of SYSTEM_CLASSES) await createIfMissing(client, PRIORITY_CLASSES, entry);
  for (const name of names) await createIfMissing(client, SERVICE_ACCOUNTS, defaultAccount(name));
  if (options.clientAuthority !== undefined) await publishAuthority(client, options.clientAuthority);
  if (options.apiService === undefined) return;
  // All at once, so that the writes reach the disk together.
  await Promise.all(
    localApiServices(options.served ?? []).map((service) => createIfMissing(client, API_SERVICES, service)),
  );
  await publishOwnService(client, options.apiService);
}

/**
 * The ConfigMap where extension API servers, kube-controller-manager and kube-scheduler look for the authority; a new
 * authority replaces the old one.
 */
async function publishAuthority(client: Client, authority: string): Promise<void> {
  const metadata = { name: 'extension-apiserver-authentication', namespace: 'kube-system' };
  const wanted: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'client-ca-file': authority } };
  await createIfMissing(client, CONFIG_MAPS, wanted);
  const { data } = await client.get(CONFIG_MAPS, metadata);
  if (data?.['client-ca-file'] === authority) return;
  await client.patch(CONFIG_MAPS, metadata, { type: 'merge', body: { data: { 'client-ca-file': authority } } });
}
