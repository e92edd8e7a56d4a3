/**
 * The command line. One file a command, loaded only when it is asked for, so that `--help` answers at once. Data goes
 * to stdout, progress and problems to stderr; exit codes: 0 ok, 1 error, 3 overtaken by another apply, 124 timeout, 130
 * interrupt.
 */
import { Command, CommanderError, Option } from 'commander';
import { VERSION } from '../core/api/version.ts';
import { addBackupCommands } from './backup-commands.ts';
import { CliError } from './support/cli-error.ts';
import { completionScript, SHELLS } from './completion.ts';
import { addComponentCommands } from './component-commands.ts';
import { hinted } from './hints.ts';
import { UP_CONTROLLERS_HELP } from './controllers-help.ts';
import { addOperatorCommand } from './operator-command.ts';
import { addReservationCommands } from './reservation-commands.ts';
import { addUserCommands } from './user-commands.ts';
import { surviveClosedPipes } from './support/terminal.ts';

export async function main(args: readonly string[]): Promise<void> {
  surviveClosedPipes();
  // Nothing fails in silence: an error that no caller caught ends the process, with a message.
  process.on('uncaughtException', failLoudly);
  process.on('unhandledRejection', failLoudly);
  const program = createProgram();
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = report(error);
  }
}

function failLoudly(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`error: something went wrong that should not: ${text}\n`);
  process.stderr.write('  What was answered is safe. Please report this with the lines above.\n');
  process.exit(1);
}

/** The whole grammar of the command line; completion and the reference are made from it. */
export function createProgram(): Command {
  const program = new Command('everynode')
    .description('The control plane for everything that must be on every node of a Kubernetes cluster.')
    .version(VERSION.product, '-V, --version', 'print the version and exit')
    .showHelpAfterError('Run with --help for usage.')
    .showSuggestionAfterError()
    .addHelpText('after', EXTRA_HELP)
    // A flag belongs to the command before it: `orders adopt X -n N` gives -n to `adopt`.
    .enablePositionalOptions()
    .exitOverride();

  program
    .command('up')
    .description('Run an embedded, kubectl-compatible cluster with simulated nodes.')
    .addOption(
      new Option('--data-dir <dir>', 'keep the cluster in this directory (default: $EVERYNODE_HOME/cluster)').conflicts(
        'ephemeral',
      ),
    )
    .addOption(new Option('--ephemeral', 'keep the cluster in memory; nothing survives the process'))
    .option('--port <port>', 'HTTPS port; 0 takes a free one', '6443')
    .option('--bind <address>', 'address to listen on; anything but loopback is reachable by others', '127.0.0.1')
    .addOption(new Option('--nodes <count>', 'simulated nodes to start with (default: 5)').conflicts('nodeGroups'))
    .addOption(new Option('--node-groups <file>', 'YAML file that describes groups of simulated nodes (- for stdin)'))
    .option(
      '--controllers <list>',
      "controllers to run, by kube-controller-manager's names: * is all, name is on, -name is off; the names are listed below",
      '*',
    )
    .option(
      '--write-kubeconfig <file>',
      'kubeconfig file to write; entries of other clusters stay (default: $EVERYNODE_HOME/kubeconfig)',
    )
    .option('--audit-log-path <file>', 'file of the audit log, one JSON event a line (- for stdout)')
    .option(
      '--audit-policy-file <file>',
      'audit policy: which requests are logged, and how much of each (default: metadata of all)',
    )
    .option('--max-requests-inflight <count>', 'reading requests served at the same time', '400')
    .option('--max-mutating-requests-inflight <count>', 'writing requests served at the same time', '200')
    .addOption(
      new Option('--log-level <level>', 'least severe log line to print')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('warn'),
    )
    .addHelpText('after', UP_CONTROLLERS_HELP)
    .addHelpText('after', UP_EXAMPLES)
    .action(async (options: UpFlags) => (await import('./up.ts')).up(options));

  program
    .command('kubeconfig')
    .description('Print the kubeconfig of the cluster started last.')
    .option('--path', 'print the path of the kubeconfig instead of its content')
    .action(async (options: { path?: boolean }) => (await import('./kubeconfig.ts')).kubeconfig(options));

  addBackupCommands(program);

  addComponentCommands(program);

  addReservationCommands(program);

  addOperatorCommand(program);

  addUserCommands(program);

  program
    .command('version')
    .description('Print the version of everynode and of the Kubernetes API it serves.')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml']).default('text'))
    .action(async (options: { output: string }) => (await import('./version.ts')).version(options.output));

  program
    .command('completion')
    .description('Print a shell completion script.')
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText('after', '\nExample:\n  source <(everynode completion bash)\n')
    .action((shell: string) => void process.stdout.write(completionScript(shell, createProgram())));
  // `exitOverride` is not inherited by commands made with a description in place.
  for (const command of program.commands) {
    // The exit codes of `diff` are kubectl's.
    if (command.name() !== 'diff') command.exitOverride();
    for (const sub of command.commands) sub.exitOverride();
    for (const each of [command, ...command.commands])
      each.configureOutput({
        outputError: (text, write) =>
          write(hinted(text, { flags: each.options.map(({ long }) => long ?? ''), args: each.args })),
      });
  }
  return program;
}

export interface UpFlags {
  readonly dataDir?: string;
  readonly ephemeral?: boolean;
  readonly port: string;
  readonly bind: string;
  readonly nodes?: string;
  readonly nodeGroups?: string;
  readonly controllers: string;
  readonly auditLogPath?: string;
  readonly auditPolicyFile?: string;
  readonly maxRequestsInflight: string;
  readonly maxMutatingRequestsInflight: string;
  readonly writeKubeconfig?: string;
  readonly logLevel: string;
}

const EXTRA_HELP = `
Examples:
  everynode up                          a cluster with five simulated nodes; says what to try next
  export KUBECONFIG=$(everynode kubeconfig --path)
  everynode init node-monitor           a daemon in one manifest, to change and apply
  everynode apply -f node-monitor.yaml
  everynode operator --kubeconfig FILE  the controllers, on a Kubernetes cluster of yours
  everynode help up                     everything about a command

Environment:
  EVERYNODE_HOME   where clusters and kubeconfigs are kept (default: ~/.everynode)
  NO_COLOR         no colours

Exit codes: 0 done, 1 error, 3 overtaken by another apply, 124 not in time, 130 interrupted.`;

const UP_EXAMPLES = `
Examples:
  everynode up                                  five nodes, kept in $EVERYNODE_HOME (~/.everynode)
  everynode up --ephemeral --nodes 500          five hundred nodes, gone when it stops
  everynode up --node-groups examples/node-groups.yaml --port 0 --write-kubeconfig ./kubeconfig

Stop it with Ctrl-C; with a data directory the next start finds everything again.`;

/** Prints the error once, in one place, and returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof CliError) {
    process.stderr.write(`error: ${error.message}\n${error.fix === undefined ? '' : `  ${error.fix}\n`}`);
    return error.exitCode;
  }
  const code = (error as { code?: unknown } | null)?.code;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`error: ${message}${typeof code === 'string' ? ` (${code})` : ''}\n`);
  return 1;
}
