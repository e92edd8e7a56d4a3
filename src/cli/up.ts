/** `everynode up`: an embedded cluster in the foreground, until Ctrl-C. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { readSelection, selectControllers } from '../assembly/catalogue/select.ts';
import { startEmbedded, type EmbeddedCluster, type EmbeddedOptions } from '../assembly/embedded.ts';
import { realClock } from '../machinery/time/real-clock.ts';
import { createPinoLogger } from '../machinery/logging/pino-logger.ts';
import { silentLogger, type LogLevel } from '../machinery/logging/logger.ts';
import { readNodeGroups, type NodeGroup } from '../nodes/fleet/node-groups.ts';
import { readAuditPolicy } from '../apiserver/audit/policy.ts';
import { CliError } from './support/cli-error.ts';
import { explainStart } from './explain-start.ts';
import { defaultDataDir, defaultKubeconfig, rememberKubeconfig } from './support/home.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import type { UpFlags } from './main.ts';
import { createProgress } from './progress.ts';
import { onStopSignals } from './support/stop-signals.ts';
import { colorsFor } from './support/terminal.ts';

const say = (text: string): void => void process.stderr.write(text);

export async function up(flags: UpFlags): Promise<void> {
  const options = readFlags(flags);
  const file = resolve(flags.writeKubeconfig ?? defaultKubeconfig());
  const progress = createProgress(process.stderr, realClock);
  const stop = onStopSignals({ clock: realClock, source: process, say, exit: (code) => process.exit(code) });
  const began = realClock.monotonic();
  const isQuiet = flags.logLevel === 'silent';
  progress.begin(options.dataDir === undefined ? 'starting' : `opening ${options.dataDir}`);
  let cluster: EmbeddedCluster | undefined;
  try {
    cluster = await startEmbedded({
      ...options,
      ownsProcess: true,
      logger: isQuiet ? silentLogger : await createPinoLogger({ level: flags.logLevel as LogLevel }),
      halt: endAtOnce,
      onProgress: progress.step,
      signal: stop.signal,
    });
    const replaced = writeKubeconfig(file, cluster.kubeconfig);
    rememberKubeconfig(file);
    const seconds = ((realClock.monotonic() - began) / 1000).toFixed(1);
    const nodes = `${cluster.nodeCount} simulated node${cluster.nodeCount === 1 ? '' : 's'}`;
    const name = colorsFor(process.stderr).bold('everynode');
    progress.done(`${name} is up at ${cluster.server} after ${seconds} s, with ${nodes}`);
    if (!isLoopback(options.bind)) say(openWarning(options.bind));
    if (replaced !== undefined) say(replacedWarning(file, replaced));
    say(nextSteps(file, options));
    const failure = await Promise.race([stop.received, cluster.failed]);
    if (failure !== undefined) throw new CliError(textOf(failure), 'Run with --log-level=debug to see more');
  } catch (error) {
    progress.stop();
    // Stopped by the user while starting: the error that follows is no failure.
    if (!stop.signal.aborted) throw error instanceof CliError ? error : explainStart(error, options);
  } finally {
    await cluster?.stop();
    stop.release();
  }
  process.exitCode = stop.exitCode();
}

/** Not in good order: that would answer requests whose outcome is unknown until the next start has read the disk. */
function endAtOnce({ message }: Error): never {
  say(
    `error: ${message} (EN_STORE_UNDO)\n  Mend the disk, then start again: whether that write is there is seen then.\n`,
  );
  process.exit(1);
}

const textOf = ({ message, cause }: Error): string =>
  cause instanceof Error ? `${message}: ${cause.message}` : message;

const isLoopback = (bind: string): boolean =>
  bind === 'localhost' || bind === '::1' || (isIP(bind) === 4 && bind.startsWith('127.'));

const openWarning = (bind: string): string =>
  `${colorsFor(process.stderr).yellow('!')} Listening on ${bind}: whoever can reach this machine can reach the cluster. Only holders of the kubeconfig get in; keep it to yourself.\n`;

const replacedWarning = (file: string, server: string): string =>
  `${colorsFor(process.stderr).yellow('!')} ${file} pointed to ${server} and points here now. To keep both, start one with --write-kubeconfig FILE.\n`;

