/** `authorizer.group('apps').resource('deployments').check('create').allowed()`. The caller provides the decisions. */
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../../kube/names.ts';
import type { Fn, FunctionTable } from '../values/function-table.ts';
import {
  AUTHORIZER_TYPE,
  DECISION_TYPE,
  GROUP_CHECK_TYPE,
  PATH_CHECK_TYPE,
  RESOURCE_CHECK_TYPE,
} from '../values/opaque.ts';
import { CelError, CelOpaque, type CelValue, type Val } from '../values/values.ts';

export interface AuthorizerUser {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: { readonly [key: string]: readonly string[] };
}

export type AuthorizationCheck =
  | { readonly path: string; readonly verb: string; readonly user: AuthorizerUser }
  | {
      readonly verb: string;
      readonly user: AuthorizerUser;
      readonly group: string;
      /** Always `*`: checks are not about versions. */
      readonly version: '*';
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      readonly fieldSelector: string;
      readonly labelSelector: string;
    };

interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason?: string;
  /** Set when the authorizer failed. */
  readonly error?: string;
}

export type Authorize = (check: AuthorizationCheck) => AuthorizationAnswer;

interface Authorizer {
  readonly user: AuthorizerUser;
  readonly authorize: Authorize;
}

interface PathCheck extends Authorizer {
  readonly path: string;
}

interface GroupCheck extends Authorizer {
  readonly group: string;
}

interface ResourceCheck extends GroupCheck {
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** The value of the variable `authorizer`. */
export const authorizerValue = (user: AuthorizerUser, authorize: Authorize): CelValue =>
  new CelOpaque(AUTHORIZER_TYPE, { user, authorize } satisfies Authorizer);

export interface RequestedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The value of `authorizer.requestResource`: a check of the request's own resource. */
export const requestResourceValue = (
  user: AuthorizerUser,
  authorize: Authorize,
  requested: RequestedResource,
): CelValue =>
  new CelOpaque(RESOURCE_CHECK_TYPE, {
    user,
    authorize,
    ...requested,
    fieldSelector: '',
    labelSelector: '',
  } satisfies ResourceCheck);

const payload = <T>(value: CelValue): T => (value as CelOpaque).payload as T;

const isBlank = (text: string): boolean => text.trim() === '';

function serviceAccount(authorizer: Authorizer, namespace: string, name: string): Val {
  if (nameIsDnsSubdomain(name, false).length > 0) return new CelError('Invalid service account name');
  if (nameIsDnsLabel(namespace, false).length > 0) return new CelError('Invalid service account namespace');
  const user: AuthorizerUser = {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
  return authorizerValue(user, authorizer.authorize);
}

const narrowed =
  (field: 'subresource' | 'namespace' | 'name' | 'fieldSelector' | 'labelSelector'): Fn =>
  (check, value) =>
    new CelOpaque(RESOURCE_CHECK_TYPE, { ...payload<ResourceCheck>(check), [field]: value as string });

const decision = (answer: AuthorizationAnswer): CelOpaque => new CelOpaque(DECISION_TYPE, answer);

function checkResource({ authorize, user, ...check }: ResourceCheck, verb: string): Val {
  return decision(authorize({ ...check, version: '*', verb, user }));
}

export const AUTHORIZER_FUNCTIONS: FunctionTable = [
  [
    'authorizer_path',
    (authorizer, path) =>
      isBlank(path as string)
        ? new CelError('path must not be empty')
        : new CelOpaque(PATH_CHECK_TYPE, { ...payload<Authorizer>(authorizer), path }),
  ],
  [
    'authorizer_group',
    (authorizer, group) => new CelOpaque(GROUP_CHECK_TYPE, { ...payload<Authorizer>(authorizer), group }),
  ],
  [
    'authorizer_serviceaccount',
    (authorizer, namespace, name) =>
      serviceAccount(payload<Authorizer>(authorizer), namespace as string, name as string),
  ],
  [
    'groupcheck_resource',
    (group, resource) =>
      isBlank(resource as string)
        ? new CelError('resource must not be empty')
        : new CelOpaque(RESOURCE_CHECK_TYPE, {
            ...payload<GroupCheck>(group),
            resource: resource as string,
            subresource: '',
            namespace: '',
            name: '',
            fieldSelector: '',
            labelSelector: '',
          } satisfies ResourceCheck),
  ],
  ['resourcecheck_subresource', narrowed('subresource')],
  ['resourcecheck_namespace', narrowed('namespace')],
  ['resourcecheck_name', narrowed('name')],
  ['authorizer_fieldselector', narrowed('fieldSelector')],
  ['authorizer_labelselector', narrowed('labelSelector')],
  [
    'pathcheck_check',
    (check, verb) => {
      const { authorize, path, user } = payload<PathCheck>(check);
      return decision(authorize({ path, user, verb: verb as string }));
    },
  ],
  ['resourcecheck_check', (check, verb) => checkResource(payload<ResourceCheck>(check), verb as string)],
  ['decision_allowed', (answer) => payload<AuthorizationAnswer>(answer).allowed],
  ['decision_reason', (answer) => payload<AuthorizationAnswer>(answer).reason ?? ''],
  ['decision_errored', (answer) => payload<AuthorizationAnswer>(answer).error !== undefined],
  ['decision_error', (answer) => payload<AuthorizationAnswer>(answer).error ?? ''],
];
