/** Protobuf that is cut off, mislabelled, or lies about its lengths. */
import { describe, expect, it } from 'vitest';
import { encodeEnvelope, encodeProtobufObject } from '../../src/core/api/schema/protobuf/envelope.ts';
import { expectCase, expectFailure, post, put, useHouse, type Case } from './support/house.ts';

const house = useHouse();

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'new', namespace: 'default', labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'E', value: 'v' }] }] },
};
const CRD_VERSION = 'apiextensions.k8s.io/v1';
const PODS = '/api/v1/namespaces/default/pods';
const good = encodeProtobufObject(pod);
const configMap = encodeProtobufObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } } as never);

const enveloped = (raw: Buffer, kind = 'Pod', apiVersion = 'v1'): Buffer => encodeEnvelope(apiVersion, kind, raw);
/** Of all messages only schemas contain themselves; this one does so as deep as asked. */
function deep(levels: number): Buffer {
  let schema: object = { type: 'object' };
  for (let i = 0; i < levels; i += 1) schema = { not: schema };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const spec = { group: 'a.b', names: { plural: 'x', kind: 'X' }, scope: 'Cluster', versions: [version] };
  const metadata = { name: 'x.a.b' };
  return encodeProtobufObject({ apiVersion: CRD_VERSION, kind: 'CustomResourceDefinition', metadata, spec } as never);
}
const tag = (field: number, wire: number): Buffer => varint(field * 8 + wire);
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const BROKEN: readonly (readonly [name: string, body: Buffer, message?: RegExp])[] = [
  ['nothing', Buffer.alloc(0)],
  ['JSON under the wrong type', Buffer.from(JSON.stringify(pod)), /does not appear to be a protobuf message/],
  ['the wrong magic', Buffer.concat([Buffer.from('k8t\0'), good.subarray(4)]), /does not appear to be a protobuf/],
  ['only the magic', good.subarray(0, 4)],
  ['a length beyond the end', Buffer.concat([good.subarray(0, 4), tag(2, 2), varint(1e9)]), /unexpected EOF/],
  ['a length of 2^63', Buffer.concat([good.subarray(0, 4), tag(2, 2), Buffer.alloc(9, 0xff), Buffer.from([0x7f])])],
  ['a varint without end', Buffer.concat([good.subarray(0, 4), Buffer.alloc(100, 0xff)]), /overflow/],
  ['field number zero', enveloped(Buffer.from([0x02, 0x00])), /illegal tag 0/],
  ['a group', enveloped(Buffer.concat([tag(1, 3), tag(1, 4)])), /wireType|wire type/],
  ['wire type seven', enveloped(tag(1, 7)), /wireType|wire type/],
  ['a number where a message is expected', enveloped(Buffer.concat([tag(1, 0), varint(5)])), /wrong wireType = 0/],
  ['a message where a number is expected', enveloped(Buffer.concat([tag(2, 2), varint(2), tag(4, 2), varint(0)]))],
  [
    'a nested length beyond its parent',
    enveloped(Buffer.concat([tag(1, 2), varint(4), tag(1, 2), varint(50), Buffer.alloc(60)])),
  ],
  ['an unknown kind', enveloped(Buffer.alloc(0), 'Nothing'), /no kind "Nothing" is registered/],
  ['an unknown version', enveloped(Buffer.alloc(0), 'Pod', 'v9'), /no kind "Pod" is registered/],
  ['a prototype key as kind', enveloped(Buffer.alloc(0), '__proto__', 'constructor'), /no kind/],
  ['another kind than the path is of', configMap, /ConfigMap/],
  ['an empty envelope in an envelope', enveloped(good)],
];

describe('broken protobuf', () => {
  it.each(
    BROKEN.map(([name, body, message]): Case => ({
      name,
      ...post(body, PROTOBUF, PODS),
      code: 400,
      message: message ?? /./,
    })),
  )('is refused when creating: $name', (each) => expectCase(house, each));
  it.each(
    BROKEN.map(([name, body, message]): Case => ({
      name,
      ...put(body, PROTOBUF, `${PODS}/pod`),
      code: 400,
      message: message ?? /./,
    })),
  )('is refused when replacing: $name', (each) => expectCase(house, each));

  it('is refused when it nests absurdly', () =>
    expectCase(house, {
      name: '',
      ...post(deep(400), PROTOBUF, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'),
      code: 400,
      message: 'messages nest too deep',
    }));

  it('is refused wherever it is cut, or is a smaller object, but never harms', async () => {
    await house.unharmed(async () => {
      for (let length = 0; length < good.length; length += 1) {
        const answer = await house.ask({ ...post(good.subarray(0, length), PROTOBUF, `${PODS}?dryRun=All`) });
        expect([length, answer.status < 500]).toEqual([length, true]);
        if (answer.status >= 400) expectFailure(answer);
      }
    });
  });

  it('survives every byte flipped', async () => {
    await house.unharmed(async () => {
      for (let at = 0; at < good.length; at += 1) {
        const flipped = Buffer.from(good);
        flipped[at] = (flipped[at] ?? 0) ^ 0xff;
        const answer = await house.ask({ ...post(flipped, PROTOBUF, `${PODS}?dryRun=All`) });
        expect([at, answer.status < 500]).toEqual([at, true]);
      }
    });
  });

  it('ignores fields it does not know, as protobuf demands', async () => {
    const unknown = Buffer.concat([
      tag(1000, 2),
      varint(3),
      Buffer.from('abc'),
      tag(1001, 0),
      varint(7),
      tag(1002, 5),
      Buffer.alloc(4),
    ]);
    const raw = Buffer.concat([tag(1, 2), varint(5), tag(1, 2), varint(3), Buffer.from('new'), unknown]);
    const answer = await house.ask(
      post(enveloped(raw, 'ConfigMap'), PROTOBUF, '/api/v1/namespaces/default/configmaps?dryRun=All'),
    );
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([201, { metadata: { name: 'new' } }]);
  });

  it('keeps hostile map keys as data', async () => {
    const object = JSON.parse(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p"},"data":{"__proto__":"a","constructor":"b"}}',
    ) as never;
    const answer = await house.unharmed(() =>
      house.ask(post(encodeProtobufObject(object), PROTOBUF, '/api/v1/namespaces/default/configmaps?dryRun=All')),
    );
    const { data } = JSON.parse(answer.text) as { data: object };
    expect(Object.entries(data)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });
});
