/**
 * An event is one stored object with two forms: core/v1 (stored) and events.k8s.io/v1. They carry the same facts under
 * different names.
 */
import type { KubeObject } from '../../kube/objects.ts';
import type { KindConversion } from '../kind/kind-definition.ts';
import { eventStrategy } from '../kinds/event.ts';
import type { Event as NewEvent } from '../types/events-v1.ts';

type Bag = { readonly [field: string]: unknown };

/** core/v1 name → events.k8s.io/v1 name, where they differ. */
const RENAMED: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];
const TO_EVENTS: ReadonlyMap<string, string> = new Map(RENAMED);
const TO_CORE: ReadonlyMap<string, string> = new Map(RENAMED.map(([core, events]) => [events, core]));

function renamed(object: KubeObject, apiVersion: string, names: ReadonlyMap<string, string>): KubeObject {
  const result: { [field: string]: unknown } = {};
  const source = object as unknown as Bag;
  for (const field in source) {
    const value = source[field];
    if (value !== undefined) result[names.get(field) ?? field] = field === 'apiVersion' ? apiVersion : value;
  }
  return result as unknown as KubeObject;
}

/** The last converted events: an event is validated, returned and sent to its watchers within a moment. */
let young = new Map<KubeObject, KubeObject>();
let old = new Map<KubeObject, KubeObject>();
const MOST_YOUNG = 256;

export const eventConversion: KindConversion = {
  renamesOnly: true,
  validate: (stored) => eventStrategy.validate(eventConversion.fromStorage(stored) as NewEvent),
  validateUpdate: (stored, before) =>
    eventStrategy.validateUpdate(
      eventConversion.fromStorage(stored) as NewEvent,
      eventConversion.fromStorage(before) as NewEvent,
      '',
    ),
  toStorage: (object) => renamed(object, 'v1', TO_CORE),
  fromStorage(object) {
    const known = young.get(object) ?? old.get(object);
    if (known !== undefined) return known;
    if (young.size >= MOST_YOUNG) {
      old = young;
      young = new Map();
    }
    const result = renamed(object, 'events.k8s.io/v1', TO_EVENTS);
    young.set(object, result);
    return result;
  },
};
