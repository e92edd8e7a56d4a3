/** Flags that several commands for components share: their types, and how they are declared. Nothing heavy is loaded. */
import { type Command, Option } from 'commander';

export interface InputFlags {
  readonly filename: readonly string[];
  readonly kustomize: readonly string[];
  readonly recursive?: boolean;
  readonly namespace?: string;
  readonly set: readonly string[];
  readonly setString: readonly string[];
  readonly mode: 'safe' | 'compatible';
  readonly dockerConfig?: string;
}

export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Variables and files of this machine that a manifest may put into Secrets. */
export interface SecretFlags {
  readonly allowEnv: readonly string[];
  readonly allowFiles: readonly string[];
}

export interface RenderFlags extends InputFlags, SecretFlags {
  readonly output: 'yaml' | 'json' | 'name';
  readonly showSecrets?: boolean;
}

export interface LintFlags extends InputFlags, ClusterFlags {
  readonly output: 'text' | 'json';
  readonly failOn: 'error' | 'warning' | 'info';
  readonly againstCluster?: boolean;
}

/** The examples that are published with the command. */
export const STARTERS = [
  'log-collector',
  'node-monitor',
  'network-plugin',
  'storage-daemon',
  'security-agent',
] as const;

export interface InitFlags {
  readonly name?: string;
  readonly namespace?: string;
  readonly output?: string;
  readonly force?: boolean;
}

export interface ChangeFlags extends InputFlags, ClusterFlags, SecretFlags {
  readonly forceConflicts?: boolean;
  readonly adopt?: 'unowned' | 'any';
  readonly recreate?: boolean;
  readonly prune: string;
}

interface WaitFlags {
  readonly wait: boolean;
  readonly timeout: string;
}

export interface ApplyFlags extends ChangeFlags, WaitFlags {
  readonly dryRun: string;
  readonly output: 'text' | 'name' | 'json' | 'yaml';
}

/** For commands about components in a cluster: by name, or by the manifests they came from. */
export interface TargetFlags extends InputFlags, ClusterFlags {
  readonly allNamespaces?: boolean;
}

export interface StatusFlags extends TargetFlags {
  readonly exitCode?: boolean;
  readonly output: 'text' | 'wide' | 'name' | 'json' | 'yaml';
}

export interface HistoryFlags extends TargetFlags {
  readonly output: 'text' | 'json' | 'yaml';
}

export interface UndoFlags extends TargetFlags, WaitFlags {
  readonly toRevision?: string;
  readonly dryRun: string;
}

export interface DeleteFlags extends TargetFlags, WaitFlags {
  readonly dryRun: string;
  readonly output: 'text' | 'name';
}

const collect = (value: string, all: readonly string[]): readonly string[] => [...all, value];
const several = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(collect).default([], 'none');

export const withInput = (command: Command): Command =>
  command
    .addOption(several('-f, --filename <file>', 'manifest, folder of manifests, or - for stdin; may be given again'))
    .addOption(several('-k, --kustomize <dir>', 'folder with a kustomization; may be given again'))
    .option('-R, --recursive', 'read folders with all their subfolders')
    .option(
      '-n, --namespace <namespace>',
      'namespace of components given by name, and of manifests that name none; a manifest that names another is refused',
    )
    .addOption(several('--set <path=value>', 'set a field of every manifest; true, false and numbers are read as such'))
    .addOption(several('--set-string <path=value>', 'as --set, but the value is always text'))
    .addOption(
      new Option(
        '--mode <mode>',
        'safe for new daemons, compatible to take over daemons that the Planton KubernetesDaemonSet module made',
      )
        .choices(['safe', 'compatible'])
        .default('safe'),
    )
    .option('--docker-config <file>', 'registry logins for every manifest, as docker login writes them');

export const withSecrets = (command: Command): Command =>
  withInput(command)
    .addOption(
      several('--allow-env <name>', "variable of this machine that manifests may use for secrets; '*' for any"),
    )
    .addOption(
      several('--allow-files <dir>', 'folder whose files manifests may use for secrets').default(
        [],
        "the manifest's own",
      ),
    );

export const withCluster = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'credentials (default: $KUBECONFIG, the cluster started last, ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig');

export const withChange = (command: Command): Command =>
  withCluster(withSecrets(command))
    .option('--force-conflicts', 'take fields from other field managers')
    .addOption(
      new Option(
        '--adopt <what>',
        'take over existing objects: unowned ones, or any, also those of other components (default: unowned in compatible mode, else none)',
      ).choices(['unowned', 'any']),
    )
    .option('--recreate', 'delete and recreate objects that cannot be changed in place')
    .option('--prune [bool]', 'delete objects that are no longer in the manifest', 'true');

export const withTargets = (command: Command): Command =>
  withCluster(withInput(command)).argument('[name...]', 'components, by name; or give the manifests with -f');

export const withWait = (command: Command, what: string, timeout: string): Command =>
  command
    .option('--wait', what, true)
    .option('--no-wait', 'end as soon as the API server has taken all requests')
    .option('--timeout <time>', 'longest time to wait, then exit 124; 0 waits for ever', timeout);

export const dryRun = (choices: string): Option =>
  new Option('--dry-run [how]', `print the steps and change nothing: ${choices}`).default('none').preset('client');

export const outputs = (values: readonly string[], fallback: string): Option =>
  new Option('-o, --output <format>', 'output format').choices(values).default(fallback);
