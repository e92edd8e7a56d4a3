import { describe, expect, it } from 'vitest';
import type { APIService } from '../types/apiregistration-v1.ts';
import { apiServiceStrategy as strategy } from './api-service.ts';

const service = (spec: object, name = 'v1.example.test'): APIService => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '1' },
  spec: { group: 'example.test', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100, ...spec },
});
const problems = (object: APIService): readonly string[] =>
  strategy.validate(object).map(({ field, message }) => `${field}: ${message}`);

describe('an APIService', () => {
  it('is available from the start where this server answers, and not known to be where another does', () => {
    expect(strategy.prepareForCreate(service({})).status).toEqual({
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'Local',
          message: 'Local APIServices are always available',
        },
      ],
    });
    expect(strategy.prepareForCreate(service({ service: { namespace: 'a', name: 'b' } })).status).toEqual({});
  });

  it('finds another server at the usual port', () => {
    const { spec } = strategy.defaults(service({ service: { namespace: 'a', name: 'b' } }));
    expect(spec.service).toEqual({ namespace: 'a', name: 'b', port: 443 });
    const local = service({});
    expect(strategy.defaults(local)).toBe(local);
  });

  it('is called after its version and group', () => {
    expect(problems(service({}))).toEqual([]);
    expect(problems(service({ group: '' }, 'v1.'))).toEqual([]);
    expect(problems(service({}, 'other'))).toEqual([
      'metadata.name: Invalid value: "other": must be `spec.version+"."+spec.group`: "v1.example.test"',
    ]);
    expect(problems(service({ group: '', version: 'v2' }, 'v2.'))).toEqual([
      'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
    ]);
  });

  it('has priorities within bounds, and trusts what it can be trusted with', () => {
    expect(problems(service({ groupPriorityMinimum: 0, versionPriority: 1001 }))).toEqual([
      'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
    ]);
    expect(problems(service({ caBundle: 'eA==', insecureSkipTLSVerify: true }))).toEqual([
      'spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ]);
    const remote = { service: { port: 0 }, caBundle: 'eA==', insecureSkipTLSVerify: true };
    expect(problems(service(remote))).toEqual([
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ]);
  });

  it('takes nothing but status through its status', () => {
    const old = service({});
    const sent = { ...service({ versionPriority: 5 }), metadata: { ...old.metadata, labels: { a: 'b' } } };
    const status = { conditions: [{ type: 'Available', status: 'Maybe' }] };
    const next = strategy.prepareForUpdate({ ...sent, status }, old, 'status');
    expect(next).toEqual({ ...old, status });
    expect(strategy.validateUpdate(next, old, 'status').map(({ field }) => field)).toEqual([
      'status.conditions[0].status',
    ]);
  });
});
