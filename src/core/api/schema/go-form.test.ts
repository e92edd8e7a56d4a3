import { describe, expect, it } from 'vitest';
import { goForm } from './go-form.ts';

const written = (schema: string, value: object): object => goForm(schema)?.(value) ?? value;

describe('objects as Go writes them', () => {
  it('say null of times that nobody set', () => {
    const pod = {
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    };
    expect(written('core/v1.Pod', { ...pod, spec: { containers: [{ name: 'c' }] } })).toMatchObject({
      status: { conditions: [{ lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    });
    expect(written('core/v1.Event', {})).toEqual({ firstTimestamp: null, lastTimestamp: null, eventTime: null });
  });

  it('say null of empty lists that are always written', () => {
    expect(written('rbac/v1.Role', { rules: [] })).toEqual({ rules: null });
    expect(written('rbac/v1.Role', {})).toEqual({ rules: null });
    expect(written('discovery/v1.EndpointSlice', { endpoints: [], ports: [{ port: 1 }] })).toEqual({
      endpoints: null,
      ports: [{ port: 1 }],
    });
  });

  it('say null of pointers that are always written', () => {
    expect(written('authentication/v1.TokenRequest', { spec: { audiences: ['a'] } })).toMatchObject({
      spec: { boundObjectRef: null },
    });
  });

  it('leave out lists that are required and empty', () => {
    const binding = { spec: { policyName: 'p', validationActions: [] } };
    expect(written('admissionregistration/v1.ValidatingAdmissionPolicyBinding', binding)).toEqual({
      spec: { policyName: 'p' },
    });
  });

  it('are the very same where nothing differs, and never changed in place', () => {
    const whole = Object.freeze({ spec: Object.freeze({ containers: Object.freeze([{ name: 'c' }]) }), status: {} });
    expect(written('core/v1.Pod', whole)).toBe(whole);
    const role = Object.freeze({ rules: Object.freeze([]) });
    expect(written('rbac/v1.Role', role)).not.toBe(role);
    expect(goForm('core/v1.ConfigMap')).toBeUndefined();
    expect(goForm('nobody/v1.Thing')).toBeUndefined();
  });

  it('may hold a key of any name', () => {
    const value = JSON.parse('{"spec":{"containers":[{"name":"c"}]},"__proto__":{"a":1}}') as object;
    expect(written('core/v1.Pod', value)).toBe(value);
  });
});
