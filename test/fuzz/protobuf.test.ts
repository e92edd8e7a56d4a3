/** Objects of every built-in kind in both encodings: what one says, the other says, and damage is told as such. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOOPBACK } from '../../src/apiserver/contract/users.ts';
import { createTestServer } from '../../src/apiserver/testing/test-server.ts';
import { ProtobufError } from '../../src/core/api/errors.ts';
import type { KindDefinition } from '../../src/core/api/kind/kind-definition.ts';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import { checkObject } from '../../src/core/api/schema/check.ts';
import {
  decodeProtobufObject,
  encodeProtobufObject,
  hasProtobuf,
} from '../../src/core/api/schema/protobuf/envelope.ts';
import { objectOf } from '../../src/core/api/schema/testing/arbitrary-objects.ts';
import { encodeJson, parseJson } from '../../src/core/kube/json.ts';
import { apiVersionOf, type KubeObject } from '../../src/core/kube/objects.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { manifestOf } from './support/manifests.ts';
import { mutate, mutations } from './support/mutations.ts';

const suite = cases('protobuf.test.ts');
const kinds = createRegistry()
  .all()
  .filter((kind) => hasProtobuf(apiVersionOf(kind), kind.kind));
const byName = new Map(kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]));
const kindNames = fc.constantFrom(...byName.keys());
/** Cases hold the name of a kind, which is easier to read than all that is known of it. */
const kindOf = (name: string): KindDefinition => byName.get(name) as KindDefinition;
const typeOf = (kind: KindDefinition) => ({ apiVersion: apiVersionOf(kind), kind: kind.kind });

/** Any object the types allow, or one that means something with a few things spoilt. */
const object = kindNames.chain((name) =>
  fc
    .oneof(
      objectOf(kindOf(name).schema).map((members) => ({ ...members, ...typeOf(kindOf(name)) })),
      mutations.map((list) => mutate({ ...manifestOf(kindOf(name), 'a') }, list)),
    )
    .map((value) => ({ name, value: parseJson(encodeJson(value as never)) })),
);

describe('protobuf and JSON', () => {
  it('carry the same objects', { timeout: TIMEOUT }, () => {
    fc.assert(
      fc.property(object, ({ name, value }) => {
        suite.count();
        const kind = kindOf(name);
        const checked = checkObject(kind.schema, value);
        if (checked.error !== undefined) return;
        const inform = { ...checked.object, ...typeOf(kind) };
        const bytes = encodeProtobufObject(inform);
        const decoded = decodeProtobufObject(bytes);
        const canonical = checkObject(kind.schema, decoded);
        expect(canonical.error).toBeUndefined();
        expect(canonical.unknownFields).toEqual([]);
        expect(canonical.object).toBe(decoded);
        expect(parseJson(encodeJson(decoded as never))).toEqual(parseJson(encodeJson(inform as never)));
        expect(encodeProtobufObject(decoded as typeof inform)).toEqual(bytes);
        // Nothing that was read may still live in the buffer, which the next request fills.
        const before = encodeJson(decoded as never);
        bytes.fill(0xff);
        expect(encodeJson(decoded as never)).toBe(before);
      }),
      suite.settings(0.6),
    );
  });

  it('are answered alike', { timeout: TIMEOUT }, async () => {
    const { server } = await createTestServer();
    const manifest = fc
      .tuple(kindNames, fc.oneof(fc.constant([]), mutations))
      .map(([name, list]) => ({ name, value: parseJson(encodeJson(mutate(manifestOf(kindOf(name), 'a'), list))) }));
    const answerTo = (kind: KindDefinition, body: object): Promise<unknown> =>
      server
        .handle({
          verb: 'create',
          target: {
            ...{ tenant: 'system', group: kind.group, version: kind.version, resource: kind.resource, subresource: '' },
            ...{ namespace: kind.namespaced ? 'default' : '', name: '' },
          },
          user: LOOPBACK,
          unshared: true,
          object: body as KubeObject,
          options: { dryRun: true },
        })
        .then(
          (answer) => (answer.type === 'object' ? settled(answer.object) : answer.type),
          (error: unknown) => (error instanceof StatusError ? verdictOf(error) : String(error)),
        );
    await fc.assert(
      fc.asyncProperty(manifest, async ({ name, value }) => {
        suite.count();
        const kind = kindOf(name);
        const checked = checkObject(kind.schema, value);
        if (checked.error !== undefined) return;
        const inform = { ...checked.object, ...typeOf(kind) };
        const decoded = decodeProtobufObject(encodeProtobufObject(inform));
        expect(await answerTo(kind, decoded)).toEqual(await answerTo(kind, inform));
      }),
      suite.settings(0.15),
    );
  });

  it('tell damage as such', { timeout: TIMEOUT }, () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(object, fc.array(change, { maxLength: 4 }), fc.option(fc.nat()), ({ name, value }, changes, cut) => {
        suite.count();
        const kind = kindOf(name);
        const checked = checkObject(kind.schema, value);
        const bytes = encodeProtobufObject({ ...(checked.error === undefined ? checked.object : {}), ...typeOf(kind) });
        for (const [at, byte] of changes) bytes[4 + (at % (bytes.length - 4))] = byte;
        try {
          const read = decodeProtobufObject(bytes.subarray(0, cut === null ? bytes.length : cut % (bytes.length + 1)));
          expect(parseJson(encodeJson(read as never))).toEqual(read);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError);
        }
      }),
      suite.settings(0.25),
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

/** Messages repeat values, and the members of a map have an order in JSON that protobuf does not keep. */
const verdictOf = ({ status }: StatusError): unknown => [
  status.code,
  status.details?.causes?.map(({ field, reason }) => [field, reason]),
];

/** Without what differs between any two requests. */
const settled = (value: object): unknown =>
  parseJson(
    encodeJson(value as never)
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'some-uid')
      .replace(/"(?:creationTimestamp|time|clusterIP)":"[^"]*"/g, '"time":""')
      .replace(/"clusterIPs":\[[^\]]*\]|"nodePort":\d+/g, '"allocated":0'),
  );
