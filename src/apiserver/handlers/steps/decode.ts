/** From what a client sent to an object of the kind: right type, right structure, defaults filled in. */
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import { type Checked, checkObject } from '../../../core/api/schema/check.ts';
import { strictComplaints } from '../../../core/api/schema/decoding-errors.ts';
import { invalid } from '../../../core/kube/field-errors.ts';
import { type Json, encodeGoJson, encodeJson, parseJson } from '../../../core/kube/json.ts';
import { type KubeObject, apiVersionOf } from '../../../core/kube/objects.ts';
import { badRequest, invalidObject } from '../../../core/kube/status-error.ts';
import type { WriteOptions } from '../../../machinery/client/client.ts';
import type { RequestBase } from '../../contract/request.ts';

export interface DecodeOptions {
  readonly fieldValidation?: WriteOptions['fieldValidation'] | undefined;
  readonly warn?: ((message: string) => void) | undefined;
  /** The object stored under that name now: parts that the new object shares with it are known to be valid. */
  readonly baseline?: KubeObject | undefined;
  readonly duplicateFields?: readonly string[] | undefined;
  readonly repeatedKeys?: readonly string[] | undefined;
  /** Errors are reported in the order of sorted keys, not in the order of the body. */
  readonly unordered?: boolean | undefined;
  /** The object is what server-side apply made. */
  readonly applied?: boolean;
}

export interface Decoder {
  /** Parts seen before, in this or another object, are not looked at again: nothing stored ever changes. */
  decode(kind: KindDefinition, object: KubeObject, options: DecodeOptions): KubeObject;
}

export const decodeOptions = (
  { duplicateFields, options, repeatedKeys, unordered, warn }: RequestBase & { readonly options: WriteOptions },
  baseline?: KubeObject,
): DecodeOptions => ({
  fieldValidation: options.fieldValidation,
  warn,
  baseline,
  duplicateFields,
  repeatedKeys,
  unordered,
});

export function createDecoder(): Decoder {
  return {
    decode(kind, sent, options) {
      const typed = checkType(kind, sent);
      const check = (object: KubeObject): Checked =>
        kind.custom?.check(object) ?? checkObject(kind.schema, object, { immutable: true, baseline: options.baseline });
      const first = check(typed);
      const isFaultless = first.error === undefined && first.unknownFields.length < 2;
      const checked = isFaultless || options.unordered !== true ? first : check(inOrder(typed));
      if (checked.error !== undefined) throw badRequest(`${cannotHandle(kind, typed)}: ${checked.error}`);
      if (
        checked.unknownFields.length > 0 ||
        options.duplicateFields !== undefined ||
        options.repeatedKeys !== undefined
      ) {
        complain(kind, typed, strictComplaints(checked.unknownFields, options.duplicateFields ?? []), options);
      }
      const known = checked.object as KubeObject;
      return options.applied === true && kind.custom !== undefined
        ? kind.custom.defaultsOfApplied(known)
        : kind.strategy.defaults(known);
    },
  };
}

/** The same object with the keys of its maps in order. */
const inOrder = (object: KubeObject): KubeObject =>
  parseJson(encodeGoJson(object as unknown as Json, { sortKeys: true })) as unknown as KubeObject;

function complain(
  kind: KindDefinition,
  object: KubeObject,
  complaints: readonly string[],
  { fieldValidation, repeatedKeys, warn }: DecodeOptions,
): void {
  if (fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    const all = repeatedKeys === undefined ? complaints : [yamlError(repeatedKeys), ...complaints];
    throw badRequest(`${cannotHandle(kind, object)}: strict decoding error: ${all.join(', ')}`);
  }
  if (warn !== undefined) for (const complaint of [...(repeatedKeys ?? []), ...complaints]) warn(complaint);
}

/** All that a decoder of YAML found, in one text. */
const yamlError = (findings: readonly string[]): string => `yaml: unmarshal errors:\n  ${findings.join('\n  ')}`;

/** An applied configuration may not repeat keys where it is looked at strictly; a warning otherwise. */
export function complainOfRepeatedKeys({ fieldValidation, repeatedKeys, warn }: DecodeOptions): void {
  if (repeatedKeys === undefined || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') throw badRequest(`error strict decoding YAML: ${yamlError(repeatedKeys)}`);
  if (warn !== undefined) for (const text of repeatedKeys) warn(text);
}

const cannotHandle = (kind: KindDefinition, object: KubeObject): string => {
  const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1);
  return `${object.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}`;
};

function checkType(kind: KindDefinition, object: KubeObject): KubeObject {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) throw badRequest('an object is expected');
  const expected = apiVersionOf(kind);
  if (object.apiVersion === expected && object.kind === kind.kind) return object;
  const { apiVersion, kind: kindName }: { apiVersion?: unknown; kind?: unknown } = object;
  // A body may leave out what the path says already, unless nothing but the body tells what it is.
  if ((!apiVersion || !kindName) && kind.custom === undefined) {
    const filled = { ...object, apiVersion: apiVersion || expected, kind: kindName || kind.kind } as KubeObject;
    return checkType(kind, filled);
  }
  if (!kindName) throw badRequest(`Object 'Kind' is missing in '${encodeJson(object as unknown as Json)}'`);
  if (typeof (apiVersion ?? '') !== 'string' || typeof kindName !== 'string') {
    throw badRequest("Object 'Kind' and 'apiVersion' must be strings");
  }
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${typeof apiVersion === 'string' ? apiVersion : ''}) does not match the expected API version (${expected})`,
    );
  }
  if (kind.custom !== undefined) {
    const name = (object.metadata as KubeObject['metadata'] | undefined)?.name;
    const errors = [invalid('kind', kindName, `must be ${kind.kind}`)];
    throw invalidObject({ group: kind.group, kind: kindName }, typeof name === 'string' ? name : '', errors);
  }
  throw badRequest(`${cannotHandle(kind, object)}: the path is one of ${kind.resource}`);
}
