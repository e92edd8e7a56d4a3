/**
 * The built-in auth providers of old kubeconfigs: `oidc`, and `gcp` and `azure`, which newer kubectl has replaced by
 * credential plugins. Ours rather than the official library's: that is 83 MB with its dependencies, takes a second to
 * load, leaves the client secret out of an OIDC renewal, and having renewed a token once does so for every request.
 */
import { MachineryError } from '../../errors.ts';
import { createCommandProvider } from './command-provider.ts';
import { createOidcProvider } from './oidc-provider.ts';
import type { CredentialSource } from './rest-config.ts';
import type { AuthProviderConfig, AuthProviderOptions, ProvidedToken, TokenProvider } from './token-provider.ts';

export interface AuthProvider {
  readonly name: string;
  readonly config?: AuthProviderConfig | null;
}

const PROVIDERS: {
  readonly [name: string]: (config: AuthProviderConfig, options: AuthProviderOptions) => TokenProvider;
} = { oidc: createOidcProvider, gcp: createCommandProvider, azure: createCommandProvider };

export function authProviderCredentials(provider: AuthProvider, options: AuthProviderOptions): CredentialSource {
  const { name } = provider;
  let tokens: TokenProvider | undefined;
  let held: ProvidedToken | undefined;
  /** Many requests at once share one renewal: a refresh token may be good for one use only. */
  let renewing: Promise<ProvidedToken> | undefined;

  const renew = (from: TokenProvider): Promise<ProvidedToken> => {
    renewing ??= from.renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  async function current(): Promise<ProvidedToken> {
    if (tokens === undefined) {
      const create = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
      if (create === undefined) throw new Error(`only ${Object.keys(PROVIDERS).join(', ')} are known`);
      tokens = create(provider.config ?? {}, options);
      held = tokens.first;
    }
    if (held === undefined || options.clock.now() >= held.expires) held = await renew(tokens);
    return held;
  }

  return {
    async get() {
      try {
        return { authorization: `Bearer ${(await current()).token}` };
      } catch (cause) {
        const message = `the auth provider ${name} failed: ${(cause as Error).message}`;
        throw new MachineryError('EN_MACHINERY_CREDENTIALS', message, { cause });
      }
    },
    refresh: () => Promise.resolve(false),
  };
}
