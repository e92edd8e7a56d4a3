/** Kubernetes' own controllers and scheduler, on any API server: a real one, or ours. */
import { join } from 'node:path';
import { answersOk, freePorts, startProgram, type Program } from './programs.ts';

export interface UpstreamOptions {
  /** For certificates and the log. */
  readonly folder: string;
  readonly kubeconfig: string;
  readonly args?: readonly string[];
}

export interface ControllerManagerOptions extends UpstreamOptions {
  /** As the flag takes it: `*,-daemonset-controller`. */
  readonly controllers: string;
  /** The cluster's own authority, which signs certificates that are asked for. */
  readonly ca: { readonly certificate: string; readonly key: string };
  /** Signs the tokens of service accounts. */
  readonly signingKey: string;
}

/** What both understand. */
const common = ({ folder, kubeconfig, args = [] }: UpstreamOptions, name: string, port: number): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--authentication-kubeconfig=${kubeconfig}`,
  `--authorization-kubeconfig=${kubeconfig}`,
  '--bind-address=127.0.0.1',
  `--secure-port=${port}`,
  `--cert-dir=${join(folder, name)}`,
  '--leader-elect=false',
  // Says which caches are filled.
  '--v=2',
  ...args,
];

export async function startControllerManager(options: ControllerManagerOptions): Promise<Program> {
  const [port = 0] = await freePorts(1);
  return startProgram({
    name: 'kube-controller-manager',
    folder: options.folder,
    isReady: () => answersOk(port, '/healthz'),
    args: [
      ...common(options, 'controller-manager', port),
      `--controllers=${options.controllers}`,
      '--use-service-account-credentials=true',
      `--service-account-private-key-file=${options.signingKey}`,
      `--root-ca-file=${options.ca.certificate}`,
      `--cluster-signing-cert-file=${options.ca.certificate}`,
      `--cluster-signing-key-file=${options.ca.key}`,
    ],
  });
}

/** Ready once its caches are filled. */
export async function startKubeScheduler(options: UpstreamOptions): Promise<Program> {
  const [port = 0] = await freePorts(1);
  return startProgram({
    name: 'kube-scheduler',
    folder: options.folder,
    isReady: () => answersOk(port, '/readyz'),
    args: common(options, 'scheduler', port),
  });
}
