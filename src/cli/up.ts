/** `everynode up`: an embedded cluster in the foreground, until Ctrl-C. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import pc from 'picocolors';
import { startEmbedded, type EmbeddedOptions } from '../assembly/embedded.ts';
import { realClock } from '../machinery/real-clock.ts';
import { createPinoLogger } from '../machinery/pino-logger.ts';
import { silentLogger, type LogLevel } from '../machinery/logger.ts';
import { readNodeGroups, type NodeGroup } from '../nodes/fleet/node-groups.ts';
import { CliError } from './cli-error.ts';
import { defaultDataDir, defaultKubeconfig } from './home.ts';
import type { UpFlags } from './main.ts';
import { createProgress } from './progress.ts';

export async function up(flags: UpFlags): Promise<void> {
  const options = readFlags(flags);
  const progress = createProgress(process.stderr, () => realClock.monotonic());
  const began = realClock.monotonic();
  const stop = new AbortController();
  const interrupted = onInterrupt(stop);
  const cluster = await startEmbedded({
    ...options,
    logger: flags.logLevel === 'silent' ? silentLogger : await createPinoLogger({ level: flags.logLevel as LogLevel }),
    onProgress: progress.step,
    signal: stop.signal,
  }).catch((error: unknown) => {
    if (stop.signal.aborted) return undefined;
    throw explain(error, options);
  });
  if (cluster === undefined) return interrupted.finish();
  const file = resolve(flags.writeKubeconfig ?? defaultKubeconfig());
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, cluster.kubeconfig, { mode: 0o600 });
  } catch (error) {
    await cluster.stop();
    throw new CliError(
      `cannot write the kubeconfig: ${(error as Error).message}`,
      'Name another place with --write-kubeconfig FILE',
    );
  }
  progress.done(
    `${pc.bold('everynode')} is up at ${cluster.server} after ${((realClock.monotonic() - began) / 1000).toFixed(1)} s, with ${cluster.nodeCount} simulated nodes`,
  );
  process.stderr.write(nextSteps(file, options));
  const failure = await Promise.race([interrupted.promise.then(() => undefined), cluster.failed]);
  if (failure !== undefined) process.stderr.write(`error: ${failure.message}\n`);
  await cluster.stop();
  if (failure === undefined) interrupted.finish();
  else process.exitCode = 1;
}

function nextSteps(file: string, options: Pick<EmbeddedOptions, 'dataDir'>): string {
  const kept = options.dataDir === undefined ? 'Nothing is kept when it stops.' : `Kept in ${options.dataDir}.`;
  return `
  Try, in another terminal:
    export KUBECONFIG=${file}
    kubectl get nodes
    kubectl create deployment web --image=nginx   # or any manifest of yours
    kubectl get pods -A -o wide -w

  ${kept} Stop with Ctrl-C.
`;
}

type ReadOptions = Pick<EmbeddedOptions, 'dataDir' | 'port' | 'bind' | 'groups'>;

function readFlags(flags: UpFlags): ReadOptions {
  const port = wholeNumber('--port', flags.port, 65_535);
  const groups: readonly NodeGroup[] | undefined =
    flags.nodeGroups === undefined
      ? flags.nodes === undefined
        ? undefined
        : [{ name: 'node', count: wholeNumber('--nodes', flags.nodes, 200_000) }]
      : readGroupFile(flags.nodeGroups);
  return {
    ...(flags.ephemeral === true ? {} : { dataDir: resolve(flags.dataDir ?? defaultDataDir()) }),
    port,
    bind: flags.bind,
    ...(groups === undefined ? {} : { groups }),
  };
}

function wholeNumber(flag: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max)
    throw new CliError(`${flag} ${text}: expected a whole number from 0 to ${max}`);
  return value;
}

function readGroupFile(file: string): readonly NodeGroup[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`cannot read --node-groups: ${(error as Error).message}`);
  }
  const { groups, problems } = readNodeGroups(text);
  if (problems.length > 0) {
    const lines = problems.map(
      ({ line, column, path, message }) => `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`,
    );
    throw new CliError(lines.join('\n       '), 'An example to start from: examples/node-groups.yaml');
  }
  return groups;
}

/** Words for what goes wrong most often at a start. */
function explain(error: unknown, { port, bind, dataDir }: ReadOptions): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'EADDRINUSE')
    return new CliError(
      `${bind}:${port} is taken by another process`,
      'Choose another with --port N; --port 0 takes any free one',
    );
  if (code === 'EADDRNOTAVAIL')
    return new CliError(
      `${bind} is no address of this machine`,
      'Use --bind 127.0.0.1, or an address that `ip addr` lists',
    );
  if (code === 'EACCES')
    return new CliError(
      `no permission: ${(error as Error).message}`,
      dataDir === undefined ? 'Choose a port of 1024 or above with --port' : 'Choose another --data-dir or --port',
    );
  return error;
}

/** The first Ctrl-C stops in good order, the second at once. */
function onInterrupt(stop: AbortController): { readonly promise: Promise<void>; finish(): void } {
  const { promise, resolve: done } = Promise.withResolvers<void>();
  let signal: NodeJS.Signals | undefined;
  const handle = (received: NodeJS.Signals): void => {
    if (signal !== undefined) process.exit(130);
    signal = received;
    process.stderr.write('\nStopping…\n');
    stop.abort();
    done();
  };
  process.on('SIGINT', handle).on('SIGTERM', handle);
  return {
    promise,
    finish: () => {
      process.exitCode = signal === 'SIGINT' ? 130 : 0;
    },
  };
}
