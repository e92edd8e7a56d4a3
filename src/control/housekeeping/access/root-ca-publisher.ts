/** Every namespace has a config map with the authority that signed the API server: pods find it beside their token. */
import { CONFIG_MAPS, NAMESPACES } from '../../../core/api/registry/resources.ts';
import type { ConfigMap } from '../../../core/api/types/core-v1.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { createController } from '../../../machinery/controller/controller.ts';
import type { AccessKeeperOptions } from './options.ts';

const ROOT_CA = 'kube-root-ca.crt';
const DESCRIPTION =
  'The authority behind the API server, as pods reach it inside the cluster. It vouches for nothing else.';

export interface RootCaPublisherOptions extends AccessKeeperOptions {
  /** PEM. */
  readonly authority: string;
}

export function createRootCaPublisher(options: RootCaPublisherOptions): Actor {
  const { client, clock, informers, random } = options;
  const namespaces = informers.for(NAMESPACES);
  const configMaps = informers.for(CONFIG_MAPS);
  const data = { 'ca.crt': options.authority };

  async function publish(namespace: string, signal: AbortSignal): Promise<void> {
    const home = namespaces.lister.get(namespace);
    if (home === undefined || isBeingDeleted(home)) return;
    const found = configMaps.lister.get(ROOT_CA, namespace);
    if (found !== undefined && deepEqual(found.data, data)) return;
    const annotations = { 'kubernetes.io/description': DESCRIPTION };
    const wanted: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: ROOT_CA, namespace, annotations },
      data,
    };
    try {
      if (found === undefined) await client.create(CONFIG_MAPS, wanted, { signal });
      else {
        const metadata = { ...found.metadata, annotations: { ...found.metadata.annotations, ...annotations } };
        await client.update(CONFIG_MAPS, { ...found, metadata, data }, { signal });
      }
    } catch (error) {
      // Created, changed or deleted meanwhile: that event requeues the namespace. A terminating namespace needs no
      // config map.
      const isLate = isStatus(error, 'AlreadyExists') || isStatus(error, 'Conflict') || isStatus(error, 'NotFound');
      if (!isLate && !isTerminating(error)) throw error;
    }
  }

  return createController<string>({
    name: 'root-ca-certificate-publisher-controller',
    reconcile: publish,
    clock,
    random,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  })
    .watch(namespaces, ({ metadata: { name } }, { type }) => (type === 'delete' ? [] : [name]))
    .watch(configMaps, ({ metadata }) => (metadata.name === ROOT_CA ? [metadata.namespace ?? ''] : []));
}

const isTerminating = (error: unknown): boolean =>
  isStatus(error, 'Forbidden') &&
  error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true;
