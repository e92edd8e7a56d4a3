import { MachineryError } from '../../errors.ts';
import type { Credentials, CredentialSource } from './rest-config.ts';

interface AuthProvider {
  readonly name: string;
  readonly config?: { readonly [key: string]: string };
}

/**
 * The old built-in providers (oidc, gcp, azure), through the official library. The library takes a second to load, so that
 * happens only for a kubeconfig that needs it, at the first request.
 */
export function authProviderCredentials(provider: AuthProvider): CredentialSource {
  let loading: Promise<() => Promise<Credentials>> | undefined;

  const load = async (): Promise<() => Promise<Credentials>> => {
    const { KubeConfig } = await import('@kubernetes/client-node');
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [{ name: 'cluster', server: 'https://unused.invalid' }],
      users: [{ name: 'user', authProvider: { name: provider.name, config: { ...provider.config } } }],
      contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
      currentContext: 'context',
    });
    return async () => {
      const options: { headers?: { Authorization?: string } } = {};
      await config.applyToHTTPSOptions(options as Parameters<typeof config.applyToHTTPSOptions>[0]);
      const authorization = options.headers?.Authorization;
      if (authorization === undefined) throw new Error('it gave no token');
      return { authorization };
    };
  };

  return {
    async get() {
      try {
        loading ??= load();
        return await (
          await loading
        )();
      } catch (cause) {
        loading = undefined;
        throw new MachineryError(
          'EN_MACHINERY_CREDENTIALS',
          `the auth provider ${provider.name} failed: ${(cause as Error).message}`,
          { cause },
        );
      }
    },
    refresh: () => Promise.resolve(false),
  };
}
