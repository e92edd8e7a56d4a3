/** Validating admission policies on a running cluster. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  NAMESPACES,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../src/core/api/registry/resources.ts';
import type {
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../src/core/api/types/admissionregistration-v1.ts';
import type { ConfigMap } from '../../src/core/api/types/core-v1.ts';
import type { StatusError } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';

let cluster: TestCluster;
let client: Client;

beforeAll(async () => {
  // It writes config maps of its own, which webhooks would be asked about.
  cluster = await startTestCluster({ groups: [], controllers: ['*', '-root-ca-certificate-publisher-controller'] });
  ({ client } = cluster);
}, 60_000);
afterAll(() => cluster.stop());
afterEach(async () => {
  await client.deleteCollection(VALIDATING_ADMISSION_POLICY_BINDINGS);
  await client.deleteCollection(VALIDATING_ADMISSION_POLICIES);
});

const CONSTRAINTS = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] },
  ],
};

async function enforce(
  spec: Partial<ValidatingAdmissionPolicySpec>,
  binding: Partial<ValidatingAdmissionPolicyBindingSpec> = {},
): Promise<void> {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  await client.create(VALIDATING_ADMISSION_POLICIES, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'policy' },
    spec: { matchConstraints: CONSTRAINTS, ...spec },
  });
  await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'binding' },
    spec: { policyName: 'policy', validationActions: ['Deny'], ...binding },
  });
}

let count = 0;
const configMap = (data: { [key: string]: string } = {}, namespace = 'default'): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `map-${(count += 1)}`, namespace },
  data,
});

const create = (data?: { [key: string]: string }, namespace?: string): Promise<unknown> =>
  client.create(CONFIG_MAPS, configMap(data, namespace));

const refusal = (write: Promise<unknown>): Promise<StatusError['status']> =>
  write.then(
    () => Promise.reject(new Error('it was allowed')),
    (error: StatusError) => error.status,
  );

describe('a validating admission policy', () => {
  it('refuses in the words of its author', async () => {
    await enforce({ validations: [{ expression: "!('secret' in object.data)", message: 'no secrets here' }] });
    await create({ plain: '1' });
    const status = await refusal(create({ secret: '1' }));
    expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(status.message).toMatch(
      /^configmaps "map-\d+" is forbidden: ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request: no secrets here$/,
    );
  });

  it('may compute its message and choose its reason', async () => {
    await enforce({
      validations: [
        {
          expression: 'size(object.data) <= 1',
          messageExpression: "'has ' + string(size(object.data)) + ' entries'",
          reason: 'Forbidden',
        },
      ],
    });
    expect(await refusal(create({ a: '1', b: '2' }))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: expect.stringMatching(/denied request: has 2 entries$/),
    });
  });

  it('falls back to the expression when there is nothing else to say', async () => {
    await enforce({ validations: [{ expression: ' size(object.data) <= 1 ' }] });
    expect((await refusal(create({ a: '1', b: '2' }))).message).toMatch(
      /failed expression: size\(object\.data\) <= 1$/,
    );
  });

  it('builds on variables, each on those before it', async () => {
    await enforce({
      variables: [
        { name: 'keys', expression: 'object.data.map(k, k)' },
        { name: 'long', expression: 'variables.keys.filter(k, k.size() > 3)' },
      ],
      validations: [{ expression: 'variables.long.size() == 0', messageExpression: "variables.long.join(',')" }],
    });
    await create({ abc: '1' });
    expect((await refusal(create({ abcd: '1', abcde: '2' }))).message).toMatch(/denied request: abcd,abcde$/);
  });

  it('takes parameters from an object that the binding names', async () => {
    await client.create(CONFIG_MAPS, {
      ...configMap({ max: '1' }),
      metadata: { name: 'limits', namespace: 'default' },
    });
    await enforce(
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        validations: [{ expression: 'size(object.data) <= int(params.data.max)' }],
      },
      { paramRef: { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Deny' } },
    );
    await create({ a: '1' });
    expect(await refusal(create({ a: '1', b: '2' }))).toMatchObject({ code: 422 });
    await client.delete(CONFIG_MAPS, { namespace: 'default', name: 'limits' });
    expect((await refusal(create({ a: '1' }))).message).toContain('no params found for policy binding');
  });

  it('looks only at what conditions, namespaces and bindings let through', async () => {
    await client.create(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'strict', labels: { strict: 'yes' } },
      spec: {},
    });
    await enforce(
      {
        matchConditions: [{ name: 'not-exempt', expression: "!('exempt' in object.data)" }],
        validations: [{ expression: "namespaceObject.metadata.labels['strict'] != 'yes'", message: 'strict' }],
      },
      { matchResources: { namespaceSelector: { matchLabels: { strict: 'yes' } } } },
    );
    await create();
    await create({ exempt: 'yes' }, 'strict');
    expect((await refusal(create({ a: '1' }, 'strict'))).message).toMatch(/denied request: strict$/);
  });

  it('asks who is asking', async () => {
    await enforce({
      validations: [
        { expression: "authorizer.requestResource.check('custom-verb').allowed()", message: 'may not' },
        { expression: "'system:masters' in request.userInfo.groups", message: 'is nobody' },
      ],
    });
    await create();
  });

  it('closes the door when an expression fails, unless failures are to be ignored', async () => {
    const validations = [{ expression: "object.data['absent'] == 'x'" }];
    await enforce({ validations });
    expect((await refusal(create({ a: '1' }))).message).toContain('resulted in error: no such key: absent');
    await client.deleteCollection(VALIDATING_ADMISSION_POLICY_BINDINGS);
    await client.deleteCollection(VALIDATING_ADMISSION_POLICIES);
    await enforce({ validations, failurePolicy: 'Ignore' });
    await create({ a: '1' });
  });

  it('only warns where a binding says so', async () => {
    const warnings: string[] = [];
    await enforce(
      { validations: [{ expression: 'false', message: 'better not' }] },
      { validationActions: ['Warn', 'Audit'] },
    );
    await cluster.api.handle({
      verb: 'create',
      target: {
        tenant: 'system',
        group: '',
        version: 'v1',
        resource: 'configmaps',
        namespace: 'default',
        name: '',
        subresource: '',
      },
      user: { name: 'me', groups: ['system:masters'] },
      object: configMap(),
      options: {},
      warn: (text) => void warnings.push(text),
    });
    expect(warnings).toEqual([
      "Validation failed for ValidatingAdmissionPolicy 'policy' with binding 'binding': better not",
    ]);
  });
});

describe('the types of a policy', () => {
  const checked = async (): Promise<unknown> => {
    await expect
      .poll(
        async () => (await client.get(VALIDATING_ADMISSION_POLICIES, { name: 'policy' })).status?.observedGeneration,
      )
      .toBe(1);
    return (await client.get(VALIDATING_ADMISSION_POLICIES, { name: 'policy' })).status?.typeChecking;
  };

  it('are said to be right in its status', async () => {
    await enforce({ validations: [{ expression: "object.data['a'] != '' || object.metadata.namespace == 'x'" }] });
    expect(await checked()).toEqual({});
  });

  it('are said to be wrong where they are', async () => {
    await enforce({
      variables: [{ name: 'count', expression: 'object.metadata.generation' }],
      validations: [
        { expression: "variables.count > '1'", messageExpression: "'got ' + variables.count" },
        { expression: 'object.dataa.size() > 0' },
      ],
    });
    expect(await checked()).toEqual({
      expressionWarnings: [
        {
          fieldRef: 'spec.validations[0].expression',
          warning: expect.stringMatching(
            /^\/v1, Kind=ConfigMap: ERROR: <input>:1:17: found no matching overload for '_>_' applied to '\(int, string\)'\n/,
          ),
        },
        {
          fieldRef: 'spec.validations[0].messageExpression',
          warning: expect.stringContaining("found no matching overload for '_+_' applied to '(string, int)'"),
        },
        { fieldRef: 'spec.validations[1].expression', warning: expect.stringContaining("undefined field 'dataa'") },
      ],
    });
  });
});
