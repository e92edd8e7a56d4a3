/** The error for a namespace or node that is not there: an empty list of what is in it would say that all is well. */
import { NAMESPACES, NODES } from '../../core/api/registry/resources.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Client } from '../../machinery/client/client.ts';
import { CliError } from '../support/cli-error.ts';

interface Place {
  /** Undefined: all of them. */
  readonly namespace: string | undefined;
  readonly node?: string | undefined;
}

export async function mustBeThere(client: Client, { namespace, node }: Place): Promise<void> {
  if (namespace !== undefined && (await isMissing(client.get(NAMESPACES, { name: namespace }))))
    throw new CliError(`there is no namespace ${namespace}`, 'kubectl get namespaces lists them; -A asks for all');
  if (node !== undefined && (await isMissing(client.get(NODES, { name: node }))))
    throw new CliError(`there is no node ${node}`, 'kubectl get nodes lists them');
}

/** Whoever may not ask gets the empty list. */
const isMissing = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => false,
    (error: unknown) => isStatus(error, 'NotFound'),
  );
