/** Objects that are questions: who am I, may I, may they. They are answered and never stored. */
import type { TokenReview, SelfSubjectReview } from '../../core/api/types/authentication-v1.ts';
import type {
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../core/api/types/authorization-v1.ts';
import { invalid } from '../../core/kube/field-errors.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { invalidObject } from '../../core/kube/status-error.ts';
import type { UserInfo } from '../../machinery/admission.ts';
import type { RequestTarget } from '../request.ts';
import type { Attributes, Authorizer } from './authorizer.ts';

export interface Question {
  readonly object: KubeObject;
  readonly target: RequestTarget;
  readonly user: UserInfo;
}

/** Who a bearer token belongs to; undefined when nobody knows it. */
export type TokenReader = (token: string) => UserInfo | undefined | Promise<UserInfo | undefined>;

type Answer = (question: Question) => KubeObject | Promise<KubeObject>;

export interface Reviews {
  /** The way to answer, where the resource is a question. */
  find(group: string, resource: string): Answer | undefined;
}

export function createReviews(authorizer: Authorizer, readToken: TokenReader): Reviews {
  const judge = (review: SubjectAccessReview, user: UserInfo, target: RequestTarget): SubjectAccessReview => {
    const attributes = attributesOf(review.spec, user, target);
    const verdict = authorizer.authorize(attributes);
    const reason = verdict.allowed || verdict.reason === '' ? {} : { reason: verdict.reason };
    return { ...review, status: { allowed: verdict.allowed, ...reason } };
  };
  const answers: ReadonlyMap<string, Answer> = new Map<string, Answer>([
    ['authentication.k8s.io/selfsubjectreviews', whoAmI],
    ['authentication.k8s.io/tokenreviews', ({ object }) => reviewToken(object as TokenReview, readToken)],
    [
      'authorization.k8s.io/selfsubjectaccessreviews',
      ({ object, target, user }) => judge(object as SubjectAccessReview, user, target),
    ],
    ['authorization.k8s.io/subjectaccessreviews', (question) => judgeOther(question, judge)],
    ['authorization.k8s.io/localsubjectaccessreviews', (question) => judgeOther(question, judge)],
    ['authorization.k8s.io/selfsubjectrulesreviews', (question) => rules(question, authorizer)],
  ]);
  return { find: (group, resource) => answers.get(`${group}/${resource}`) };
}

function whoAmI({ object, user }: Question): SelfSubjectReview {
  return { ...object, status: { userInfo: wireUser(user) } };
}

const wireUser = (user: UserInfo) => ({
  username: user.name,
  ...(user.uid === undefined ? {} : { uid: user.uid }),
  groups: user.groups,
  ...(user.extra === undefined ? {} : { extra: user.extra }),
});

async function reviewToken(review: TokenReview, readToken: TokenReader): Promise<TokenReview> {
  const user = await readToken(review.spec.token ?? '');
  const { token: _, ...spec } = review.spec;
  const status =
    user === undefined
      ? { authenticated: false, error: 'invalid token' }
      : { authenticated: true, user: wireUser(user) };
  return { ...review, spec: spec as TokenReview['spec'], status };
}

function judgeOther(
  { object, target }: Question,
  judge: (review: SubjectAccessReview, user: UserInfo, target: RequestTarget) => SubjectAccessReview,
): SubjectAccessReview {
  const review = object as SubjectAccessReview;
  const { extra, groups = [], uid, user = '' } = review.spec;
  if (user === '' && groups.length === 0) {
    const errors = [invalid('spec.user', '', 'at least one of user or group must be specified')];
    throw invalidObject({ group: target.group, kind: object.kind }, '', errors);
  }
  const subject: UserInfo = {
    name: user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
  return judge(review, subject, target);
}

function attributesOf(spec: SubjectAccessReviewSpec, user: UserInfo, target: RequestTarget): Attributes {
  const { nonResourceAttributes: path, resourceAttributes: resource } = spec;
  if (path !== undefined) return { user, verb: path.verb ?? '', path: path.path ?? '' };
  return {
    user,
    verb: resource?.verb ?? '',
    tenant: target.tenant,
    group: resource?.group ?? '',
    version: resource?.version ?? '',
    resource: resource?.resource ?? '',
    subresource: resource?.subresource ?? '',
    namespace: resource?.namespace ?? '',
    name: resource?.name ?? '',
  };
}

/** Without rules there is only all or nothing; the answer says that it may be incomplete otherwise. */
function rules({ object, target, user }: Question, authorizer: Authorizer): SelfSubjectRulesReview {
  const all = { ...target, group: '*', version: '*', resource: '*', subresource: '', name: '' };
  const everything = authorizer.authorize({ user, verb: '*', ...all }).allowed;
  return {
    ...(object as SelfSubjectRulesReview),
    status: {
      resourceRules: everything ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
      nonResourceRules: everything ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
      incomplete: !everything,
    },
  };
}
