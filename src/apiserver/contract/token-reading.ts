/** What reading a bearer token comes to. */
import type { UserInfo } from '../../machinery/ports/admission.ts';

export type TokenReading =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  /** Not ours at all: without `problem`. Ours, but of no use: why. Never says anything of the token itself. */
  | { readonly user?: undefined; readonly problem?: string };

/** Who a bearer token belongs to, for those who stand for the audiences (none: the API server itself). */
export type ReadToken = (
  token: string,
  audiences: readonly string[] | undefined,
) => TokenReading | Promise<TokenReading>;
