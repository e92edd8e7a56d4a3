/** The grammar of `everynode operator`. Flags that Kubernetes' own programs have are named as there. */
import { type Command, Option } from 'commander';
import type { InitialState } from '../assembly/operator/controllers.ts';
import { OPERATOR_CONTROLLERS_HELP } from './controllers-help.ts';

export interface OperatorFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly controllers: string;
  readonly insteadOfUpstream?: boolean;
  readonly leaderElect: string;
  readonly leaderElectResourceName: string;
  readonly leaderElectResourceNamespace?: string;
  readonly leaderElectLeaseDuration: string;
  readonly leaderElectRenewDeadline: string;
  readonly leaderElectRetryPeriod: string;
  readonly bindAddress: string;
  readonly healthPort: string;
  readonly metricsPort: string;
  readonly webhookPort?: string;
  readonly webhookBindAddress?: string;
  readonly webhookName?: string;
  readonly webhookNamespace?: string;
  readonly webhookCertDir?: string;
  readonly webhookCertLifetime?: string;
  readonly kubeApiQps: string;
  readonly kubeApiBurst: string;
  readonly initialState: InitialState;
  readonly guardianImage?: string;
  readonly instance?: string;
  readonly logLevel: string;
  readonly logFormat: 'json' | 'text';
}

export function addOperatorCommand(program: Command): void {
  program
    .command('operator')
    .description('Run the controllers on a Kubernetes cluster.')
    .option(
      '--kubeconfig <file>',
      "how to reach the cluster (default: the pod's own, else $KUBECONFIG or ~/.kube/config)",
    )
    .option('--context <name>', 'context of the kubeconfig to use')
    .option(
      '--controllers <list>',
      'controllers to run: * is all that are on by default, name is on, -name is off; the names are listed below',
      '*',
    )
    .option(
      '--instead-of-upstream',
      'declare that kube-controller-manager and kube-scheduler leave their work to daemonset and scheduler, which do not run without that',
    )
    .option('--leader-elect [bool]', 'let one process at a time act, the one that holds a Lease', 'true')
    .option('--leader-elect-resource-name <name>', 'name of the Lease', 'everynode-operator')
    .option(
      '--leader-elect-resource-namespace <name>',
      "namespace of the Lease (default: the pod's own, outside of pods kube-system)",
    )
    .option(
      '--leader-elect-lease-duration <time>',
      'time a standby waits before it takes over an unrenewed Lease',
      '15s',
    )
    .option('--leader-elect-renew-deadline <time>', 'time without a renewal after which the leader ends', '10s')
    .option('--leader-elect-retry-period <time>', 'time between two renewals', '2s')
    .option('--bind-address <address>', 'address that health and metrics are served on', '127.0.0.1')
    .option('--health-port <port>', 'port for /livez and /readyz; 0 takes a free one', '8081')
    .option('--metrics-port <port>', 'port for /metrics, also that of --health-port; 0 takes a free one', '8080')
    .option(
      '--webhook-port <port>',
      'serve admission webhooks for KubernetesDaemonSets on this port; 0 takes a free one (default: none are served)',
    )
    .option('--webhook-bind-address <address>', 'address that webhooks are served on (default: as --bind-address)')
    .option(
      '--webhook-name <name>',
      'name of the Service, the Secret and the webhook configuration (default: everynode-webhook)',
    )
    .option(
      '--webhook-namespace <name>',
      "namespace of the Service and the Secret (default: the pod's own, outside of pods kube-system)",
    )
    .option(
      '--webhook-cert-dir <directory>',
      'directory with tls.crt and tls.key, read again whenever they change (default: the leader makes and rotates certificates, in the Secret)',
    )
    .option(
      '--webhook-cert-lifetime <time>',
      'lifetime of the certificates that the leader makes (default: 2160h); a certificate is renewed when a third is left',
    )
    .option('--kube-api-qps <number>', 'requests a second to the API server; 0 is no limit', '100')
    .option('--kube-api-burst <number>', 'requests to the API server at once', '200')
    .addOption(
      new Option('--initial-state <how>', 'read the cluster in pages, as a stream of events, or every kind whole')
        .choices(['pages', 'stream', 'whole'])
        .default('pages'),
    )
    .option(
      '--guardian-image <image>',
      'image of the guardian pods of Tickets, whose process must not end by itself (default: registry.k8s.io/pause:3.10)',
    )
    .option(
      '--instance <name>',
      'name of this process in events and in the Lease (default: $POD_NAME, else the host name)',
    )
    .addOption(
      new Option('--log-level <level>', 'least severe log line to print')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .addOption(new Option('--log-format <format>', 'form of log lines').choices(['json', 'text']).default('json'))
    .addHelpText('after', OPERATOR_CONTROLLERS_HELP)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: OperatorFlags) => (await import('./operator.ts')).operator(flags));
}

const EXAMPLES = `
Examples:
  everynode operator                                    in a pod: with the rights of its service account
  everynode operator --kubeconfig ~/.kube/config --leader-elect=false --log-format text
  everynode operator --controllers '*,daemonset,scheduler' --instead-of-upstream
  everynode operator --bind-address 0.0.0.0 --webhook-port 9443              with admission webhooks
  everynode operator --webhook-port 9443 --webhook-cert-dir /etc/webhook     with certificates of cert-manager

Exits with 0 after SIGTERM, with the lead handed over; with 1 when the lead was lost or a controller could not go on: start it again.`;
