import { describe, expect, it } from 'vitest';
import { admissionEnvironment, lazyVariables, REQUEST_DECL } from './admission.ts';
import { celValueOf, compileCel, type CelBindings, type CelEnvironment } from './cel.ts';
import { DYN_DECL } from './decl-types.ts';
import { authorizerValue, requestResourceValue, type AuthorizationCheck } from './library/authorizer.ts';
import { INT } from './types.ts';

const evaluate = (expression: string, environment: CelEnvironment, bindings: CelBindings = {}): unknown => {
  const compiled = compileCel(expression, environment);
  if (!compiled.ok) return compiled.message;
  const result = compiled.program.evaluate(bindings);
  return result.ok ? result.value : result.error;
};

describe('variables of admission', () => {
  it('take objects as they are', () => {
    const object = celValueOf({ spec: { replicas: 3 } }, DYN_DECL);
    expect(evaluate('object.spec.replicas > 2', admissionEnvironment(), { object })).toBe(true);
    expect(evaluate('oldObject == null', admissionEnvironment(), { oldObject: null })).toBe(true);
  });

  it('know the fields of a request', () => {
    const request = celValueOf({ operation: 'CREATE', userInfo: { username: 'me', groups: ['g'] } }, REQUEST_DECL);
    expect(
      evaluate("request.operation == 'CREATE' && 'g' in request.userInfo.groups", admissionEnvironment(), { request }),
    ).toBe(true);
    expect(evaluate('request.nope', admissionEnvironment())).toContain("undefined field 'nope'");
    expect(evaluate('request.kind.group == 1', admissionEnvironment())).toContain('found no matching overload');
    expect(evaluate('namespaceObject.metadata.nope', admissionEnvironment())).toContain("undefined field 'nope'");
  });

  it('are there only when declared', () => {
    expect(evaluate('params.x', admissionEnvironment())).toContain("undeclared reference to 'params'");
    expect(evaluate('authorizer', admissionEnvironment())).toContain("undeclared reference to 'authorizer'");
    const params = celValueOf({ x: 1 }, DYN_DECL);
    expect(evaluate('params.x', admissionEnvironment({ params: true }), { params })).toBe(1n);
    expect(evaluate("jsonpatch.escapeKey('a/b')", admissionEnvironment())).toContain('undeclared reference');
    expect(evaluate("jsonpatch.escapeKey('a/b')", admissionEnvironment({ jsonPatch: true }))).toBe('a~1b');
  });

  it('are evaluated once, when asked for', () => {
    const environment = admissionEnvironment({
      variables: new Map([
        ['a', INT],
        ['b', INT],
      ]),
    });
    const asked: string[] = [];
    const variables = lazyVariables(['a', 'b'], (name) => {
      asked.push(name);
      return 2n;
    });
    expect(evaluate('variables.a + variables.a', environment, { variables })).toBe(4n);
    expect(evaluate('variables.a + 1', environment, { variables })).toBe(3n);
    expect(asked).toEqual(['a']);
    expect(evaluate('variables.c', environment, { variables })).toContain("undefined field 'c'");
  });

  it('ask whoever may decide', () => {
    const checks: AuthorizationCheck[] = [];
    const authorize = (check: AuthorizationCheck) => {
      checks.push(check);
      return { allowed: true };
    };
    const user = { name: 'jane' };
    const bindings = {
      authorizer: authorizerValue(user, authorize),
      'authorizer.requestResource': requestResourceValue(user, authorize, {
        group: 'apps',
        resource: 'deployments',
        subresource: '',
        namespace: 'ns',
        name: 'web',
      }),
    };
    const environment = admissionEnvironment({ authorizer: true });
    expect(evaluate("authorizer.requestResource.check('delete').allowed()", environment, bindings)).toBe(true);
    expect(
      evaluate("authorizer.group('').resource('pods').namespace('x').check('get').allowed()", environment, bindings),
    ).toBe(true);
    expect(checks).toMatchObject([
      { verb: 'delete', group: 'apps', resource: 'deployments', namespace: 'ns', name: 'web', user },
      { verb: 'get', group: '', resource: 'pods', namespace: 'x', version: '*' },
    ]);
  });
});
