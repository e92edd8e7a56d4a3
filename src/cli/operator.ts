/** `everynode operator`: the controllers on a Kubernetes cluster, until SIGTERM. */
import { stat } from 'node:fs/promises';
import { startOperatorProcess, type OperatorProcess } from '../assembly/operator/process.ts';
import { isInCluster } from '../machinery/client/http/in-cluster.ts';
import { loadRestConfig } from '../machinery/client/http/load-config.ts';
import type { RestConfig } from '../machinery/client/http/rest-config.ts';
import { type Logger, type LogLevel, silentLogger } from '../machinery/logging/logger.ts';
import { createPinoLogger } from '../machinery/logging/pino-logger.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { realRandom } from '../machinery/random/real-random.ts';
import { CliError, textWithCode } from './support/cli-error.ts';
import type { OperatorFlags } from './operator-command.ts';
import { readOperatorFlags } from './operator-flags.ts';
import { createTextLogger } from './operator-log.ts';
import { onStopSignals } from './support/stop-signals.ts';

const say = (text: string): void => void process.stderr.write(text);

export async function operator(flags: OperatorFlags): Promise<void> {
  // Flags are checked before the first request.
  const probe = { env: process.env, podNamespace: undefined, uuid: () => realRandom.uuid() };
  readOperatorFlags(flags, probe);
  if (flags.webhookCertDir !== undefined) await checkDirectory(flags.webhookCertDir);
  const stop = onStopSignals({ clock: realClock, source: process, say, exit: (code) => process.exit(code) });
  let running: OperatorProcess | undefined;
  try {
    const config = await connection(flags);
    const inPod = flags.kubeconfig === undefined && flags.context === undefined && isInCluster();
    const options = readOperatorFlags(flags, { ...probe, podNamespace: inPod ? config.namespace : undefined });
    const logger = await loggerFor(flags);
    running = await startOperatorProcess(
      { ...options, config, logger, clock: realClock, random: realRandom },
      stop.signal,
    );
    const { bindAddress: address } = flags;
    logger.info('The operator has started', {
      server: config.server,
      controllers: running.running,
      health: `http://${hostName(address)}:${running.healthPort}/readyz`,
      metrics: `http://${hostName(address)}:${running.metricsPort}/metrics`,
      ...(options.webhooks === undefined ? {} : { webhooks: options.webhooks.certificates.kind }),
    });
    const failure = await Promise.race([stop.received, running.failed]);
    if (failure !== undefined) throw explain(failure, flags);
  } catch (error) {
    // Stopped by the user while starting: the error that follows is no failure.
    if (!stop.signal.aborted) throw error instanceof CliError ? error : explain(error, flags);
  } finally {
    await running?.stop();
    stop.release();
  }
  process.exitCode = stop.exitCode();
}

/** The files in the directory may come later; an absent directory is a mistake. */
async function checkDirectory(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new CliError(
    `--webhook-cert-dir ${JSON.stringify(directory)} is no directory`,
    'Mount the Secret that holds tls.crt and tls.key there, or leave it out: the leader then makes certificates',
  );
}

async function connection(flags: OperatorFlags): Promise<RestConfig> {
  const { kubeconfig, context } = flags;
  if (kubeconfig === '') throw new CliError('--kubeconfig is empty', 'Give it a file');
  try {
    return await loadRestConfig({
      clock: realClock,
      ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
      ...(context === undefined ? {} : { context }),
    });
  } catch (error) {
    throw new CliError(
      textWithCode(error),
      'Name a kubeconfig with --kubeconfig FILE (and --context NAME); in a pod, mount the token of its service account',
    );
  }
}

async function loggerFor({ logLevel, logFormat }: OperatorFlags): Promise<Logger> {
  if (logLevel === 'silent') return silentLogger;
  const level = logLevel as LogLevel;
  return logFormat === 'text' ? createTextLogger(realClock, level, say) : createPinoLogger({ level });
}

const hostName = (address: string): string => (address.includes(':') ? `[${address}]` : address);

function explain(error: unknown, flags: OperatorFlags): unknown {
  if (!(error instanceof Error)) return error;
  const { bindAddress, healthPort, metricsPort } = flags;
  const { code } = error as NodeJS.ErrnoException;
  if (isOfWebhooks(error)) {
    const address = flags.webhookBindAddress ?? bindAddress;
    return new CliError(
      `cannot serve webhooks on ${address}: ${error.cause.message}`,
      `Choose another --webhook-port than ${flags.webhookPort ?? ''} (0 takes a free one), or an address of this machine for --webhook-bind-address`,
    );
  }
  switch (code ?? '') {
    case 'EADDRINUSE':
    case 'EACCES':
      return new CliError(
        `cannot listen on ${bindAddress}: ${error.message}`,
        `Choose others than --health-port ${healthPort} and --metrics-port ${metricsPort}; 0 takes any free one`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CliError(`${bindAddress} is no address of this machine`, 'Use --bind-address 127.0.0.1, or 0.0.0.0');
    case 'EN_ASSEMBLY_UNREACHABLE':
      return new CliError(`${error.message} (${code})`, 'Look at the server and the user of the kubeconfig');
    default: {
      const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
      const fix = cause === '' ? undefined : 'Run with --log-level=debug to see more';
      return new CliError(`${error.message}${cause}${typeof code === 'string' ? ` (${code})` : ''}`, fix);
    }
  }
}

/** The webhook server listens only once it has a certificate: long after the other ports. */
const isOfWebhooks = (error: Error): error is Error & { readonly cause: NodeJS.ErrnoException } =>
  error.cause instanceof Error && error.message.startsWith('webhook-server ') && 'code' in error.cause;
