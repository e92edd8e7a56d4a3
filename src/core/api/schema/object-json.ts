/**
 * Objects as JSON text for others to read. Nearly all are plain JSON. The content of a ControllerRevision is compared by
 * its bytes (Kubernetes' own controller and its tests do), and a Go server hands on the bytes that a Go controller
 * wrote: keys sorted, `<`, `>` and `&` escaped. So ours are those bytes too, however the content got here; an object in
 * memory would otherwise put keys that look like numbers first.
 */
import { encodeGoJson, encodeJson, type Json, type JsonObject } from '../../kube/json.ts';

export function encodeObject(object: object): string {
  const value = object as JsonObject;
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
