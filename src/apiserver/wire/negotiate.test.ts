import { describe, expect, it } from 'vitest';
import { bodyFormat, DISCOVERY, negotiate, patchFormat, TRANSFORMS } from './negotiate.ts';

describe('Accept', () => {
  it('takes the first transformation offered, as kubectl asks for tables', () => {
    const accept =
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
    expect(negotiate(accept, TRANSFORMS)).toEqual({ format: 'json', as: 'Table', version: 'v1' });
    expect(negotiate(accept, [])).toMatchObject({ format: 'json', as: '' });
  });

  it('passes over versions it does not have', () => {
    const accept =
      'application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    expect(negotiate(accept, DISCOVERY)).toMatchObject({ as: 'APIGroupDiscoveryList' });
  });

  it('prefers JSON where protobuf and JSON are both welcome, and speaks protobuf where it alone is', () => {
    expect(negotiate('application/vnd.kubernetes.protobuf,application/json', TRANSFORMS).format).toBe('json');
    expect(negotiate('application/vnd.kubernetes.protobuf', TRANSFORMS).format).toBe('protobuf');
  });

  it('honours quality, wildcards and absence', () => {
    expect(negotiate('application/json;q=0.1, application/yaml;q=0.9', []).format).toBe('yaml');
    expect(negotiate('*/*', []).format).toBe('json');
    expect(negotiate(undefined, []).format).toBe('json');
  });

  it('offers no protobuf for kinds that have none', () => {
    const protobuf = 'application/vnd.kubernetes.protobuf';
    const none = { object: false, metadata: false };
    expect(negotiate(`${protobuf},application/json`, [], none).format).toBe('json');
    expect(() => negotiate(protobuf, [], none)).toThrow('only the following media types are accepted');
  });

  it('gives metadata alone as protobuf to whoever names that first, where it is written', () => {
    const as = 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const accept = `application/vnd.kubernetes.protobuf;${as},application/json;${as},application/json`;
    const metadata = { object: false, metadata: true };
    expect(negotiate(accept, TRANSFORMS, metadata)).toMatchObject({
      format: 'protobuf',
      as: 'PartialObjectMetadataList',
    });
    expect(negotiate(accept, TRANSFORMS)).toMatchObject({ format: 'json', as: 'PartialObjectMetadataList' });
    expect(negotiate(accept.replaceAll('PartialObjectMetadataList', 'Table'), TRANSFORMS, metadata).format).toBe(
      'json',
    );
  });

  it('refuses what nobody here can write', () => {
    expect(() => negotiate('text/html', [])).toThrow('406: Not Acceptable');
    expect(() => negotiate('application/json;q=0', [])).toThrow('406: Not Acceptable');
  });
});

describe('Content-Type', () => {
  it('reads bodies and patches by type', () => {
    expect(bodyFormat(undefined)).toBe('json');
    expect(bodyFormat('application/json; charset=utf-8')).toBe('json');
    expect(bodyFormat('application/vnd.kubernetes.protobuf')).toBe('protobuf');
    expect(patchFormat('application/merge-patch+json')).toBe('merge');
    expect(() => bodyFormat('text/plain')).toThrow('unknown format');
    expect(() => bodyFormat('*/*')).toThrow('unknown format');
    expect(() => bodyFormat('application/*')).toThrow('unknown format');
    expect(() => patchFormat('application/json')).toThrow('415: Unsupported Media Type');
    expect(() => patchFormat(undefined)).toThrow('415: Unsupported Media Type');
    expect(() => patchFormat('application/strategic-merge-patch+json', true)).toThrow('unknown format');
    expect(() => patchFormat('application/json', true)).toThrow(
      'application/merge-patch+json, application/apply-patch+yaml',
    );
  });
});
