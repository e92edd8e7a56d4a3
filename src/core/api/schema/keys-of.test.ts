import { describe, expect, it } from 'vitest';
import { findDuplicateFields } from '../../kube/json-scan.ts';
import { keysOf } from './keys-of.ts';

const repeated = (schema: string, text: string): readonly string[] => findDuplicateFields(text, keysOf(schema));
const SCHEMA = 'apiextensions/v1.CustomResourceDefinition';
const inSchema = (schema: string): string => `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${schema}}}]}}`;

describe('repeated keys, as the type of a body reads it', () => {
  it('are found in structs, in lists of them and in maps', () => {
    const pod =
      '{"metadata":{"labels":{"a":"1","a":"2"}},"spec":{"spec":1,"containers":[{},{"name":"x","name":"y","env":[{"name":"v","name":"w"}]}]},"spec":{}}';
    expect(repeated('core/v1.Pod', pod)).toEqual([
      'metadata.labels.a',
      'spec.containers[1].name',
      'spec.containers[1].env[0].name',
      'spec',
    ]);
  });

  it.each([
    ['raw data', 'apps/v1.ControllerRevision', '{"data":{"spec":null,"spec":[{"a":1,"a":2}]}}'],
    ['owners of fields', 'core/v1.Pod', '{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{},"f:a":{}}}]}}'],
    ['a field that the type does not have', 'core/v1.Pod', '{"spec":{"bogus":{"a":1,"a":2}}}'],
    ['any value of a schema', SCHEMA, inSchema('{"default":{"a":1,"a":2},"enum":[{"a":1,"a":2}]}')],
    ['an alternative of a schema', SCHEMA, inSchema('{"items":{"type":"a","type":"b"}}')],
    ['what is wrong altogether', 'core/v1.Pod', '{"metadata":[{"a":1,"a":2}],"spec":{"nodeName":{"a":1,"a":2}}}'],
  ])('are overlooked in %s, which nobody reads key by key', (_, schema, text) => {
    expect(repeated(schema, text)).toEqual([]);
    expect(findDuplicateFields(text)).not.toEqual([]);
  });

  it('are found around a value that is not looked into', () => {
    const text = '{"data":{"a":1,"a":2},"data":{"a":1,"a":2},"revision":1,"revision":2}';
    expect(repeated('apps/v1.ControllerRevision', text)).toEqual(['data', 'revision']);
  });

  it('are found in a schema as far as it is read as a struct', () => {
    const text = inSchema('{"properties":{"a":{"type":"a","type":"b"}},"allOf":[{"type":"a","type":"b"}]}');
    const at = 'spec.versions[0].schema.openAPIV3Schema';
    expect(repeated(SCHEMA, text)).toEqual([`${at}.properties.a.type`, `${at}.allOf[0].type`]);
  });
});
