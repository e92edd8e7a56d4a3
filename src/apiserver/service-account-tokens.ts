/**
 * Service account tokens, whole: given out at `serviceaccounts/token`, read off requests and by TokenReview, and
 * described to others by the documents of OpenID discovery so that they can check them on their own.
 */
import type { Clock } from '../machinery/time/clock.ts';
import type { Random } from '../machinery/random/random.ts';
import type { ApiHooks, SubresourceHandler } from './contract/hooks.ts';
import type { Store } from './store/store.ts';
import { createTokenKey } from './access/tokens/token-key.ts';
import { createTokenReader, type TokenReader } from './access/tokens/token-reader.ts';
import { createTokenRequests } from './handlers/subresources/token-request.ts';

/** The issuer of tokens: the name under which pods find the API server. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

export interface ServiceAccountTokensOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** PEM of the cluster's key for tokens. */
  readonly signingKey: string;
}

export interface ServiceAccountTokens extends TokenReader {
  readonly request: SubresourceHandler;
  /** `serverAddress` is host:port, as clients reach the server. */
  openIdConfiguration(serverAddress: string): object;
  keySet(): object;
}

export function createServiceAccountTokens(options: ServiceAccountTokensOptions): ServiceAccountTokens {
  const key = createTokenKey(options.signingKey);
  const parts = { ...options, key, issuer: ISSUER, audiences: [ISSUER] };
  return {
    ...createTokenReader(parts),
    request: createTokenRequests(parts),
    openIdConfiguration: (serverAddress) => ({
      issuer: ISSUER,
      jwks_uri: `https://${serverAddress}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }),
    keySet: () => ({ keys: [key.publicKey] }),
  };
}

/** The hooks through which the API server reads and issues tokens. */
export const tokenHooks = (tokens: ServiceAccountTokens): Pick<ApiHooks, 'readToken' | 'subresources'> => ({
  readToken: (token, audiences) => tokens.read(token, audiences),
  subresources: new Map([['serviceaccounts/token', tokens.request]]),
});
