/**
 * Who may do what. A port: today members of `system:masters` may do everything and nobody else anything, apart from
 * reading health and version; role-based rules will stand behind the same interface.
 */
import { type GroupResource, StatusError } from '../../core/kube/status-error.ts';
import type { UserInfo } from '../../machinery/admission.ts';
import { AUTHENTICATED } from './users.ts';

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

export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export interface Authorizer {
  authorize(attributes: Attributes): Verdict;
}

export const MASTERS = 'system:masters';
/** Questions about oneself that everyone with a name may ask. */
const ABOUT_ONESELF: ReadonlySet<string> = new Set([
  'selfsubjectreviews',
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
]);
const ALLOWED: Verdict = { allowed: true };
const NO_OPINION: Verdict = { allowed: false, reason: '' };

/** Paths anyone may read, credentials or not. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

export const isPublicPath = (path: string): boolean => PUBLIC_PATHS.has(path);

export function createMastersAuthorizer(): Authorizer {
  return {
    authorize(attributes) {
      if (attributes.user.groups.includes(MASTERS)) return ALLOWED;
      if ('path' in attributes) {
        return attributes.verb === 'get' && isPublicPath(attributes.path) ? ALLOWED : NO_OPINION;
      }
      const asks = attributes.verb === 'create' && ABOUT_ONESELF.has(attributes.resource);
      return asks && attributes.user.groups.includes(AUTHENTICATED) ? ALLOWED : NO_OPINION;
    },
  };
}

/** Asks several in turn; the first that allows decides. */
export function firstThatAllows(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize(attributes) {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const verdict = authorizer.authorize(attributes);
        if (verdict.allowed) return verdict;
        if (verdict.reason !== '') reasons.push(verdict.reason);
      }
      return { allowed: false, reason: reasons.join('; ') };
    },
  };
}

/** 403 in Kubernetes' words, from which kubectl makes its own. */
export function accessDenied(attributes: Attributes, reason: string): StatusError {
  const user = `User ${JSON.stringify(attributes.user.name)}`;
  const because = reason === '' ? '' : `: ${reason}`;
  if ('path' in attributes) {
    const path = JSON.stringify(attributes.path);
    return new StatusError(403, 'Forbidden', `forbidden: ${user} cannot ${attributes.verb} path ${path}${because}`, {});
  }
  const { group, name, namespace, resource, subresource, verb } = attributes;
  const what = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const text = `${user} cannot ${verb} resource ${what} in API group ${JSON.stringify(group)} ${where}${because}`;
  return forbidden({ group, resource }, name, text);
}

function forbidden(what: GroupResource, name: string, text: string): StatusError {
  const qualified = what.group === '' ? what.resource : `${what.resource}.${what.group}`;
  const subject = name === '' ? qualified : `${qualified} ${JSON.stringify(name)}`;
  return new StatusError(403, 'Forbidden', `${subject} is forbidden: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...(what.group === '' ? {} : { group: what.group }),
    kind: what.resource,
  });
}
