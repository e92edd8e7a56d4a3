/** From flags to the options of the operator; invalid values are reported in the words of the flag. */
import { hostname } from 'node:os';
import { readSelection, selectableNames, selectControllers } from '../assembly/catalogue/select.ts';
import type { ElectionOptions } from '../assembly/operator/election.ts';
import type { OperatorProcessOptions } from '../assembly/operator/process.ts';
import { CliError } from './support/cli-error.ts';
import type { OperatorFlags } from './operator-command.ts';
import { amount, duration, MAX_PORT, MAX_RATE, objectName, truth, whole } from './operator-values.ts';
import { readWebhookFlags } from './operator-webhook-flags.ts';

export type ReadOperatorOptions = Pick<
  OperatorProcessOptions,
  | 'controllers'
  | 'instance'
  | 'election'
  | 'insteadOfUpstream'
  | 'qps'
  | 'burst'
  | 'health'
  | 'metrics'
  | 'webhooks'
  | 'initialState'
  | 'guardianImage'
>;

const OUTSIDE_NAMESPACE = 'kube-system';

export function readOperatorFlags(
  flags: OperatorFlags,
  surroundings: {
    readonly env: NodeJS.ProcessEnv;
    /** Namespace of the pod that this process runs in. */
    readonly podNamespace: string | undefined;
    readonly uuid: () => string;
  },
): ReadOperatorOptions {
  const { env } = surroundings;
  const instance = flags.instance ?? (env['POD_NAME'] || hostname());
  if (instance === '') throw new CliError('--instance is empty', 'Give it a name, such as that of the pod');
  if (flags.bindAddress === '') throw new CliError('--bind-address is empty', 'Give it an address, such as 127.0.0.1');
  const qps = amount('--kube-api-qps', flags.kubeApiQps);
  const burst = whole('--kube-api-burst', flags.kubeApiBurst, MAX_RATE, 1);
  const isElecting = truth('--leader-elect', flags.leaderElect);
  const ownNamespace = (env['POD_NAMESPACE'] || surroundings.podNamespace) ?? OUTSIDE_NAMESPACE;
  const namespace = flags.leaderElectResourceNamespace ?? ownNamespace;
  const webhooks = readWebhookFlags(flags, ownNamespace);
  return {
    controllers: readControllers(flags.controllers),
    instance,
    insteadOfUpstream: flags.insteadOfUpstream === true,
    ...(isElecting
      ? {
          election: readElection(
            flags,
            objectName('--leader-elect-resource-namespace', namespace),
            `${instance}_${surroundings.uuid()}`,
          ),
        }
      : {}),
    ...(qps === 0 ? {} : { qps, burst }),
    health: { bind: flags.bindAddress, port: whole('--health-port', flags.healthPort, MAX_PORT) },
    metrics: { bind: flags.bindAddress, port: whole('--metrics-port', flags.metricsPort, MAX_PORT) },
    ...(webhooks === undefined ? {} : { webhooks }),
    initialState: flags.initialState,
    ...(flags.guardianImage === undefined ? {} : { guardianImage: readImage(flags.guardianImage) }),
  };
}

function readImage(image: string): string {
  if (/^\S+$/.test(image)) return image;
  throw new CliError('--guardian-image is no name of an image', 'Give it one, such as registry.k8s.io/pause:3.10');
}

function readElection(flags: OperatorFlags, namespace: string, identity: string): ElectionOptions {
  const leaseDurationMs = duration('--leader-elect-lease-duration', flags.leaderElectLeaseDuration);
  const renewDeadlineMs = duration('--leader-elect-renew-deadline', flags.leaderElectRenewDeadline);
  const retryPeriodMs = duration('--leader-elect-retry-period', flags.leaderElectRetryPeriod);
  if (leaseDurationMs <= renewDeadlineMs || renewDeadlineMs <= retryPeriodMs * 1.2)
    throw new CliError(
      'the times of leader election do not fit together',
      'The lease duration must be longer than the renew deadline, and that longer than 1.2 times the retry period; 15s, 10s and 2s are good ones',
    );
  const name = objectName('--leader-elect-resource-name', flags.leaderElectResourceName);
  return { namespace, name, identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}

function readControllers(list: string): readonly string[] {
  const names = readSelection(list);
  try {
    if (selectControllers('operator', names).length > 0) return names;
  } catch (error) {
    throw new CliError(`--controllers: ${(error as Error).message}`, 'Leave it out for those that are on by default');
  }
  throw new CliError(
    `--controllers ${JSON.stringify(list)} switches every controller off`,
    `Known are: ${selectableNames('operator').join(', ')}`,
  );
}
