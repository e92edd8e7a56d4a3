/**
 * Objects as JSON text for others to read. Nearly all are plain JSON. The content of a ControllerRevision is compared by
 * its bytes (Kubernetes' own controller and its tests do), and a Go server hands on the bytes that a Go controller
 * wrote: keys sorted, `<`, `>` and `&` escaped. So ours are those bytes too, however the content got here; an object in
 * memory would otherwise put keys that look like numbers first.
 */
import { encodeManaged, managedOf } from '../apply/managed.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { encodeGoJson, encodeJson, type Json, type JsonObject } from '../../kube/json.ts';

export function encodeObject(object: object): string {
  const value = object as JsonObject;
  const { metadata } = value;
  if (typeof metadata === 'object' && metadata !== null) {
    const managed = managedOf(object as KubeObject);
    if (managed !== undefined) return encodeOwned(value, metadata as JsonObject, encodeManaged(managed));
  }
  return encodeBare(value);
}

/** Owners of fields are written out here, from a text that objects of one template share. */
function encodeOwned(value: JsonObject, metadata: JsonObject, managed: string): string {
  let text = '';
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const encoded =
      name === 'metadata'
        ? `${encodeJson(metadata).slice(0, -1)},"managedFields":${managed}}`
        : name === 'data' && value['kind'] === 'ControllerRevision'
          ? encodeRaw(member)
          : encodeJson(member);
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${encoded}`;
  }
  return `${text}}`;
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

/** What Go keeps as raw JSON (`RawExtension`), in the spelling of a Go program that made it from a map. */
export const encodeRaw = (value: Json): string => encodeGoJson(value, { sortKeys: true });
