import { isInCluster, loadInClusterConfig } from './in-cluster.ts';
import { loadKubeconfig, type KubeconfigOptions } from './kubeconfig.ts';
import type { RestConfig } from './rest-config.ts';

/** The configuration that a user expects: a kubeconfig that was named, else the pod's own files, else `~/.kube/config`. */
export async function loadRestConfig(options: KubeconfigOptions): Promise<RestConfig> {
  const env = options.env ?? process.env;
  const named = options.path !== undefined || options.context !== undefined || Boolean(env['KUBECONFIG']);
  if (!named && isInCluster(env)) return loadInClusterConfig({ clock: options.clock, env });
  return loadKubeconfig(options);
}
