import { describe, expect, it } from 'vitest';
import { internalJson, prettyInternalJson } from './internal-form.ts';

describe('the form in which messages quote structures', () => {
  it('prints every field, set or not, in order', () => {
    expect(internalJson('core.Toleration', { key: 'a', operator: 'Exists' })).toBe(
      '{"Key":"a","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}',
    );
  });

  it('prints shared types with their own names and leaves out what is empty', () => {
    expect(internalJson('*v1.LabelSelector', { matchExpressions: [], matchLabels: { b: '2', a: '1' } })).toBe(
      '{"matchLabels":{"a":"1","b":"2"}}',
    );
    expect(internalJson('*v1.LabelSelector', undefined)).toBe('null');
  });

  it('puts the namespaces of the host into the security context', () => {
    const text = internalJson('core.PodSpec', { containers: [], hostNetwork: true, hostUsers: false });
    expect(text).toContain('"SecurityContext":{"HostNetwork":true,"HostPID":false,"HostIPC":false');
    expect(text).toContain('"HostUsers":false');
    expect(text).not.toContain('"hostNetwork"');
  });

  it('lays metadata of a template in line', () => {
    expect(internalJson('core.PodTemplateSpec', { metadata: { labels: { a: 'b' } } })).toMatch(
      /^\{"labels":\{"a":"b"\},"Spec":\{"Volumes":null,/,
    );
  });

  it('keeps markup out of its strings', () => {
    expect(internalJson('core.Toleration', { key: '<a&b>' })).toContain('"Key":"\\u003ca\\u0026b\\u003e"');
  });

  it('indents by one blank where it is compared line by line', () => {
    expect(prettyInternalJson('core.PodIP', { ip: '1.2.3.4' })).toBe('{\n "IP": "1.2.3.4"\n}');
  });

  it('treats hostile keys as data', () => {
    const map: unknown = JSON.parse('{"__proto__":"x","constructor":"y"}');
    expect(internalJson('{s', map)).toBe('{"__proto__":"x","constructor":"y"}');
  });
});
