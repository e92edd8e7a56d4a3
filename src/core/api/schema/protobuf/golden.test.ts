import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../kube/json.ts';
import { checkObject } from '../check.ts';
import { schemaOfKubernetesKind } from '../schema-of.ts';
import { decodeProtobufObject, encodeProtobufObject } from './envelope.ts';

/** An object as Kubernetes' own packages write it, in both forms. */
interface Expected {
  readonly output: { readonly apiVersion: string; readonly kind: string };
  readonly proto: string;
}

const read = (name: string): readonly Expected[] =>
  readFileSync(new URL(`../testdata/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"proto"'))
    .map((line) => parseJson(line) as unknown as Expected);

const cases = [...read('protobuf.jsonl'), ...read('decoding.jsonl')].map(({ output, proto }) => {
  const schema = schemaOfKubernetesKind(output.apiVersion, output.kind) ?? '';
  const object = checkObject(schema, output).object as Expected['output'];
  return [`${output.apiVersion} ${output.kind}`, object, Buffer.from(proto, 'hex')] as const;
});

describe('protobuf of Kubernetes', () => {
  it.each(cases)('%s is read as its JSON would be', (_name, object, bytes) => {
    expect(decodeProtobufObject(bytes)).toEqual(object);
  });

  it.each(cases)('%s is written byte for byte', (_name, object, bytes) => {
    expect(encodeProtobufObject(object).toString('hex')).toBe(bytes.toString('hex'));
  });

  it.each(cases)('%s needs no further change once it is read', (_name, object, bytes) => {
    const decoded = decodeProtobufObject(bytes);
    const checked = checkObject(schemaOfKubernetesKind(object.apiVersion, object.kind) ?? '', decoded);
    expect(checked.error).toBeUndefined();
    expect(checked.object).toBe(decoded);
  });
});
