import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { decodeManaged, withManaged, withPlainManaged } from '../../core/api/apply/managed.ts';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { buildTable, partialObject } from '../../core/api/printers/table.ts';
import { createRegistry } from '../../core/api/registry/registry.ts';
import { encodeObject } from '../../core/api/encoding/object-json.ts';
import { encodeProtobufObject, hasProtobuf } from '../../core/api/schema/protobuf/envelope.ts';
import { encodeJson } from '../../core/kube/json.ts';
import { apiVersionOf, type KubeObject, type Stored } from '../../core/kube/objects.ts';
import { createEncodedCache } from './encoded-cache.ts';
import type { Exchange } from './exchange.ts';
import type { RequestPace } from './fair-work.ts';
import { sendList } from './list-answer.ts';
import type { Accepted } from './negotiate.ts';
import type { WireContext } from './wire-context.ts';
import { YAML_FORM } from './write-yaml.ts';

const NOW = Date.parse('2026-11-17T00:00:00Z');
const context = { clock: { now: () => NOW }, encoded: createEncodedCache(1 << 24) } as unknown as WireContext;
const registry = createRegistry();

/** A client that takes a block at a time, and work that is interrupted after every bit. */
function client() {
  const chunks: Buffer[] = [];
  let turns = 0;
  let unread = 0;
  let most = 0;
  const exchange = {
    closed: false,
    send: (_status: number, _type: string, body: Buffer) => void chunks.push(body),
    stream: () => ({
      write(bytes: Buffer, sent?: () => void) {
        unread += bytes.length;
        most = Math.max(most, unread);
        // Copied when sent, because the sender may overwrite the block afterwards.
        setImmediate(() => {
          chunks.push(Buffer.from(bytes));
          unread -= bytes.length;
          sent?.();
        });
      },
      drained: () => new Promise((resolve) => setImmediate(resolve)),
      end: () => {},
    }),
  } as unknown as Exchange;
  const pace: RequestPace = {
    user: 'u',
    enter: () => {},
    end: () => {},
    turn: () => ((turns += 1), Promise.resolve()),
  };
  return {
    exchange,
    pace,
    get turns() {
      return turns;
    },
    get most() {
      return most;
    },
    async bytes() {
      await new Promise((resolve) => setImmediate(resolve));
      return Buffer.concat(chunks);
    },
  };
}

const owners = decodeManaged([
  {
    manager: 'm',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
  },
]);

function itemsOf(kind: KindDefinition, count: number): readonly Stored[] {
  return Array.from({ length: count }, (_, i) => {
    const object = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: {
        name: `${kind.resource}-${i}`,
        uid: `0000-${i}`,
        resourceVersion: String(i),
        creationTimestamp: '2026-11-16T00:00:00Z',
        annotations: { text: `line ${i}\nü: "quoted"\n`.repeat((i % 5) * 40) },
      },
    } as unknown as KubeObject;
    return (i % 3 === 0 ? withManaged(object, owners) : object) as Stored;
  });
}

const LIST_META = { resourceVersion: '17', continue: 'more', remainingItemCount: 5 };

/** The whole list at once, as it was written before lists were written bit by bit. */
function atOnce(kind: KindDefinition, items: readonly Stored[], accepted: Accepted): Buffer {
  const { as, format, version } = accepted;
  if (as === 'Table') {
    const table = buildTable(kind, items, { includeObject: 'Metadata', now: NOW, version, listMeta: LIST_META });
    return Buffer.from(format === 'yaml' ? stringify(table, YAML_FORM) : encodeJson(table as never));
  }
  const head =
    as === ''
      ? { kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata: LIST_META }
      : { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata: LIST_META };
  const plain = items.map(withPlainManaged);
  const shaped = as === '' ? plain : plain.map((item) => partialObject(item, version));
  if (format === 'yaml') return Buffer.from(stringify({ ...head, items: shaped }, YAML_FORM));
  if (format === 'protobuf') return encodeProtobufObject({ ...head, items: shaped } as never);
  const texts = items.map((item) =>
    as === '' ? context.encoded.bytes(item).toString() : encodeObject(partialObject(item, version)),
  );
  // In a list of Kubernetes' kinds the items do not say what they are.
  const types = as === '' ? `"apiVersion":"${apiVersionOf(kind)}","kind":"${kind.kind}",` : '';
  const entries = texts.map((text) => text.replace(types, ''));
  return Buffer.from(`${encodeJson(head as never).slice(0, -1)},"items":[${entries.join(',')}]}`);
}

const kindOf = (group: string, version: string, resource: string): KindDefinition => {
  const kind = registry.byResource(group, version, resource);
  if (kind === undefined) throw new Error(resource);
  return kind;
};

const COMBINATIONS: readonly Accepted[] = (['json', 'yaml', 'protobuf'] as const).flatMap((format) =>
  ['', 'Table', 'PartialObjectMetadataList']
    .filter((as) => !(format === 'protobuf' && as === 'Table'))
    .map((as): Accepted => ({ format, as, version: 'v1' })),
);

describe('lists of every format and shape', () => {
  it.each(COMBINATIONS)('are, bit by bit, what they are at once: $format $as', async (accepted) => {
    const pods = kindOf('', 'v1', 'pods');
    for (const count of [1, 7, 300]) {
      const items = itemsOf(pods, count);
      const { exchange, pace, ...reader } = client();
      const list = { items, ...LIST_META };
      await sendList(exchange, pods, list, { accepted, includeObject: 'Metadata' }, context, pace);
      expect((await reader.bytes()).equals(atOnce(pods, items, accepted))).toBe(true);
    }
  });

  it.each(COMBINATIONS)('hold two blocks at most and take turns: $format $as', async (accepted) => {
    const maps = kindOf('', 'v1', 'configmaps');
    const one = itemsOf(maps, 400);
    const items = Array.from({ length: 10 }, () => one).flat();
    const reader = client();
    const list = { items, ...LIST_META };
    await sendList(reader.exchange, maps, list, { accepted, includeObject: 'Metadata' }, context, reader.pace);
    const { length } = await reader.bytes();
    expect(length).toBeGreaterThan(500_000);
    expect(reader.most).toBeLessThanOrEqual(2 * 160 * 1024);
    expect(reader.turns).toBeGreaterThan(30);
  });

  it('are protobuf as the whole would be, for every kind that has it', async () => {
    const accepted: Accepted = { format: 'protobuf', as: '', version: 'v1' };
    let compared = 0;
    for (const kind of registry.all()) {
      if (!hasProtobuf(apiVersionOf(kind), kind.kind) || !hasProtobuf(apiVersionOf(kind), kind.listKind)) continue;
      const items = itemsOf(kind, 2);
      const { exchange, pace, ...reader } = client();
      await sendList(exchange, kind, { items, ...LIST_META }, { accepted, includeObject: 'None' }, context, pace);
      expect([kind.kind, (await reader.bytes()).equals(atOnce(kind, items, accepted))]).toEqual([kind.kind, true]);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(40);
  });

  it('give up with their reader', async () => {
    const maps = kindOf('', 'v1', 'configmaps');
    const { exchange, pace } = client();
    const over = { ...pace, turn: () => Promise.reject(new Error('the request is over')) };
    const list = { items: itemsOf(maps, 10), ...LIST_META };
    for (const accepted of COMBINATIONS) {
      await expect(sendList(exchange, maps, list, { accepted, includeObject: 'None' }, context, over)).rejects.toThrow(
        'the request is over',
      );
    }
  });
});
