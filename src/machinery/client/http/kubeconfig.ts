/** From a kubeconfig's context to a `RestConfig`. */
import type { Clock } from '../../time/clock.ts';
import { authProviderCredentials } from './auth-provider.ts';
import { certificateFileCredentials } from './certificate-files.ts';
import { execCredentials } from './exec-credentials.ts';
import { checkAuthority, checkPair, readPem } from './kubeconfig-pem.ts';
import {
  EMPTY_KUBECONFIG,
  fromDirectory,
  invalid,
  kubeconfigPaths,
  readKubeconfigs,
  type Entry,
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigUser,
} from './kubeconfig-file.ts';
import {
  basicAuthorization,
  fixedCredentials,
  type CredentialSource,
  type Impersonation,
  type RestConfig,
  type TlsConfig,
} from './rest-config.ts';
import { tokenFileCredentials } from './token-file.ts';

export interface KubeconfigOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** `--kubeconfig`: this file alone, instead of KUBECONFIG and `~/.kube/config`. */
  readonly path?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export async function loadKubeconfig(options: KubeconfigOptions): Promise<RestConfig> {
  const env = options.env ?? process.env;
  const { paths, mustExist } = kubeconfigPaths(options.path, env);
  const config = await readKubeconfigs(paths, mustExist);
  if (config === EMPTY_KUBECONFIG) {
    throw invalid(
      `no cluster is configured: ${paths.join(' and ')} ${paths.length > 1 ? 'are' : 'is'} missing or empty`,
    );
  }
  return restConfigFrom(config, options);
}

async function restConfigFrom(config: Kubeconfig, options: KubeconfigOptions): Promise<RestConfig> {
  const contextName = options.context ?? config.currentContext;
  const context = config.contexts.get(contextName)?.value;
  if (context === undefined && contextName !== '') {
    const names = [...config.contexts.keys()].map((name) => JSON.stringify(name));
    throw invalid(
      `context "${contextName}" does not exist; ${names.length === 0 ? 'there is none' : `there is ${names.join(', ')}`}`,
    );
  }
  const clusterName = options.cluster ?? context?.cluster ?? '';
  const cluster = config.clusters.get(clusterName);
  if (cluster?.value.server === undefined || cluster.value.server === '') {
    throw invalid(
      clusterName === '' ? 'no cluster is configured' : `cluster "${clusterName}" does not exist or has no server`,
    );
  }
  const userName = options.user ?? context?.user ?? '';
  const user = config.users.get(userName);
  if (user === undefined && userName !== '') throw invalid(`user "${userName}" does not exist`);

  const tls = await tlsOf(cluster, user, `cluster "${clusterName}"`, `user "${userName}"`);
  const credentials = user === undefined ? undefined : await credentialsOf(user, cluster, tls, options);
  const impersonate = user === undefined ? undefined : impersonationOf(user.value);
  const { server, 'proxy-url': proxyUrl } = cluster.value;
  return {
    server,
    tls,
    ...(proxyUrl === undefined || proxyUrl === '' ? {} : { proxyUrl }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(impersonate === undefined ? {} : { impersonate }),
    ...(context?.namespace === undefined ? {} : { namespace: context.namespace }),
  };
}

const isTerminal = (stream: { readonly isTTY?: boolean }): boolean => stream.isTTY === true;

async function tlsOf(
  cluster: Entry<KubeconfigCluster>,
  user: Entry<KubeconfigUser> | undefined,
  clusterText: string,
  userText: string,
): Promise<TlsConfig> {
  const { value } = cluster;
  const insecure = value['insecure-skip-tls-verify'] === true;
  const ca = await readPem(cluster, clusterText, 'certificate-authority');
  if (insecure && ca !== undefined)
    throw invalid(
      `${cluster.file}: ${clusterText}: a certificate authority and insecure-skip-tls-verify exclude each other`,
    );
  if (ca !== undefined) checkAuthority(ca);
  const cert = user && (await readPem(user, userText, 'client-certificate'));
  const key = user && (await readPem(user, userText, 'client-key'));
  if (user !== undefined && (cert === undefined) !== (key === undefined))
    throw invalid(`${user.file}: ${userText}: a client certificate and its key must be given together`);
  if (cert !== undefined && key !== undefined) checkPair(cert, key);
  const serverName = value['tls-server-name'];
  return {
    ...(ca === undefined ? {} : { ca: ca.bytes }),
    ...(cert === undefined || key === undefined ? {} : { cert: cert.bytes, key: key.bytes }),
    ...(serverName === undefined || serverName === '' ? {} : { serverName }),
    ...(insecure ? { insecureSkipVerify: true } : {}),
  };
}

async function credentialsOf(
  user: Entry<KubeconfigUser>,
  cluster: Entry<KubeconfigCluster>,
  tls: TlsConfig,
  options: KubeconfigOptions,
): Promise<CredentialSource | undefined> {
  const { value } = user;
  // The file wins over the inline token, as in client-go: only the file is renewed.
  if (value.tokenFile) return tokenFileCredentials(options.clock, fromDirectory(user.directory, value.tokenFile));
  if (value.token) return fixedCredentials({ authorization: `Bearer ${value.token}` });
  if (value.username) {
    return fixedCredentials({ authorization: basicAuthorization(value.username, value.password ?? '') });
  }
  if (value.exec !== undefined && value.exec !== null) {
    const { server, ...rest } = cluster.value;
    const ca = tls.ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') };
    return execCredentials(value.exec, {
      clock: options.clock,
      env: options.env ?? process.env,
      directory: user.directory,
      interactive: isTerminal(process.stdin),
      cluster: {
        server: server ?? '',
        ...ca,
        ...(rest['tls-server-name'] === undefined ? {} : { 'tls-server-name': rest['tls-server-name'] }),
        ...(rest['insecure-skip-tls-verify'] === true ? { 'insecure-skip-tls-verify': true } : {}),
        ...(rest['proxy-url'] === undefined ? {} : { 'proxy-url': rest['proxy-url'] }),
      },
    });
  }
  const provider = value['auth-provider'];
  if (provider !== undefined && provider !== null) {
    const { clock, env = process.env } = options;
    return authProviderCredentials(provider, { clock, env, directory: user.directory });
  }
  const { 'client-certificate': cert = '', 'client-key': key = '' } = value;
  if (cert === '' || key === '' || value['client-certificate-data'] || value['client-key-data']) return undefined;
  const { directory } = user;
  return certificateFileCredentials(options.clock, {
    cert: fromDirectory(directory, cert),
    key: fromDirectory(directory, key),
  });
}

function impersonationOf(user: KubeconfigUser): Impersonation | undefined {
  const { as, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  if (as === undefined || as === '') {
    if (uid !== undefined || groups !== undefined || extra !== undefined)
      throw invalid('impersonating groups or extras needs a user to impersonate');
    return undefined;
  }
  return {
    user: as,
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}
