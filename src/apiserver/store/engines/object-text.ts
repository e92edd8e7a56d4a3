/**
 * Objects to JSON text and back. Integers beyond 2^53 keep their digits both ways. Writing is on the path of every
 * durable write: the text of subtrees that came by reference lately (a template's containers, volumes, tolerations)
 * is reused, which takes 40 % off the cost of a DaemonSet's pod.
 */
import { decodeManaged, encodeManaged, type ManagedFields, setManaged } from '../../../core/api/apply/managed.ts';
import { shareManaged } from '../../../core/api/apply/managers.ts';
import { type EncodeMember, OWNERS_MEMBER, splitObject } from '../../../core/api/encoding/object-json.ts';
import { encodeJson, type Json, type JsonObject, parseJson } from '../../../core/kube/json.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { keepText } from '../fresh-texts.ts';

export type ObjectEncoder = (object: Stored) => string;

/** How many lately seen subtrees are kept per field: enough for a few templates rolling out at once. */
const SLOTS = 8;
/** Text of smaller subtrees is written anew faster than it is found. */
const SHORTEST_KEPT = 64;

interface Slots {
  readonly values: unknown[];
  readonly texts: (string | undefined)[];
  next: number;
}

export function createObjectEncoder(): ObjectEncoder {
  const seen = new Map<string, Slots>();

  /** A subtree is kept when it comes the second time, so that objects seen once leave nothing behind but a reference. */
  function subtree(field: string, value: Json): string {
    let slots = seen.get(field);
    if (slots === undefined) {
      if (seen.size >= 256) seen.clear();
      slots = { values: [], texts: [], next: 0 };
      seen.set(field, slots);
    }
    const at = slots.values.indexOf(value);
    if (at !== -1) return (slots.texts[at] ??= encodeJson(value));
    const text = encodeJson(value);
    if (text.length >= SHORTEST_KEPT) {
      slots.values[slots.next] = value;
      slots.texts[slots.next] = undefined;
      slots.next = (slots.next + 1) % SLOTS;
    }
    return text;
  }

  function spec(value: JsonObject): string {
    let text = '';
    for (const field of Object.keys(value)) {
      const child = value[field];
      if (child === undefined) continue;
      const childText = typeof child === 'object' && child !== null ? subtree(field, child) : encodeJson(child);
      text += `${text === '' ? '{' : ','}${JSON.stringify(field)}:${childText}`;
    }
    return text === '' ? '{}' : `${text}}`;
  }

  const encodeMember: EncodeMember = (name, member) =>
    name === 'spec' && isPlainObject(member) ? spec(member) : encodeJson(member);

  return (object) => {
    const split = splitObject(object, encodeMember);
    keepText(object, split);
    const { before, managed, after } = split;
    if (managed === undefined) return before;
    const bare = before.slice(0, -OWNERS_MEMBER.length) + after.slice(0, -1);
    return `${bare}${OWNERS}${encodeManaged(managed)}}`;
  };
}

/**
 * The owners of an object's fields stand behind it under a name no object can use. Inside a string the quotes would be
 * escaped, so this text is found nowhere else.
 */
const OWNERS = ',"\\u0000owners":';

const isPlainObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function decodeObject(text: string): Stored {
  const at = text.lastIndexOf(OWNERS);
  if (at === -1) return parseJson(text, OUR_OWN_TEXT) as unknown as Stored;
  const object = parseJson(`${text.slice(0, at)}}`, OUR_OWN_TEXT) as unknown as Stored;
  // The object was made just now and is not shared yet, so it may be completed in place.
  setManaged(object.metadata, readOwners(text.slice(at + OWNERS.length, -1)));
  return object;
}

/** Objects of one template were written with the same owners: most texts have been read before. */
const MOST_KNOWN = 256;
const known = new Map<string, ManagedFields>();
/** The owners read last: other owners differ in little, and share the rest. */
let last: ManagedFields = [];

function readOwners(text: string): ManagedFields {
  let owners = known.get(text);
  if (owners === undefined) {
    owners = shareManaged(last, decodeManaged(JSON.parse(text) as readonly unknown[]));
    last = owners;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, owners);
  }
  return owners;
}

const OUR_OWN_TEXT = { maxDepth: Infinity };
