/** The environment the recorded facts were made in: a schema with every kind of field, and an object of it. */
import { readFileSync } from 'node:fs';
import type { Json } from '../../../kube/json.ts';
import type { JSONSchemaProps } from '../../types/apiextensions-v1.ts';
import { celEnvironment, celValueOf, type CelBindings, type CelEnvironment } from '../cel.ts';
import { DYN_DECL, opaqueDecl, optionalDecl, withNames } from '../decl-types.ts';
import { formatGoFloat } from '../../../kube/go-float.ts';
import { authorizerValue, type Authorize } from '../library/authorizer.ts';
import { AUTHORIZER_TYPE } from '../values/opaque.ts';
import { declTypeOf } from '../schema-types.ts';
import { formatDuration, formatTimestamp } from '../values/times.ts';
import { structType } from '../types.ts';
import {
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  isError,
  typeNameOf,
  type CelValue,
  type Val,
} from '../values/values.ts';

const here = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

interface Sample {
  readonly schema: JSONSchemaProps;
  readonly self: Json;
}

const authorize: Authorize = (check) => {
  if (check.verb === 'bad') return { allowed: false, reason: 'because', error: 'authorizer broke' };
  if (check.verb !== 'get') return { allowed: false, reason: 'no' };
  const parts =
    'path' in check
      ? ['', '', '', '', '', check.path]
      : [check.group, check.resource, check.subresource, check.namespace, check.name, ''];
  return { allowed: true, reason: [check.user.name, ...parts].join('|') };
};

export function sample(): { environment: CelEnvironment; bindings: CelBindings; schema: JSONSchemaProps; self: Json } {
  const { schema, self } = JSON.parse(here('sample.json')) as Sample;
  const plain = declTypeOf(schema);
  if (!plain) throw new Error('the sample schema has no type');
  const decl = withNames(plain, 'selfType');
  const environment = celEnvironment(
    {
      self: decl,
      oldSelf: decl,
      object: DYN_DECL,
      authorizer: opaqueDecl(structType(AUTHORIZER_TYPE)),
      opt: optionalDecl(decl),
    },
    { jsonPatch: true },
  );
  const value = celValueOf(self, decl);
  const bindings = {
    self: value,
    oldSelf: value,
    object: celValueOf(self, DYN_DECL),
    authorizer: authorizerValue({ name: 'me' }, authorize),
    opt: new CelOptional(value as CelValue),
  };
  return { environment, bindings, schema, self };
}

export const facts = (): readonly (readonly [string, string, ...unknown[]])[] =>
  here('upstream.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as [string, string, ...unknown[]]);

/** A value with its type, as the facts were written down. */
export function described(value: Val): unknown {
  if (isError(value)) return `error:${value.message}`;
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return `int:${value}`;
  if (typeof value === 'number') return `double:${formatGoFloat(value)}`;
  if (typeof value === 'string') return `s:${value}`;
  if (value instanceof CelUint) return `uint:${value.value}`;
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString('hex')}`;
  if (value instanceof CelDuration) return `duration:${formatDuration(value)}`;
  if (value instanceof CelTimestamp) return `timestamp:${formatTimestamp(value)}`;
  if (value instanceof CelTypeValue) return `type:${value.name}`;
  if (value instanceof CelOptional) return { optional: value.value === undefined ? 'none' : described(value.value) };
  if (value instanceof CelList) return Array.from({ length: value.size }, (_, index) => described(value.at(index)));
  if (value instanceof CelMap) {
    const entries = value.keys().map((key) => [described(key), described(value.find(key) ?? null)]);
    // Upstream's order of entries is random; the recorded entries are sorted by their keys.
    return { map: entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)) };
  }
  return `other:${typeNameOf(value)}`;
}
