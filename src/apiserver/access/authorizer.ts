/**
 * access/ — who is asking, what they may do, and what is answered to those who ask about it. `authorizer` decides, with
 * `rbac/` behind it; `reviews` answers questions; `tokens/` gives out and reads service account tokens; `certificates/`
 * guards signing requests; `default-roles/` holds what every cluster begins with; `users` are the identities.
 */
import { goQuote } from '../../core/kube/go-text.ts';
import { SYSTEM_TENANT } from '../../core/kube/objects.ts';
import { forbiddenRequest, type StatusError } from '../../core/kube/status-error.ts';
import { type Attributes, isMaster, type Verdict } from '../contract/authorization.ts';
import type { Store } from '../store/store.ts';
import { type ClusterAuthorizer, createRbac } from './rbac/rbac.ts';
import { tenantOf } from '../contract/users.ts';

const ALLOWED: Verdict = { allowed: true };

/** Probes must work before there are roles, and with any roles. */
const ALWAYS_ALLOWED: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);

/** Masters first: components inside the process must not pay for rules. */
export function createAuthorizer(store: Store): ClusterAuthorizer {
  const rbac = createRbac(store);
  return {
    rbac,
    authorize(attributes) {
      if ('path' in attributes) {
        const { path, user, verb } = attributes;
        if (isMaster(user, SYSTEM_TENANT) || (verb === 'get' && ALWAYS_ALLOWED.has(path))) return ALLOWED;
      } else if (isMaster(attributes.user, attributes.tenant)) return ALLOWED;
      return rbac.authorize(attributes);
    },
  };
}

/** 403 in Kubernetes' words, from which kubectl makes its own. */
export function accessDenied(attributes: Attributes, reason: string): StatusError {
  const because = reason === '' ? '' : `: ${reason}`;
  const user = `User ${goQuote(attributes.user.name)}`;
  if ('path' in attributes) {
    const text = plain(`${user} cannot ${attributes.verb} path ${goQuote(attributes.path)}`);
    return forbiddenRequest({ group: '', resource: '' }, '', text + because);
  }
  const { group, name, namespace, resource, subresource, tenant, verb } = attributes;
  const what = goQuote(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  const beyond = tenant === tenantOf(attributes.user) ? '' : ` of the tenant ${goQuote(tenant)}`;
  const text = plain(`${user} cannot ${verb} resource ${what} in API group ${goQuote(group)} ${where}${beyond}`);
  return forbiddenRequest({ group, resource }, name, text + because);
}

/** The message with HTML characters escaped: no part of it may pass for HTML. */
const plain = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
