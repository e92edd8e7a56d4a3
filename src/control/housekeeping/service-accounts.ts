/** Every namespace has an account called `default`, which pods that name none run as. */
import { NAMESPACES, SERVICE_ACCOUNTS } from '../../core/api/registry/resources.ts';
import { isBeingDeleted } from '../../core/kube/finalizers.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Actor } from '../../machinery/actor.ts';
import { createController } from '../../machinery/controller/controller.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';

export type ServiceAccountsOptions = Surroundings;

const NAME = 'default';

export function createServiceAccounts(options: ServiceAccountsOptions): Actor {
  const { client, informers, clock, random } = options;
  const namespaces = informers.for(NAMESPACES);
  const accounts = informers.for(SERVICE_ACCOUNTS);

  async function ensure(namespace: string, signal: AbortSignal): Promise<void> {
    const home = namespaces.lister.get(namespace);
    if (home === undefined || isBeingDeleted(home) || accounts.lister.get(NAME, namespace) !== undefined) return;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace } };
    try {
      await client.create(SERVICE_ACCOUNTS, account, { signal });
    } catch (error) {
      // Another writer created the account, or the namespace is going: either way nothing is missing.
      if (isStatus(error, 'AlreadyExists') || isStatus(error, 'NotFound') || isTerminating(error)) return;
      throw error;
    }
  }

  return createController<string>({
    name: 'service-accounts',
    reconcile: ensure,
    clock,
    random,
    logger: options.logger ?? silentLogger,
  })
    .watch(namespaces, ({ metadata: { name } }) => [name])
    .watch(accounts, ({ metadata }, { type }) =>
      type === 'delete' && metadata.name === NAME ? [metadata.namespace ?? ''] : [],
    );
}

const isTerminating = (error: unknown): boolean =>
  isStatus(error, 'Forbidden') &&
  error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true;
