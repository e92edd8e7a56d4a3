/**
 * Objects as JSON text for others to read. Nearly all are plain JSON. The content of a ControllerRevision is compared by
 * its bytes (Kubernetes' own controller and its tests do), and a Go server hands on the bytes that a Go controller
 * wrote: keys sorted, `<`, `>` and `&` escaped. So ours are those bytes too, however the content got here; an object in
 * memory would otherwise put keys that look like numbers first.
 */
import { encodeManaged, managedOf, type ManagedFields } from '../apply/managed.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { encodeGoJson, encodeJson, type Json, type JsonObject } from '../../kube/json.ts';

/** The text of an object in two parts: before its managed fields and after them. */
export interface SplitObject {
  readonly before: string;
  /** Undefined for an object without owners, which is `before` alone. */
  readonly managed: ManagedFields | undefined;
  readonly after: string;
}

export function encodeObject(object: object): string {
  const { before, managed, after } = splitObject(object);
  return managed === undefined ? before : before + encodeManaged(managed) + after;
}

/** The text of one member of an object; `encodePlainly` unless the caller has a quicker way. */
export type EncodeMember = (name: string, member: Json) => string;
const encodePlainly: EncodeMember = (_name, member) => encodeJson(member);

export function splitObject(object: object, encodeMember: EncodeMember = encodePlainly): SplitObject {
  const value = object as JsonObject;
  const { metadata } = value;
  if (typeof metadata === 'object' && metadata !== null) {
    const managed = managedOf(object as KubeObject);
    if (managed !== undefined) return splitAtOwners(value, metadata as JsonObject, managed, encodeMember);
  }
  return { before: encodeBare(value), managed: undefined, after: '' };
}

/** The end of `before`. */
export const OWNERS_MEMBER = ',"managedFields":';

function splitAtOwners(
  value: JsonObject,
  metadata: JsonObject,
  managed: ManagedFields,
  encodeMember: EncodeMember,
): SplitObject {
  let before = '';
  let text = '{';
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const start = text === '{' ? '{' : `${text},`;
    if (name === 'metadata') {
      before = `${start}"metadata":${encodeJson(metadata).slice(0, -1)}${OWNERS_MEMBER}`;
      text = '}';
      continue;
    }
    const encoded =
      name === 'data' && value['kind'] === 'ControllerRevision' ? encodeRaw(member) : encodeMember(name, member);
    text = `${start}${JSON.stringify(name)}:${encoded}`;
  }
  return { before, managed, after: `${text}}` };
}

function encodeBare(value: JsonObject): string {
  return value['kind'] === 'ControllerRevision' && typeof value['data'] === 'object'
    ? encodeRevision(value)
    : encodeJson(value);
}

function encodeRevision(revision: JsonObject): string {
  const members: string[] = [];
  for (const [name, value] of Object.entries(revision)) {
    if (value === undefined) continue;
    members.push(`${JSON.stringify(name)}:${name === 'data' ? encodeRaw(value) : encodeJson(value)}`);
  }
  return `{${members.join(',')}}`;
}

/** Raw JSON (`RawExtension`) in the spelling of a Go program that made it from a map. */
export const encodeRaw = (value: Json): string => encodeGoJson(value, { sortKeys: true });
