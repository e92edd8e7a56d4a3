/** From flags to what the operator is started with; what cannot be is told in the words of the flag. */
import { hostname } from 'node:os';
import { OPERATOR_CONTROLLERS, selectOperatorControllers } from '../assembly/operator-controllers.ts';
import type { ElectionOptions, OperatorProcessOptions } from '../assembly/operator-process.ts';
import { dns1123SubdomainProblems } from '../core/kube/names.ts';
import { parseGoDuration } from '../core/kube/go-duration.ts';
import { CliError } from './cli-error.ts';
import type { OperatorFlags } from './operator-command.ts';

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
  | 'initialState'
>;

const MAX_PORT = 65_535;
const MAX_RATE = 1_000_000;
const OUTSIDE_NAMESPACE = 'kube-system';

export function readOperatorFlags(
  flags: OperatorFlags,
  surroundings: {
    readonly env: NodeJS.ProcessEnv;
    /** Of the pod this runs in. */
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
  const namespace =
    flags.leaderElectResourceNamespace ?? (env['POD_NAMESPACE'] || surroundings.podNamespace) ?? OUTSIDE_NAMESPACE;
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
    initialState: flags.initialState,
  };
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
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const known = `Known are: ${OPERATOR_CONTROLLERS.map((row) => row.name).join(', ')}`;
  try {
    if (selectOperatorControllers(names).length > 0) return names;
  } catch (error) {
    throw new CliError(`--controllers: ${(error as Error).message}`, known);
  }
  throw new CliError(`--controllers ${JSON.stringify(list)} switches every controller off`, known);
}

const expected = (flag: string, text: string, what: string): CliError =>
  new CliError(`invalid argument ${JSON.stringify(text.slice(0, 100))} for ${flag}: expected ${what}`);

function truth(flag: string, value: string | boolean): boolean {
  if (value === true || value === 'true') return true;
  if (value === 'false') return false;
  throw expected(flag, String(value), 'true or false');
}

function duration(flag: string, text: string): number {
  const ms = parseGoDuration(text);
  if (ms === undefined || ms <= 0) throw expected(flag, text, 'a time such as 15s');
  return ms;
}

function whole(flag: string, text: string, max: number, min = 0): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw expected(flag, text, `a whole number from ${min} to ${max}`);
}

function amount(flag: string, text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= MAX_RATE) return value;
  throw expected(flag, text, `a number from 0 to ${MAX_RATE}`);
}

function objectName(flag: string, text: string): string {
  if (dns1123SubdomainProblems(text).length > 0) throw expected(flag, text, 'the name of an object');
  return text;
}
