/** Errors of a cluster that knows no Orders, in words for a person. */
import { StatusError } from '../../core/kube/status-error.ts';
import { CliError } from '../support/cli-error.ts';

/** A list or get of a kind that is not served is answered 404 without the name of an object. */
export function orNotServed(error: unknown): never {
  const { status } = error instanceof StatusError ? error : {};
  if (status?.code === 404 && (status.details?.name ?? '') === '')
    throw new CliError(
      'the cluster serves no Orders and Tickets (core.korder.dev/v1alpha1)',
      'Bring the definitions: everynode crds | kubectl apply --server-side -f -; then run the controller `reservation` of everynode operator',
    );
  throw error;
}
