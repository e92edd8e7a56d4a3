import { describe, expect, it } from 'vitest';
import { decide, readAuditPolicy, type Audited } from './policy.ts';

const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    users: ["system:kube-proxy"]
    verbs: [watch]
    resources: [{ group: "", resources: [endpoints, services] }]
  - level: None
    nonResourceURLs: ["/healthz*", "/version"]
  - level: Metadata
    resources: [{ group: "", resources: [secrets, "pods/*"] }, { group: "", resources: ["*/token"] }]
  - level: RequestResponse
    userGroups: [auditors]
    namespaces: [prod]
    omitStages: [ResponseStarted]
  - level: Request
    resources: [{ group: apps }]
    namespaces: [""]
`;

const { policy, problems } = readAuditPolicy(POLICY);

const asked = (more: Partial<Audited>, target: object = {}): Audited => ({
  user: { name: 'eve', groups: ['people'] },
  verb: 'get',
  path: '/api/v1/x',
  target: {
    tenant: 'system',
    group: '',
    version: 'v1',
    resource: 'x',
    namespace: '',
    name: '',
    subresource: '',
    ...target,
  },
  ...more,
});

describe('an audit policy', () => {
  it('is read without complaint', () => expect(problems).toEqual([]));

  it.each([
    [
      'a watch of somebody exempt',
      asked({ user: { name: 'system:kube-proxy', groups: [] }, verb: 'watch' }, { resource: 'services' }),
      'None',
    ],
    ['the same by somebody else', asked({ verb: 'watch' }, { resource: 'services' }), 'None'],
    ['a probe', { ...asked({}), path: '/healthz/ping', target: undefined }, 'None'],
    ['a secret', asked({}, { resource: 'secrets', namespace: 'prod' }), 'Metadata'],
    ['a log', asked({}, { resource: 'pods', subresource: 'log' }), 'Metadata'],
    ['a token of anything', asked({}, { resource: 'serviceaccounts', subresource: 'token' }), 'Metadata'],
    [
      'anything by a group in a namespace',
      asked({ user: { name: 'a', groups: ['auditors'] } }, { namespace: 'prod' }),
      'RequestResponse',
    ],
    ['what is in no namespace', asked({}, { group: 'apps', resource: 'x' }), 'Request'],
    ['what no rule fits', asked({}, { group: 'apps', resource: 'x', namespace: 'dev' }), 'None'],
  ])('decides about %s', (_, audited, level) => expect(decide(policy, audited).level).toBe(level));

  it('leaves out stages, of all and of one rule', () => {
    const { omits } = decide(policy, asked({ user: { name: 'a', groups: ['auditors'] } }, { namespace: 'prod' }));
    expect([omits('RequestReceived'), omits('ResponseStarted'), omits('ResponseComplete')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('is refused with every problem and its line', () => {
    const { problems: found } = readAuditPolicy(
      'kind: Policy\nrules:\n  - level: Everything\n    user: [a]\n  - 7\nomitStages: [Later]\n',
    );
    expect(found.map(({ line, path }) => `${line} ${path}`)).toEqual([
      '3 rules[0].level',
      '4 rules[0].user',
      '5 rules[1]',
      '6 omitStages',
    ]);
    expect(readAuditPolicy('a: [').problems).toHaveLength(1);
    expect(readAuditPolicy('').problems.map(({ path }) => path)).toEqual(['kind', 'rules']);
  });
});
