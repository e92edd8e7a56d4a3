/**
 * The grammar of the commands for KubernetesDaemonSet manifests. The code of a command is loaded when the command runs.
 */
import { Argument, type Command, CommanderError, Option } from 'commander';
import {
  dryRun,
  outputs,
  STARTERS,
  withChange,
  withCluster,
  withInput,
  withSecrets,
  withTargets,
  withWait,
  type ApplyFlags,
  type ChangeFlags,
  type DeleteFlags,
  type HistoryFlags,
  type InitFlags,
  type LintFlags,
  type RenderFlags,
  type StatusFlags,
  type UndoFlags,
} from './component/flags.ts';

type Names = readonly string[];

export function addComponentCommands(program: Command): void {
  program
    .command('init')
    .description('Write a manifest to start from.')
    .addArgument(
      new Argument('[starter]', 'example to start from; without one the starters are listed').choices(STARTERS),
    )
    .option('--name <name>', 'name of the component (default: as in the starter)')
    .option('--namespace <namespace>', 'namespace of the component (default: as in the starter)')
    .option('-o, --output <file>', 'file to write (default: NAME.yaml); - prints the manifest')
    .option('--force', 'replace an existing file')
    .action(async (starter: string | undefined, flags: InitFlags) => (await import('./init.ts')).init(starter, flags));

  withSecrets(program.command('render'))
    .description('Print the objects that a KubernetesDaemonSet manifest is rendered to.')
    .addOption(outputs(['yaml', 'json', 'name'], 'yaml'))
    .option('--show-secrets', 'resolve the values of secrets and print them')
    .addHelpText('after', RENDER_EXAMPLES)
    .action(async (flags: RenderFlags) => (await import('./render.ts')).render(flags));

  program
    .command('crds')
    .description(
      'Print the custom resource definitions of KubernetesDaemonSet, Order, Ticket and Quota, for clusters that lack them.',
    )
    .addOption(outputs(['yaml', 'json', 'name'], 'yaml'))
    .addHelpText('after', CRDS_EXAMPLES)
    .action(async ({ output }: { output: 'yaml' | 'json' | 'name' }) => (await import('./crds.ts')).crds(output));

  withCluster(withInput(program.command('lint')))
    .description('Report mistakes and unwise settings in manifests.')
    .addOption(outputs(['text', 'json'], 'text'))
    .addOption(
      new Option('--fail-on <level>', 'lowest level of a finding that makes lint exit 1')
        .choices(['error', 'warning', 'info'])
        .default('error'),
    )
    .option('--against-cluster', 'compare with the namespaces and daemons of the cluster, too')
    .action(async (flags: LintFlags) => (await import('./lint.ts')).lint(flags));

  withChange(program.command('diff'))
    .description('Show the changes of an apply. Exits 0 without changes, 1 with changes, above 1 for errors.')
    .action(async (flags: ChangeFlags) => (await import('./diff.ts')).diff(flags))
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : new CommanderError(DIFF_FAILED, error.code, error.message);
    });

  withWait(withChange(program.command('apply')), 'wait until every node has the new daemon', '10m')
    .description('Apply manifests to the cluster, and wait for the rollout.')
    .addOption(dryRun('client sends no request, server asks the API server'))
    .addOption(outputs(['text', 'name', 'json', 'yaml'], 'text'))
    .addHelpText('after', APPLY_EXAMPLES)
    .action(async (flags: ApplyFlags) => (await import('./apply.ts')).apply(flags));

  withTargets(program.command('status'))
    .description('Show the state of components, and why nodes lag.')
    .option('-A, --all-namespaces', 'components of all namespaces')
    .option(
      '--exit-code',
      'exit 0 when every rollout is complete, 4 while one goes on, 5 where one has failed, 6 for no component',
    )
    .addOption(outputs(['text', 'wide', 'name', 'json', 'yaml'], 'text'))
    .addHelpText('after', STATUS_EXAMPLES)
    .action(async (names: Names, flags: StatusFlags) => (await import('./status.ts')).status(names, flags));

  withTargets(program.command('history'))
    .description('List the revisions of components.')
    .addOption(outputs(['text', 'json', 'yaml'], 'text'))
    .action(async (names: Names, flags: HistoryFlags) => (await import('./history.ts')).history(names, flags));

  withWait(withTargets(program.command('undo')), 'wait until every node has the old daemon again', '10m')
    .description('Roll components back to an earlier revision.')
    .option('--to-revision <number>', 'revision to go back to (default: the one before the newest)')
    .addOption(dryRun('the API server is asked in either case'))
    .action(async (names: Names, flags: UndoFlags) => (await import('./undo.ts')).undo(names, flags));

  withWait(withTargets(program.command('delete')), 'wait until every object is gone', '5m')
    .description('Delete components with all their objects.')
    .addOption(dryRun('the API server is asked in either case'))
    .addOption(outputs(['text', 'name'], 'text'))
    .action(async (names: Names, flags: DeleteFlags) => (await import('./delete.ts')).deleteComponents(names, flags));
}

/** kubectl's exit code for a failed diff: 1 says that there are differences. */
export const DIFF_FAILED = 2;

const RENDER_EXAMPLES = `
Examples:
  everynode render -f agent.yaml
  everynode render -f agents/ --set spec.container.app.image.tag=1.2 -o name
  everynode init log-collector -o - | everynode render -f -`;

const CRDS_EXAMPLES = `
Examples:
  everynode crds | kubectl apply --server-side -f -
  everynode crds -o name

A cluster that everynode up starts gets the definitions by itself, also those that somebody deleted.`;

const APPLY_EXAMPLES = `
Examples:
  everynode apply -f agent.yaml
  everynode apply -f agent.yaml --dry-run=server
  everynode apply -f agents/ --timeout 30m

Stop it when you like: the next apply finishes what this one began.

Exit codes: 0 every node has the new daemon, 1 error, 3 another apply overtook this one, 124 not in time, 130 interrupted.`;

const STATUS_EXAMPLES = `
Examples:
  everynode status -A
  everynode status agent -n logging --exit-code    for scripts

Exit codes with --exit-code, the gravest of all components: 0 every component is rolled out; 4 an apply or rollout is under
way or held; 5 it does not come about by itself (the output says why); 6 there is no such component. Without it: 0, or 1
where a named component is not there. 1 is also any other error.`;
