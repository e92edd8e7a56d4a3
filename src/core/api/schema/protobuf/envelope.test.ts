import { describe, expect, it } from 'vitest';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import {
  decodeProtobufObject,
  encodeEnvelope,
  encodeProtobufObject,
  protobufListFrame,
  encodeWatchEvent,
  hasProtobuf,
  readEnvelope,
} from './envelope.ts';

const bytes = (...values: number[]): Buffer => Buffer.from(values);
const magic = bytes(0x6b, 0x38, 0x73, 0);
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1' } };

describe('the envelope', () => {
  it('tells type and content', () => {
    const raw = bytes(1, 2, 3);
    expect(readEnvelope(encodeEnvelope('apps/v1', 'DaemonSet', raw))).toEqual({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      raw: Buffer.from(raw),
      contentEncoding: '',
      contentType: '',
    });
  });

  it('takes a list from items that were written before, byte for byte as the whole would be', () => {
    const items = Array.from({ length: 300 }, (_, at) => ({
      metadata: { name: `a${at}`, labels: { a: 'b'.repeat(at) } },
    }));
    for (const count of [0, 1, 300]) {
      const head = {
        apiVersion: 'meta.k8s.io/v1',
        kind: 'PartialObjectMetadataList',
        metadata: { resourceVersion: '7' },
      };
      const some = items.slice(0, count);
      const written = some.map((item) => encodeMessage('meta/v1.PartialObjectMetadata', item));
      const frame = protobufListFrame(
        head,
        written.map(({ length }) => length),
      );
      const parts = written.flatMap((message) => [frame.item(message.length), message]);
      const whole = Buffer.concat([frame.before, ...parts, frame.after]);
      expect(whole.equals(encodeProtobufObject({ ...head, items: some } as never))).toBe(true);
    }
  });

  it.each<[string, Buffer, string]>([
    ['no magic', Buffer.from('{"kind":"Pod"}'), 'expected prefix [107 56 115 0]'],
    ['nothing', Buffer.alloc(0), 'expected prefix [107 56 115 0]'],
    ['magic alone', magic, 'no kind "" is registered for version ""'],
    ['a cut length', Buffer.concat([magic, bytes(0x0a, 0x7f)]), 'unexpected EOF'],
    ['a varint without end', Buffer.concat([magic, Buffer.alloc(20, 0xff)]), 'proto: integer overflow'],
    ['a huge length', Buffer.concat([magic, bytes(0x12, 0xff, 0xff, 0xff, 0xff, 0x0f)]), 'unexpected EOF'],
    ['field number 0', Buffer.concat([magic, bytes(0x00, 0x00)]), 'proto: illegal tag 0'],
    ['a group', Buffer.concat([magic, bytes(0x2b)]), 'proto: illegal wireType 3'],
    ['a wrong wire type', Buffer.concat([magic, bytes(0x10, 0x01)]), 'proto: wrong wireType = 0 for field Raw'],
    ['a kind of ours', encodeEnvelope('core.korder.dev/v1alpha1', 'Order', bytes()), 'no kind "Order" is registered'],
    ['a quantity that is none', encodeEnvelope('v1', 'Node', nodeWithCapacity('lots')), 'quantities must match'],
    [
      'a name in the wrong wire type',
      encodeEnvelope('v1', 'Pod', bytes(0x0a, 2, 0x08, 1)),
      'wrong wireType = 0 for field name',
    ],
  ])('refuses %s', (_what, input, message) => {
    expect(() => decodeProtobufObject(input)).toThrow(message);
  });

  it('knows which kinds have a protobuf form', () => {
    expect(hasProtobuf('v1', 'Pod')).toBe(true);
    expect(hasProtobuf('karpenter.sh/v1', 'NodePool')).toBe(false);
    expect(() => encodeProtobufObject({ apiVersion: 'karpenter.sh/v1', kind: 'NodePool' })).toThrow(
      'no kind "NodePool"',
    );
  });

  it('passes over fields it does not know', () => {
    const known = encodeMessage('core/v1.ConfigMap', configMap);
    const unknown = bytes(
      0xf8,
      0x07,
      1,
      0xfa,
      0x07,
      2,
      1,
      2,
      0xf9,
      0x07,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0xfd,
      0x07,
      0,
      0,
      0,
      0,
    );
    expect(decodeMessage('core/v1.ConfigMap', Buffer.concat([unknown, known, unknown]))).toMatchObject({
      data: { a: '1' },
    });
  });

  it('reads numbers packed or one by one', () => {
    // PodSecurityContext.supplementalGroups is field 4.
    expect(decodeMessage('core/v1.PodSecurityContext', bytes(0x22, 3, 1, 2, 3, 0x20, 4))).toEqual({
      supplementalGroups: [1, 2, 3, 4],
    });
  });

  it('reads objects embedded in a list, in either form', () => {
    const embedded = encodeProtobufObject(configMap);
    const raw = (content: Buffer): Buffer =>
      Buffer.concat([bytes(0x12, content.length + 2, 0x0a, content.length), content]);
    const list = Buffer.concat([raw(embedded), raw(Buffer.from('{"kind":"X"}'))]);
    expect(decodeProtobufObject(encodeEnvelope('v1', 'List', list))).toMatchObject({
      items: [configMap, { kind: 'X' }],
    });
    expect(() => decodeProtobufObject(encodeEnvelope('v1', 'List', raw(Buffer.from('{"kind"'))))).toThrow(
      'unexpected end',
    );
  });

  it('does not follow lists in lists for ever', () => {
    let list: Buffer = encodeProtobufObject(configMap);
    for (let i = 0; i < 12; i++) {
      const item = encodeMessage('core/v1.List', { metadata: {}, items: [] });
      const length = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, n >> 7]);
      const inner = Buffer.concat([bytes(0x0a, ...length(list.length)), list]);
      list = encodeEnvelope('v1', 'List', Buffer.concat([item, bytes(0x12, ...length(inner.length)), inner]));
    }
    expect(() => decodeProtobufObject(list)).toThrow('embedded too deep');
  });

  it('does not follow schemas in schemas for ever', () => {
    // JSONSchemaProps.not is field 27; each level is a message in a message.
    let schema = Buffer.alloc(0);
    for (let i = 0; i < 5000; i++) {
      const length = [];
      for (let n = schema.length; ; n >>= 7) {
        length.push(n < 128 ? n : (n & 127) | 128);
        if (n < 128) break;
      }
      schema = Buffer.concat([bytes(0xda, 0x01, ...length), schema]);
    }
    expect(() => decodeMessage('apiextensions/v1.JSONSchemaProps', schema)).toThrow('nest too deep');
  });
});

describe('watch events', () => {
  it('carry the object in its envelope', () => {
    const event = encodeWatchEvent('ADDED', encodeProtobufObject(configMap));
    expect(decodeMessage('meta/v1.WatchEvent', event, decodeProtobufObject)).toEqual({
      type: 'ADDED',
      object: configMap,
    });
  });
});

/** NodeStatus.capacity is field 1 of status (3); entry {key=1, value=2{string=1}}. */
function nodeWithCapacity(quantity: string): Buffer {
  const value = Buffer.concat([bytes(0x0a, quantity.length), Buffer.from(quantity)]);
  const entry = Buffer.concat([bytes(0x0a, 1, 0x61, 0x12, value.length), value]);
  const status = Buffer.concat([bytes(0x0a, entry.length), entry]);
  return Buffer.concat([bytes(0x1a, status.length), status]);
}
