/** Inputs of an auth provider, and the tokens it gives. */
import type { Clock } from '../../time/clock.ts';

export type AuthProviderConfig = { readonly [key: string]: string };

export interface AuthProviderOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly env: NodeJS.ProcessEnv;
  /** Relative paths are meant from the kubeconfig's folder. */
  readonly directory: string;
}

/** A token and the moment it expires, in milliseconds since 1970. */
export interface ProvidedToken {
  readonly token: string;
  readonly expires: number;
}

export interface TokenProvider {
  /** The token of the kubeconfig; undefined where there is none. */
  readonly first: ProvidedToken | undefined;
  renew(): Promise<ProvidedToken>;
}
