/** Mutating admission policies on a running cluster. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  MUTATING_ADMISSION_POLICIES,
  MUTATING_ADMISSION_POLICY_BINDINGS,
} from '../../src/core/api/registry/resources.ts';
import type {
  MutatingAdmissionPolicyBindingSpec,
  MutatingAdmissionPolicySpec,
} from '../../src/core/api/types/admissionregistration-v1.ts';
import type { Deployment } from '../../src/core/api/types/apps-v1.ts';
import type { ConfigMap } from '../../src/core/api/types/core-v1.ts';
import type { Resource, Stored } from '../../src/core/kube/objects.ts';
import type { StatusError } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';

let cluster: TestCluster;
let client: Client;

beforeAll(async () => {
  cluster = await startTestCluster({ groups: [], controllers: ['*', '-root-ca-certificate-publisher-controller'] });
  ({ client } = cluster);
}, 60_000);
afterAll(() => cluster.stop());
afterEach(async () => {
  await client.deleteCollection(MUTATING_ADMISSION_POLICY_BINDINGS);
  await client.deleteCollection(MUTATING_ADMISSION_POLICIES);
});

const rule = (apiGroup: string, resource: string) => ({
  resourceRules: [
    { apiGroups: [apiGroup], apiVersions: ['v1'], resources: [resource], operations: ['CREATE', 'UPDATE'] },
  ],
});
const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

async function enforce(
  spec: Partial<MutatingAdmissionPolicySpec>,
  binding: Partial<MutatingAdmissionPolicyBindingSpec> = {},
  name = 'policy',
): Promise<void> {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  await client.create(MUTATING_ADMISSION_POLICIES, {
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: rule('', 'configmaps'), reinvocationPolicy: 'Never', ...spec },
  });
  await client.create(MUTATING_ADMISSION_POLICY_BINDINGS, {
    apiVersion,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: `${name}-binding` },
    spec: { policyName: name, ...binding },
  });
}

let count = 0;
const create = (data: { [key: string]: string } = {}): Promise<Stored<ConfigMap>> =>
  client.create(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `map-${(count += 1)}`, namespace: 'default' },
    data,
  });

const refusal = (write: Promise<unknown>): Promise<StatusError['status']> =>
  write.then(
    () => Promise.reject(new Error('it was allowed')),
    (error: StatusError) => error.status,
  );

const deployment = (): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: `web-${(count += 1)}`, namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { name: '', labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'example.test/web:1', args: ['a'] }] },
    },
  },
});

describe('a mutating admission policy', () => {
  it('lays an apply configuration over the object: fields, maps and items of lists are merged', async () => {
    const container = 'Object.spec.template.spec.containers';
    await enforce({
      matchConstraints: rule('apps', 'deployments'),
      mutations: [
        apply('Object{spec: Object.spec{replicas: 1337}}'),
        apply(
          'Object{metadata: Object.metadata{annotations: {"mutated-by": "policy", "now": string(object.spec.replicas)}}}',
        ),
        apply(`Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
          containers: [${container}{name: "main", imagePullPolicy: "Always"}, ${container}{name: "side", image: "example.test/side:1"}]
        }}}}`),
      ],
    });
    const made = await client.create(DEPLOYMENTS, deployment());
    expect(made.spec?.replicas).toBe(1337);
    expect(made.metadata.annotations).toEqual({ 'mutated-by': 'policy', now: '1337' });
    const { containers } = made.spec?.template.spec ?? { containers: [] };
    expect(containers).toMatchObject([
      { name: 'main', image: 'example.test/web:1', args: ['a'], imagePullPolicy: 'Always' },
      // Defaults are filled in again.
      { name: 'side', image: 'example.test/side:1', imagePullPolicy: 'IfNotPresent' },
    ]);
  });

  it('may patch with JSON, with escaped keys, objects as values and tests that end it quietly', async () => {
    await enforce({
      mutations: [
        patch(`[
          JSONPatch{op: "test", path: "/data/kind", value: "plain"},
          JSONPatch{op: "add", path: "/metadata/labels", value: Object.metadata.labels{}},
          JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.test/tier"), value: "low"},
          JSONPatch{op: "copy", from: "/data/kind", path: "/data/copy"},
        ]`),
      ],
    });
    const made = await create({ kind: 'plain' });
    expect(made.metadata.labels).toEqual({ 'example.test/tier': 'low' });
    expect(made.data).toEqual({ kind: 'plain', copy: 'plain' });
    expect((await create({ kind: 'other' })).data).toEqual({ kind: 'other' });
  });

  it('builds on conditions, variables and parameters', async () => {
    await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'default' },
      data: { team: 'a' },
    });
    await enforce(
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConditions: [{ name: 'wanted', expression: "'wanted' in object.data" }],
        variables: [{ name: 'team', expression: 'params.data.team' }],
        mutations: [apply('Object{data: Object.data{team: variables.team, ?more: object.?data.extra}}')],
      },
      { paramRef: { name: 'settings', parameterNotFoundAction: 'Deny' } },
    );
    expect((await create({ wanted: '1' })).data).toEqual({ wanted: '1', team: 'a' });
    expect((await create({ wanted: '1', extra: 'x' })).data).toMatchObject({ more: 'x' });
    expect((await create({ other: '1' })).data).toEqual({ other: '1' });
    await client.delete(CONFIG_MAPS, { namespace: 'default', name: 'settings' });
    const status = await refusal(create({ wanted: '1' }));
    expect(status).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(status.message).toBe(
      "policy 'policy' with binding 'policy-binding' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    );
  });

  it('runs again after others have changed the object, if it asked to', async () => {
    const mutations = [apply('Object{data: Object.data{seen: "later" in object.data ? "yes" : "no"}}')];
    await enforce({ mutations, reinvocationPolicy: 'IfNeeded' }, {}, 'a-first');
    await enforce({ mutations: [apply('Object{data: Object.data{later: "1"}}')] }, {}, 'b-second');
    expect((await create({ a: '1' })).data).toEqual({ a: '1', seen: 'yes', later: '1' });
    await client.patch(
      MUTATING_ADMISSION_POLICIES,
      { name: 'a-first' },
      {
        type: 'merge',
        body: { spec: { reinvocationPolicy: 'Never' } },
      },
    );
    expect((await create({ a: '1' })).data).toEqual({ a: '1', seen: 'no', later: '1' });
  });

  it('closes the door when it fails, unless it shall be ignored', async () => {
    await enforce({ mutations: [apply('Object{data: Object.data{x: object.data.missing}}')] });
    const status = await refusal(create({ a: '1' }));
    expect(status).toMatchObject({ code: 403, reason: 'Invalid' });
    expect(status.message).toMatch(
      /^policy 'policy' with binding 'policy-binding' denied request: expression '.*' resulted in error: no such key: missing$/,
    );
    await client.patch(
      MUTATING_ADMISSION_POLICIES,
      { name: 'policy' },
      {
        type: 'merge',
        body: { spec: { failurePolicy: 'Ignore' } },
      },
    );
    expect((await create({ a: '1' })).data).toEqual({ a: '1' });
  });

  it('may not set what is one value, nor name a type otherwise than its place', async () => {
    const container = 'Object.spec.template.spec.containers';
    const within = (fields: string): string =>
      `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [${fields}]}}}}`;
    await enforce({
      matchConstraints: rule('apps', 'deployments'),
      mutations: [apply(within(`${container}{name: "main", args: ["b"]}`))],
    });
    expect((await refusal(client.create(DEPLOYMENTS, deployment()))).message).toContain(
      'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args',
    );
    await client.patch(
      MUTATING_ADMISSION_POLICIES,
      { name: 'policy' },
      {
        type: 'merge',
        body: { spec: { mutations: [apply('Object{spec: Object.wrong{replicas: 2}}')] } },
      },
    );
    expect((await refusal(client.create(DEPLOYMENTS, deployment()))).message).toContain(
      'type mismatch: unexpected type name "Object.wrong", expected "Object.spec"',
    );
  });

  it('is refused when its expressions do not yield what they should', async () => {
    const wrong = await refusal(enforce({ mutations: [apply('object')] }));
    expect(wrong.message).toContain('must evaluate to Object but got dyn');
    const text = await refusal(enforce({ mutations: [patch('[JSONPatch{op: 1}]')] }));
    expect(text.message).toContain("expected type of field 'op' is 'string' but provided type is 'int'");
  });

  it('changes custom resources by their schema', async () => {
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, tier: { type: 'string' } } } },
    };
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boxes.example.test' },
      spec: {
        group: 'example.test',
        scope: 'Namespaced',
        names: { plural: 'boxes', kind: 'Box' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    const boxes: Resource = {
      group: 'example.test',
      version: 'v1',
      resource: 'boxes',
      kind: 'Box',
      namespaced: true,
    };
    await expect
      .poll(() =>
        client.list(boxes, { namespace: 'default' }).then(
          ({ items }) => items.length,
          () => -1,
        ),
      )
      .toBe(0);
    await enforce({
      matchConstraints: rule('example.test', 'boxes'),
      mutations: [apply('Object{spec: Object.spec{tier: "t" + string(object.spec.size)}}')],
    });
    const box = {
      apiVersion: 'example.test/v1',
      kind: 'Box',
      metadata: { name: 'a', namespace: 'default' },
      spec: { size: 3 },
    };
    expect(await client.create(boxes, box)).toMatchObject({ spec: { size: 3, tier: 't3' } });
  });
});
