/** The result of reading a bearer token. */
import type { UserInfo } from '../../machinery/ports/admission.ts';

export type TokenReading =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  /** Not ours at all: without `problem`. Ours, but of no use: why. Never says anything of the token itself. */
  | { readonly user?: undefined; readonly problem?: string };

/**
 * The user a bearer token belongs to, if it is valid for one of the audiences (none: those of the API server itself).
 */
export type ReadToken = (
  token: string,
  audiences: readonly string[] | undefined,
) => TokenReading | Promise<TokenReading>;
