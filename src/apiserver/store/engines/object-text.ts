/**
 * Objects to JSON text and back. Integers beyond 2^53 keep their digits both ways. Writing is on the path of every
 * durable write: the text of subtrees that came by reference lately (a template's containers, volumes, tolerations)
 * is reused, which takes 40 % off the cost of a DaemonSet's pod.
 */
import {
  decodeManaged,
  encodeManaged,
  type ManagedFields,
  managedOf,
  setManaged,
} from '../../../core/api/apply/managed.ts';
import { shareManaged } from '../../../core/api/apply/managers.ts';
import { encodeJson, parseJson } from '../../../core/kube/json.ts';
import type { Json } from '../../../core/kube/json.ts';
import type { Stored } from '../../../core/kube/objects.ts';

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

type Fields = Readonly<Record<string, unknown>>;

export function createObjectEncoder(): ObjectEncoder {
  const seen = new Map<string, Slots>();

  /** A subtree is kept when it comes the second time, so that objects seen once leave nothing behind but a reference. */
  function subtree(field: string, value: object): string {
    let slots = seen.get(field);
    if (slots === undefined) {
      if (seen.size >= 256) seen.clear();
      slots = { values: [], texts: [], next: 0 };
      seen.set(field, slots);
    }
    const at = slots.values.indexOf(value);
    if (at !== -1) return (slots.texts[at] ??= JSON.stringify(value));
    const text = JSON.stringify(value);
    if (text.length >= SHORTEST_KEPT) {
      slots.values[slots.next] = value;
      slots.texts[slots.next] = undefined;
      slots.next = (slots.next + 1) % SLOTS;
    }
    return text;
  }

  function spec(value: Fields): string {
    let text = '';
    for (const field of Object.keys(value)) {
      const child = value[field];
      const childText = typeof child === 'object' && child !== null ? subtree(field, child) : JSON.stringify(child);
      if (childText === undefined) continue;
      text += `${text === '' ? '{' : ','}${JSON.stringify(field)}:${childText}`;
    }
    return text === '' ? '{}' : `${text}}`;
  }

  function encode(object: Stored): string {
    const fields = object as unknown as Fields;
    let text = '';
    for (const field of Object.keys(fields)) {
      const child = fields[field];
      const childText = field === 'spec' && isPlainObject(child) ? spec(child) : JSON.stringify(child);
      if (childText === undefined) continue;
      text += `${text === '' ? '{' : ','}${JSON.stringify(field)}:${childText}`;
    }
    return `${text}}`;
  }

  const content = (object: Stored): string => {
    try {
      return encode(object);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return encodeJson(object as unknown as Json);
    }
  };

  return (object) => {
    const managed = managedOf(object);
    const text = content(object);
    return managed === undefined ? text : `${text.slice(0, -1)}${OWNERS}${encodeManaged(managed)}}`;
  };
}

/**
 * The owners of an object's fields stand behind it under a name no object can use. Inside a string the quotes would be
 * escaped, so this text is found nowhere else.
 */
const OWNERS = ',"\\u0000owners":';

const isPlainObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function decodeObject(text: string): Stored {
  const at = text.lastIndexOf(OWNERS);
  if (at === -1) return parseJson(text, OUR_OWN_TEXT) as unknown as Stored;
  const object = parseJson(`${text.slice(0, at)}}`, OUR_OWN_TEXT) as unknown as Stored;
  // The object was made just now, so nobody minds that it is completed.
  setManaged(object.metadata, readOwners(text.slice(at + OWNERS.length, -1)));
  return object;
}

/** Objects of one template were written with the same owners: most texts have been read before. */
const MOST_KNOWN = 256;
const known = new Map<string, ManagedFields>();
/** Where they differ it is in little; the rest is kept once. */
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
