/** Authorization of a request before it is carried out: the port between the carriers, the handlers and `access/`. */
import { SYSTEM_TENANT } from '../../core/kube/objects.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';

export type Attributes =
  | {
      readonly user: UserInfo;
      readonly verb: string;
      readonly tenant: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly user: UserInfo; readonly verb: string; readonly path: string };

/** The reason of a grant names the binding it came from; a refusal's says what could not be looked up. */
export type Verdict =
  | { readonly allowed: true; readonly reason?: string }
  | { readonly allowed: false; readonly reason: string };

export interface Authorizer {
  authorize(attributes: Attributes): Verdict;
}

export const MASTERS = 'system:masters';
/** Masters of the system tenant may do everything everywhere, those of another everything within it. */
export const isMaster = (user: UserInfo, tenant: string): boolean =>
  user.groups.includes(MASTERS) && (user.tenant === undefined || [SYSTEM_TENANT, tenant].includes(user.tenant));
