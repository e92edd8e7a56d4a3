/** Objects that are questions: who am I, may I, may they. They are answered and never stored. */
import type { SelfSubjectReview, TokenReview } from '../../core/api/types/authentication-v1.ts';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../core/api/types/authorization-v1.ts';
import type { PolicyRule } from '../../core/api/types/rbac-v1.ts';
import type { KubeObject } from '../../core/kube/objects.ts';
import { badRequest, invalidObject } from '../../core/kube/status-error.ts';
import { formatTime } from '../../core/kube/time.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { RequestTarget } from '../contract/request.ts';
import { type Attributes, isMaster } from '../contract/authorization.ts';
import type { ReadToken } from '../contract/token-reading.ts';
import type { ClusterAuthorizer } from './rbac/rbac.ts';
import { localReviewErrors, reviewErrors, selfReviewErrors } from './review-errors.ts';
import { tenantOf } from '../contract/users.ts';

interface Question {
  readonly object: KubeObject;
  readonly target: RequestTarget;
  readonly user: UserInfo;
}

type Answer = (question: Question) => KubeObject | Promise<KubeObject>;

export interface Reviews {
  /** The way to answer, where the resource is a question. */
  find(group: string, resource: string): Answer | undefined;
}

export function createReviews(authorizer: ClusterAuthorizer, readToken: ReadToken, clock: Clock): Reviews {
  const judge = <T extends SubjectAccessReview>(review: T, user: UserInfo, target: RequestTarget): T => {
    const { allowed, reason = '' } = authorizer.authorize(attributesOf(review.spec, user, target));
    return { ...review, status: { allowed, ...(reason === '' ? {} : { reason }) } };
  };
  const answers: ReadonlyMap<string, Answer> = new Map<string, Answer>([
    ['authentication.k8s.io/selfsubjectreviews', (question) => whoAmI(question, clock)],
    ['authentication.k8s.io/tokenreviews', (question) => reviewToken(question, readToken)],
    [
      'authorization.k8s.io/selfsubjectaccessreviews',
      ({ object, target, user }) => {
        const review = object as SelfSubjectAccessReview;
        refuse(review, target, selfReviewErrors(review));
        return judge(review, user, target);
      },
    ],
    [
      'authorization.k8s.io/subjectaccessreviews',
      ({ object, target }) => {
        const review = object as SubjectAccessReview;
        refuse(review, target, reviewErrors(review));
        return judge(review, subjectOf(review.spec, target), target);
      },
    ],
    [
      'authorization.k8s.io/localsubjectaccessreviews',
      ({ object, target }) => {
        const review = inNamespace(object as LocalSubjectAccessReview, target.namespace);
        refuse(review, target, localReviewErrors(review));
        return judge(review, subjectOf(review.spec, target), target);
      },
    ],
    ['authorization.k8s.io/selfsubjectrulesreviews', (question) => listRules(question, authorizer)],
  ]);
  return { find: (group, resource) => answers.get(`${group}/${resource}`) };
}

function refuse({ kind }: KubeObject, { group }: RequestTarget, errors: ReturnType<typeof reviewErrors>): void {
  if (errors.length > 0) throw invalidObject({ group, kind }, '', errors);
}

function inNamespace(review: LocalSubjectAccessReview, namespace: string): LocalSubjectAccessReview {
  const own = review.metadata.namespace ?? '';
  if (own === namespace) return review;
  if (own === '') return { ...review, metadata: { ...review.metadata, namespace } };
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function whoAmI({ object, user }: Question, clock: Clock): SelfSubjectReview {
  const { apiVersion, kind } = object;
  const metadata = { creationTimestamp: formatTime(clock.now()) } as SelfSubjectReview['metadata'];
  return { apiVersion, kind, metadata, status: { userInfo: wireUser(user) } };
}

const wireUser = (user: UserInfo) => ({
  username: user.name,
  ...(user.uid === undefined || user.uid === '' ? {} : { uid: user.uid }),
  groups: user.groups,
  ...(user.extra === undefined ? {} : { extra: user.extra }),
});

async function reviewToken({ object, target }: Question, readToken: ReadToken): Promise<TokenReview> {
  const review = object as TokenReview;
  const { audiences, token } = review.spec;
  if (!token) throw badRequest('token is required for TokenReview in authentication');
  const reading = await readToken(token, audiences?.length ? audiences : undefined);
  // The client knows the token; a recorded answer must not reveal it.
  const answered = { ...review, spec: { ...(audiences === undefined ? {} : { audiences }) } as TokenReview['spec'] };
  // A token of another tenant is not valid here.
  if (reading.user === undefined || tenantOf(reading.user) !== target.tenant) {
    const problem = reading.user === undefined ? reading.problem : undefined;
    const error = problem === undefined ? 'invalid bearer token' : `[invalid bearer token, ${problem}]`;
    return { ...answered, status: { user: {}, error } };
  }
  return { ...answered, status: { authenticated: true, user: wireUser(reading.user), audiences: reading.audiences } };
}

const subjectOf = (
  { extra, groups = [], uid, user = '' }: SubjectAccessReviewSpec,
  { tenant }: RequestTarget,
): UserInfo => ({
  name: user,
  groups,
  tenant,
  ...(uid === undefined ? {} : { uid }),
  ...(extra === undefined ? {} : { extra }),
});

function attributesOf(
  { nonResourceAttributes: path, resourceAttributes: resource }: SubjectAccessReviewSpec,
  user: UserInfo,
  { tenant }: RequestTarget,
): Attributes {
  if (path !== undefined) return { user, verb: path.verb ?? '', path: path.path ?? '' };
  return {
    user,
    verb: resource?.verb ?? '',
    tenant,
    group: resource?.group ?? '',
    version: resource?.version ?? '',
    resource: resource?.resource ?? '',
    subresource: resource?.subresource ?? '',
    namespace: resource?.namespace ?? '',
    name: resource?.name ?? '',
  };
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

function listRules({ object, target, user }: Question, authorizer: ClusterAuthorizer): SelfSubjectRulesReview {
  const { spec } = object as SelfSubjectRulesReview;
  const namespace = spec.namespace ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const found = authorizer.rbac.rulesOf(user, target.tenant, namespace);
  const isListed = found.rules.some(({ resources = [], verbs }) => resources.includes('*') && verbs.includes('*'));
  const rules = isMaster(user, target.tenant) && !isListed ? [...EVERYTHING, ...found.rules] : found.rules;
  const resourceRules = rules
    .filter(({ resources = [] }) => resources.length > 0)
    .map(({ apiGroups = [], resourceNames = [], resources = [], verbs }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames.length === 0 ? {} : { resourceNames }),
    }));
  const nonResourceRules = rules.flatMap(({ nonResourceURLs = [], verbs }) =>
    nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
  );
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {} as SelfSubjectRulesReview['metadata'],
    spec: {},
    status: {
      resourceRules,
      nonResourceRules,
      incomplete: false,
      ...(found.problem === undefined ? {} : { evaluationError: found.problem }),
    },
  };
}
