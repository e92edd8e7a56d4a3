import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../time/clock.ts';
import { MachineryError } from '../../errors.ts';
import type { RestConfig } from './rest-config.ts';
import { tokenFileCredentials } from './token-file.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly env?: NodeJS.ProcessEnv;
  /** Where the kubelet puts the service account's files. */
  readonly directory?: string;
}

export const isInCluster = (env: NodeJS.ProcessEnv = process.env): boolean =>
  Boolean(env['KUBERNETES_SERVICE_HOST']) && Boolean(env['KUBERNETES_SERVICE_PORT']);

/** The configuration every pod is given: address from its environment, token and CA from its files. */
export async function loadInClusterConfig(options: InClusterOptions): Promise<RestConfig> {
  const env = options.env ?? process.env;
  const directory = options.directory ?? SERVICE_ACCOUNT;
  if (!isInCluster(env)) {
    throw new MachineryError(
      'EN_MACHINERY_NOT_IN_CLUSTER',
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this is not a pod',
    );
  }
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const address = host.includes(':') ? `[${host}]` : host;
  const credentials = tokenFileCredentials(options.clock, join(directory, 'token'));
  // Read once now, so that a pod without a token fails at its start and says so.
  await credentials.get();
  const [ca, namespace] = await Promise.all([
    readFile(join(directory, 'ca.crt')).catch(() => undefined),
    readFile(join(directory, 'namespace'), 'utf8').catch(() => ''),
  ]);
  return {
    server: `https://${address}:${env['KUBERNETES_SERVICE_PORT']}`,
    tls: ca === undefined ? {} : { ca },
    credentials,
    ...(namespace === '' ? {} : { namespace: namespace.trim() }),
  };
}