function nextSteps(file: string, options: Pick<EmbeddedOptions, 'dataDir'>): string {
  const kept = options.dataDir === undefined ? 'Nothing is kept when it stops.' : `Kept in ${options.dataDir}.`;
  return `
  Try, in another terminal:
    export KUBECONFIG=${file}
    kubectl get nodes
    kubectl run web --image=nginx     # or any manifest of yours
    kubectl get pods -o wide -w

  ${kept} Stop with Ctrl-C.
`;
}

type ReadOptions = Pick<EmbeddedOptions, 'dataDir' | 'port' | 'bind' | 'groups' | 'controllers' | 'limits' | 'audit'>;

const MAX_PORT = 65_535;
const MAX_NODES = 200_000;
const MAX_IN_FLIGHT = 100_000;

function readFlags(flags: UpFlags): ReadOptions {
  const port = wholeNumber('--port', flags.port, MAX_PORT);
  const groups = readGroups(flags);
  if (flags.bind === '') throw new CliError('--bind is empty', 'Give it an address, such as 127.0.0.1');
  if (flags.dataDir === '')
    throw new CliError('--data-dir is empty', 'Give it a directory, or keep nothing with --ephemeral');
  if (flags.writeKubeconfig === '') throw new CliError('--write-kubeconfig is empty', 'Give it a file');
  return {
    ...(flags.ephemeral === true ? {} : { dataDir: resolve(flags.dataDir ?? defaultDataDir()) }),
    port,
    bind: flags.bind,
    ...readAudit(flags),
    limits: {
      reads: wholeNumber('--max-requests-inflight', flags.maxRequestsInflight, MAX_IN_FLIGHT, 1),
      writes: wholeNumber('--max-mutating-requests-inflight', flags.maxMutatingRequestsInflight, MAX_IN_FLIGHT, 1),
    },
    controllers: readControllers(flags.controllers),
    ...(groups === undefined ? {} : { groups }),
  };
}

function readControllers(list: string): readonly string[] {
  const names = readSelection(list);
  try {
    selectControllers('embedded', names);
  } catch (error) {
    throw new CliError(`--controllers: ${(error as Error).message}`, 'Leave it out for all of them');
  }
  return names;
}

function readAudit({ auditLogPath, auditPolicyFile }: UpFlags): Pick<ReadOptions, 'audit'> {
  if (auditLogPath === undefined) {
    if (auditPolicyFile === undefined) return {};
    throw new CliError('--audit-policy-file needs --audit-log-path', 'Say where the events go');
  }
  if (auditPolicyFile === undefined) return { audit: { path: auditLogPath } };
  let text: string;
  try {
    text = readFileSync(auditPolicyFile, 'utf8');
  } catch (error) {
    throw new CliError(`cannot read --audit-policy-file: ${(error as Error).message}`);
  }
  const { policy, problems } = readAuditPolicy(text);
  if (problems.length === 0) return { audit: { path: auditLogPath, policy } };
  const lines = problems.map(
    ({ line, path, message }) => `  ${auditPolicyFile}:${line}: ${path === '' ? '' : `${path}: `}${message}`,
  );
  throw new CliError(`the audit policy cannot be used:\n${lines.join('\n')}`);
}

function readGroups(flags: UpFlags): readonly NodeGroup[] | undefined {
  if (flags.nodeGroups !== undefined) return readGroupFile(flags.nodeGroups);
  if (flags.nodes === undefined) return undefined;
  return [{ name: 'node', count: wholeNumber('--nodes', flags.nodes, MAX_NODES) }];
}

function wholeNumber(flag: string, text: string, max: number, min = 0): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max || value < min) {
    throw new CliError(
      `invalid argument ${JSON.stringify(text)} for ${flag}: expected a whole number from ${min} to ${max}`,
    );
  }
  return value;
}

function readGroupFile(file: string): readonly NodeGroup[] {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CliError(`cannot read --node-groups: ${(error as Error).message}`);
  }
  const { groups, problems } = readNodeGroups(text);
  if (problems.length === 0) return groups;
  const lines = problems.map(
    ({ line, column, path, message }) => `  ${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`,
  );
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  throw new CliError(
    `${count} in ${file}:\n${lines.join('\n')}`,
    'An example to start from: examples/node-groups.yaml',
  );
}
