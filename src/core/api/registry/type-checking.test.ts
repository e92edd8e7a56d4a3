import { describe, expect, it } from 'vitest';
import { customKinds } from '../custom/custom-kind.ts';
import { createRegistry } from './registry.ts';
import type { ValidatingAdmissionPolicySpec } from '../types/admissionregistration-v1.ts';
import type { CustomResourceDefinition } from '../types/apiextensions-v1.ts';
import { typeCheckingWarnings } from './type-checking.ts';

const CRONTABS: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.example.test' },
  spec: {
    group: 'example.test',
    scope: 'Namespaced',
    names: { plural: 'crontabs', kind: 'CronTab' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { replicas: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
  status: {
    acceptedNames: { plural: 'crontabs', kind: 'CronTab' },
    conditions: [{ type: 'Established', status: 'True' }],
    storedVersions: ['v1'],
  },
};

const registry = createRegistry();
registry.add(customKinds(CRONTABS));

const rule = (apiGroup: string, ...resources: readonly string[]) => ({
  apiGroups: [apiGroup],
  apiVersions: ['v1'],
  resources,
  operations: ['CREATE'],
});

function warningsOf(expression: string, spec: Partial<ValidatingAdmissionPolicySpec> = {}): readonly string[] {
  return typeCheckingWarnings(
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'policy' },
      spec: {
        matchConstraints: { resourceRules: [rule('apps', 'deployments')] },
        validations: [{ expression }],
        ...spec,
      },
    },
    registry,
  ).map(({ warning }) => warning);
}

describe('type checking of a policy', () => {
  it.each([
    'object.spec.replicas > 1',
    "object.spec.template.spec.containers.all(c, c.image.startsWith('a') && has(c.ports))",
    "object.metadata.labels['a'] == 'b' && object.metadata.namespace == 'c'",
    'object.metadata.creationTimestamp > timestamp("2020-01-01T00:00:00Z")',
    'oldObject == null || oldObject.spec.selector.matchLabels == object.spec.selector.matchLabels',
    "object.spec.strategy.rollingUpdate.maxSurge == '10%' || object.spec.strategy.rollingUpdate.maxSurge == 1",
    "authorizer.group('').resource('pods').check('get').allowed() && request.userInfo.username == 'a'",
  ])('finds nothing wrong with %s', (expression) => {
    expect(warningsOf(expression)).toEqual([]);
  });

  it.each([
    ["object.spec.replicas > '1'", "found no matching overload for '_>_' applied to '(int, string)'"],
    ['object.spec.replica > 1', "undefined field 'replica'"],
    ['object.spec.template.spec.containers[0].imag == "a"', "undefined field 'imag'"],
    ['object.spec.template.spec + 1', "applied to '(Deployment.spec.template.spec, int)'"],
  ])('finds the mistake in %s', (expression, text) => {
    expect(warningsOf(expression)).toEqual([expect.stringContaining(text)]);
  });

  it('tells of every kind the policy names, and of none it names by a wildcard', () => {
    const resourceRules = [rule('apps', 'statefulsets', 'deployments', 'deployments/scale', 'replicasets')];
    const found = warningsOf('object.spec.serviceName != ""', { matchConstraints: { resourceRules } });
    expect(found.join('').match(/Kind=\w+/g)).toEqual(['Kind=Deployment', 'Kind=ReplicaSet']);
    const wild = { resourceRules: [{ ...rule('apps', 'deployments'), apiVersions: ['*'] }, rule('nobody', 'things')] };
    expect(warningsOf('object.nothing', { matchConstraints: wild })).toEqual([]);
  });

  it('knows custom kinds by their schema', () => {
    const matchConstraints = { resourceRules: [rule('example.test', 'crontabs')] };
    expect(warningsOf('object.spec.replicas > 1 && has(object.metadata.labels)', { matchConstraints })).toEqual([]);
    const [found] = warningsOf('object.spec.maxRetries < 10', { matchConstraints });
    expect(found).toContain("example.test/v1, Kind=CronTab: ERROR: <input>:1:12: undefined field 'maxRetries'");
  });

  it('knows parameters by their kind, and variables by what they are made of', () => {
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const variables = [{ name: 'spec', expression: 'object.spec' }];
    expect(warningsOf("string(variables.spec.replicas) == params.data['max']", { paramKind, variables })).toEqual([]);
    expect(warningsOf('variables.spec.replicas == params.data.max', { paramKind, variables })).toEqual([
      expect.stringContaining("applied to '(int, string)'"),
    ]);
  });
});
