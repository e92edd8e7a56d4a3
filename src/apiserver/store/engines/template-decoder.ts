/**
 * Reads stored objects, knowing that most of them were made from few templates. Large parts of a spec whose text was
 * seen before are cut out of the text before it is parsed and put back as the very same value: a DaemonSet's pods load
 * in half the time and share their containers, volumes and tolerations from the start.
 */
import { encodeJson } from '../../../core/kube/json.ts';
import type { Json } from '../../../core/kube/json.ts';
import { ownMember, setOwn } from '../../../core/kube/immutable.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { CollectionKey } from '../store.ts';
import { decodeObject } from './object-text.ts';

export type ObjectDecoder = (key: CollectionKey & { readonly namespace: string }, text: string) => Stored;

/** One large member of a template's spec. `text` is how it stands in a record, with its name. */
interface Part {
  readonly field: string;
  readonly value: unknown;
  readonly text: string;
  readonly placeholder: string;
}
type Template = readonly Part[];

/** Templates remembered for each namespace of a collection, the last one that fitted first. */
const MOST_TEMPLATES = 4;
const MOST_NAMESPACES = 4096;
const SHORTEST_PART = 64;
/** Stands for a part that was cut out; a text that holds this value by itself is parsed in full. */
const PLACEHOLDER = '\u0000part';

export function createObjectDecoder(): ObjectDecoder {
  const known = new Map<string, Template[]>();

  return (key, text) => {
    const place = `${key.tenant}\t${key.group}\t${key.resource}\t${key.namespace}`;
    let templates = known.get(place);
    if (templates === undefined) {
      if (known.size >= MOST_NAMESPACES) known.clear();
      known.set(place, (templates = []));
    }
    for (let i = 0; i < templates.length; i++) {
      const template = templates[i] as Template;
      const object = decodeWith(template, text);
      if (object === undefined) continue;
      if (i > 0) {
        templates.splice(i, 1);
        templates.unshift(template);
      }
      return object;
    }
    const object = decodeObject(text);
    const template = templateOf(object);
    if (template.length > 0 && templates.unshift(template) > MOST_TEMPLATES) templates.pop();
    return object;
  };
}

/** Undefined when the text does not hold most of the template's parts where a spec has them. */
function decodeWith(template: Template, text: string): Stored | undefined {
  const found: Part[] = [];
  let rest = '';
  let from = 0;
  for (const part of template) {
    const at = text.indexOf(part.text, from);
    if (at === -1) continue;
    rest += text.slice(from, at) + part.placeholder;
    from = at + part.text.length;
    found.push(part);
  }
  if (found.length * 2 < template.length || found.length === 0) return undefined;
  const object = decodeObject(rest + text.slice(from));
  const spec = ownMember(object, 'spec');
  if (typeof spec !== 'object' || spec === null) return undefined;
  for (const { field, value } of found) {
    // The same text may stand elsewhere, deeper in the object; then nothing is assumed.
    if (ownMember(spec, field) !== PLACEHOLDER) return undefined;
    setOwn(spec, field, value);
  }
  return object;
}

function templateOf(object: Stored): Template {
  const spec = ownMember(object, 'spec');
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return [];
  const parts: Part[] = [];
  for (const [field, value] of Object.entries(spec as Record<string, unknown>)) {
    if (typeof value !== 'object' || value === null) continue;
    const name = `${JSON.stringify(field)}:`;
    const text = name + encodeJson(value as Json);
    if (text.length >= SHORTEST_PART)
      parts.push({ field, value, text, placeholder: name + JSON.stringify(PLACEHOLDER) });
  }
  return parts;
}
