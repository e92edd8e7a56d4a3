/** Every field of every kind, with every wrong type. */
import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import { expectCase, expectFailure, post, put, useHouse, type Case } from './support/house.ts';

const house = useHouse();
const kinds = createRegistry()
  .all()
  .filter((kind) => kind.verbs.includes('create'));

const WRONG: readonly unknown[] = [17, 'text', true, [], [17], [[]], { a: 1 }, { a: { b: [] } }, null, 1e300, -1, ''];

const pathOf = ({ group, version, namespaced, resource }: (typeof kinds)[number]): string =>
  `${group === '' ? '/api' : `/apis/${group}`}/${version}${namespaced ? '/namespaces/default' : ''}/${resource}?dryRun=All`;

/** A kube-apiserver makes no proper answer of what it finds wrong with a binding. */
const OF_BINDING = /^\[?target\.(kind|name): /;
const isFine = ({ status, text }: { readonly status: number; readonly text: string }): boolean =>
  status < 500 || OF_BINDING.test((JSON.parse(text) as { readonly message: string }).message);

describe('wrong types', () => {
  it.each(kinds.map((kind) => ({ kind, name: `${kind.group}/${kind.version} ${kind.kind}` })))(
    'in the large parts of $name end in a Status',
    async ({ kind }) => {
      const type = { apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`, kind: kind.kind };
      await house.unharmed(async () => {
        const bodies = [
          'metadata',
          'spec',
          'status',
          'data',
          'rules',
          'subjects',
          'items',
          'webhooks',
          'type',
          'target',
        ].flatMap((field) => WRONG.map((value) => ({ ...type, metadata: { name: 'x' }, [field]: value })));
        const answers = await Promise.all(
          bodies.map((body) => house.ask(post(JSON.stringify(body), 'application/json', pathOf(kind)))),
        );
        for (const [i, answer] of answers.entries()) {
          if (answer.status < 300) continue;
          const status = expectFailure(answer);
          expect([JSON.stringify(bodies[i]), status.code, status.message]).toEqual([
            expect.any(String),
            expect.toSatisfy((code: number) => code < 500 || OF_BINDING.test(status.message ?? '')),
            expect.any(String),
          ]);
        }
      });
    },
  );

  const pod = (spec: object): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'new' }, spec });
  const PODS = '/api/v1/namespaces/default/pods';
  const c = { name: 'c', image: 'i' };
  const asPod = (name: string, spec: object, message: string): Case => ({
    name,
    ...post(pod(spec), 'application/json', PODS),
    code: 400,
    message,
  });
  const words = (type: string, field: string, go: string): string =>
    `Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal ${type} into Go struct field ${field} of type ${go}`;
  it.each([
    asPod('a list for a struct', [] as object, words('array', 'Pod.spec', 'v1.PodSpec')),
    asPod('text for a list', { containers: 'x' }, words('string', 'PodSpec.spec.containers', '[]v1.Container')),
    asPod(
      'a number for text',
      { containers: [{ name: 1 }] },
      words('number', 'Container.spec.containers.name', 'string'),
    ),
    asPod(
      'text for a boolean',
      { containers: [c], hostNetwork: 'yes' },
      words('string', 'PodSpec.spec.hostNetwork', 'bool'),
    ),
    asPod(
      'text for a number',
      { containers: [c], activeDeadlineSeconds: '5' },
      words('string', 'PodSpec.spec.activeDeadlineSeconds', 'int64'),
    ),
    asPod(
      'a list for a map',
      { containers: [c], nodeSelector: [] },
      words('array', 'PodSpec.spec.nodeSelector', 'map[string]string'),
    ),
    asPod(
      'a number in a map of text',
      { containers: [c], nodeSelector: { a: 1 } },
      words('number', 'PodSpec.spec.nodeSelector', 'string'),
    ),
    asPod(
      'a fraction for a number',
      { containers: [c], priority: 1.5 },
      words('number 1.5', 'PodSpec.spec.priority', 'int32'),
    ),
    asPod(
      'a number that does not fit',
      { containers: [c], priority: 2 ** 31 },
      words('number 2147483648', 'PodSpec.spec.priority', 'int32'),
    ),
    asPod(
      'an object for a quantity',
      { containers: [{ ...c, resources: { limits: { cpu: {} } } }] },
      'Pod in version "v1" cannot be handled as a Pod: ',
    ),
    asPod(
      'nonsense for a quantity',
      { containers: [{ ...c, resources: { limits: { cpu: 'much' } } }] },
      'quantities must match the regular expression',
    ),
  ])('are named as Kubernetes names them: $name', (each) => expectCase(house, each));

  it.each([
    {
      name: 'another kind',
      ...post('{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}}'),
      code: 400,
      message: 'Secret',
    },
    {
      name: 'another version',
      ...post('{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"x"}}'),
      code: 400,
      message: 'the API version in the data (v2) does not match the expected API version (v1)',
    },
    { name: 'a kind that is a number', ...post('{"apiVersion":"v1","kind":5}'), code: 400 },
    { name: 'a version that is an object', ...post('{"apiVersion":{},"kind":"ConfigMap"}'), code: 400 },
    {
      name: 'no name',
      ...post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}'),
      code: 422,
      message: 'name or generateName is required',
    },
    {
      name: 'no metadata',
      ...post('{"apiVersion":"v1","kind":"ConfigMap"}'),
      code: 422,
      message: 'name or generateName is required',
    },
    {
      name: 'another name than the path',
      ...put('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"}}'),
      code: 400,
      message: 'the name of the object (other) does not match the name on the URL (cm)',
    },
    {
      name: 'another namespace than the path',
      ...put('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm","namespace":"kube-system"}}'),
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    },
    {
      name: 'a namespace that does not exist',
      ...post(
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}',
        'application/json',
        '/api/v1/namespaces/nowhere/configmaps',
      ),
      code: 404,
      message: 'namespaces "nowhere" not found',
    },
  ] as Case[])('are refused about the object itself: $name', (each) => expectCase(house, each));
});

describe('whole numbers', () => {
  const body = (priority: string): string =>
    `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"a:1.0"}],"priority":${priority}}}`;
  it.each(['1.0', '1e2', '-0.0', '2E0'])('must be spelt as integers are: %s', (number) =>
    expectCase(house, {
      name: number,
      ...post(body(number), 'application/json', '/api/v1/namespaces/default/pods'),
      code: 400,
      message: `json: cannot unmarshal number ${number} into Go struct field PodSpec.spec.priority of type int32`,
    }),
  );
});

describe('subresources', () => {
  const SUBRESOURCES = [
    ['POST', '/api/v1/namespaces/default/pods/pod/binding'],
    ['POST', '/api/v1/namespaces/default/bindings'],
    ['POST', '/api/v1/namespaces/default/pods/pod/eviction'],
    ['PUT', '/api/v1/namespaces/default/finalize'],
    ['PUT', '/api/v1/namespaces/kube-public/finalize'],
    ['PUT', '/api/v1/namespaces/kube-public/status'],
    ['PUT', '/api/v1/namespaces/default/pods/pod/status'],
    ['PUT', '/api/v1/namespaces/default/pods/pod/resize'],
    ['PUT', '/api/v1/namespaces/default/pods/pod/ephemeralcontainers'],
    ['PUT', '/apis/apps/v1/namespaces/default/deployments/web/scale'],
    ['PATCH', '/apis/apps/v1/namespaces/default/deployments/web/scale'],
    ['PUT', '/apis/apps/v1/namespaces/default/deployments/web/status'],
    ['POST', '/api/v1/namespaces/default/serviceaccounts/default/token'],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'],
    ['POST', '/apis/authentication.k8s.io/v1/tokenreviews'],
    ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
  ] as const;
  const PARTS = ['metadata', 'spec', 'status', 'target', 'deleteOptions', 'data'];
  const KINDS = [
    {},
    { apiVersion: 'v1', kind: 'Binding' },
    { apiVersion: 'policy/v1', kind: 'Eviction' },
    { apiVersion: 'autoscaling/v1', kind: 'Scale' },
    { apiVersion: 'v1', kind: 'Namespace' },
  ];

  it.each(SUBRESOURCES.map(([method, path]) => ({ method, path })))(
    'refuse nonsense without falling: $method $path',
    async ({ method, path }) => {
      await house.unharmed(async () => {
        const bodies: unknown[] = KINDS.flatMap((kind) => [
          kind,
          ...PARTS.flatMap((part) => WRONG.map((value) => ({ ...kind, metadata: { name: 'pod' }, [part]: value }))),
          ...WRONG.map((value) => ({ ...kind, spec: { replicas: value, finalizers: value, audiences: value } })),
          ...WRONG.map((value) => ({ ...kind, target: { name: value, kind: value } })),
        ]);
        const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
        const headers = { 'content-type': contentType };
        for (const [i, answer] of (
          await Promise.all(
            bodies.map((body) =>
              house.ask({ method, path: `${path}?dryRun=All`, headers, body: JSON.stringify(body) }),
            ),
          )
        ).entries()) {
          expect([JSON.stringify(bodies[i]), isFine(answer) ? 'fine' : answer.text]).toEqual([
            expect.any(String),
            'fine',
          ]);
        }
      });
    },
  );
});
