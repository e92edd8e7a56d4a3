/** The attributes of a request that authorization rules see. */
import { parseFieldSelector } from '../../core/kube/field-selector.ts';
import { pathSegmentNameProblems } from '../../core/kube/names.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import type { RequestTarget } from '../contract/request.ts';
import type { Attributes } from '../contract/authorization.ts';

/** `fieldSelector` counts for lists and watches alone: one that demands a name asks for no more than that object. */
export function requestAttributes(
  target: RequestTarget,
  user: UserInfo,
  verb: string,
  fieldSelector: string | undefined,
): Attributes {
  const { group, name, namespace, resource, subresource, tenant, version } = target;
  return {
    user,
    verb,
    tenant,
    group,
    version,
    resource,
    // `proxy` may go on with a path of its own, which is no resource.
    subresource: subresource.startsWith('proxy/') ? 'proxy' : subresource,
    // A Namespace lies within itself, so that a role within it can grant reading it.
    namespace: resource === 'namespaces' && name !== '' && group === '' ? name : namespace,
    name: name === '' && fieldSelector && isReadOfMany(verb) ? selectedName(fieldSelector) : name,
  };
}

const isReadOfMany = (verb: string): boolean => verb === 'list' || verb === 'watch';

function selectedName(fieldSelector: string): string {
  if (!fieldSelector.includes('metadata.name')) return '';
  try {
    const name = parseFieldSelector(fieldSelector).requiredValue('metadata.name') ?? '';
    return pathSegmentNameProblems(name).length === 0 ? name : '';
  } catch {
    // A field selector that cannot be parsed is refused by the handler; until then it narrows nothing.
    return '';
  }
}
