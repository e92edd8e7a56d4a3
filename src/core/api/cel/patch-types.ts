/**
 * Types that mutating policies build: `Object{…}`, `Object.spec{…}` and so on, whose fields are not known beforehand,
 * and `JSONPatch{op, path, from, value}`.
 */
import type { Json, JsonObject } from '../../kube/json.ts';
import { toJson } from './values/to-json.ts';
import { DYN, listType, STRING, structType, type CelType } from './types.ts';
import { ArrayList, CelList, CelMap, CelStruct, isError, type CelValue } from './values/values.ts';

const OBJECT = 'Object';
const JSON_PATCH = 'JSONPatch';

/** The result type of an apply configuration. */
export const OBJECT_TYPE: CelType = structType(OBJECT);
/** The result type of a JSON patch. */
export const JSON_PATCH_TYPE: CelType = listType(structType(JSON_PATCH));

export const isPatchType = (name: string): boolean =>
  name === JSON_PATCH || name === OBJECT || name.startsWith(`${OBJECT}.`);

const OPERATION: ReadonlyMap<string, CelType> = new Map([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);

export const patchFieldType = (type: string, field: string): CelType | undefined =>
  type === JSON_PATCH ? OPERATION.get(field) : DYN;

/** Messages about nested objects whose types are not named after the fields that lead to them. */
export function misnamed(value: CelValue, path = OBJECT): readonly string[] {
  if (value instanceof CelStruct) {
    const own =
      value.type === path
        ? []
        : [
            `unexpected type name "${value.type}", expected "${path}", which matches field name path from root Object type`,
          ];
    return [...own, ...Array.from(value.fields, ([name, field]) => misnamed(field, `${path}.${name}`)).flat()];
  }
  if (value instanceof CelList) return membersOf(value).flatMap((item) => misnamed(item, path));
  if (value instanceof CelMap) {
    return value.keys().flatMap((key) => {
      const member = value.find(key);
      return member === undefined || isError(member) ? [] : misnamed(member, path);
    });
  }
  return [];
}

function membersOf(list: CelList): readonly CelValue[] {
  if (list instanceof ArrayList) return list.items;
  const items: CelValue[] = [];
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (!isError(item)) items.push(item);
  }
  return items;
}

/** The operations of a JSON patch, as JSON. Throws an `Error` for a value that is no operation. */
export function patchOperations(value: CelValue): readonly JsonObject[] {
  if (!(value instanceof CelList)) {
    throw new Error('type mismatch: JSONPatchType.expression should evaluate to array');
  }
  return membersOf(value).map((item) => {
    if (!(item instanceof CelStruct) || item.type !== JSON_PATCH) {
      throw new Error('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
    }
    const operation: { [key: string]: Json } = { op: '', path: '' };
    for (const [name, field] of item.fields) {
      if (name === 'value' && field instanceof CelStruct) {
        const problems = misnamed(field, field.type);
        if (problems.length > 0) throw new Error(`type mismatch: ${problems.join('\n')}`);
      }
      if (name !== 'from' || field !== '') operation[name] = toJson(field);
    }
    return operation;
  });
}
