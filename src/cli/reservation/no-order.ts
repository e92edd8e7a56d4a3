/** The error for an Order that is not there, with the place where one of the name is. */
import { ORDERS } from '../../core/api/registry/resources.ts';
import type { Client } from '../../machinery/client/client.ts';
import { CliError } from '../support/cli-error.ts';

export async function noOrderError(client: Client, name: string, namespace: string | undefined): Promise<CliError> {
  const where = namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
  // Users who may not list all namespaces get no hint.
  const all =
    namespace === undefined
      ? []
      : await client.list(ORDERS).then(
          ({ items }) => items,
          () => [],
        );
  const hints = all
    .filter(({ metadata }) => metadata.name === name)
    .map(({ metadata }) => `There is one in namespace ${metadata.namespace}: -n ${metadata.namespace}`);
  return new CliError(`there is no Order ${name} in ${where}`, hints.length === 0 ? undefined : hints.join('\n  '));
}
