/** Selectors of lists and watches, compiled once: many clients ask for the same selection again and again. */
import type { KindDefinition } from '../../core/api/kind-definition.ts';
import type { LabelSelector } from '../../core/kube/meta-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { badRequest } from '../../core/kube/status-error.ts';

export interface Selection {
  readonly everything: boolean;
  matches(object: Stored): boolean;
  /** The one name, and the one namespace, that can match, where the field selector says so. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
}

export interface Selections {
  compile(kind: KindDefinition, labelSelector: string | undefined, fieldSelector: string | undefined): Selection;
}

const EVERYTHING: Selection = { everything: true, matches: () => true, name: undefined, namespace: undefined };

/** Selections kept per kind; beyond that the oldest go. */
const KEPT = 1000;

export function createSelections(): Selections {
  const byKind = new WeakMap<KindDefinition, Map<string, Selection>>();
  return {
    compile(kind, labelSelector = '', fieldSelector = '') {
      if (labelSelector === '' && fieldSelector === '') return EVERYTHING;
      let known = byKind.get(kind);
      if (known === undefined) byKind.set(kind, (known = new Map()));
      const key = `${labelSelector}\0${fieldSelector}`;
      let selection = known.get(key);
      if (selection === undefined) {
        selection = compile(kind, labelSelector, fieldSelector);
        if (known.size >= KEPT) known.delete(known.keys().next().value ?? '');
        known.set(key, selection);
      }
      return selection;
    },
  };
}

function compile(kind: KindDefinition, labelText: string, fieldText: string): Selection {
  const pairs = (text: string): (readonly [string, string])[] =>
    text === ''
      ? []
      : text.split(',').map((part) => {
          const at = part.indexOf('=');
          return [part.slice(0, at), part.slice(at + 1).replace(/^=/, '')] as const;
        });
  const labels = pairs(labelText);
  const fields = pairs(fieldText).map(([path, value]) => [fieldReader(kind, path), value, path] as const);
  return {
    everything: false,
    name: fields.find(([, , path]) => path === 'metadata.name')?.[1],
    namespace: fields.find(([, , path]) => path === 'metadata.namespace')?.[1],
    matches: (object) =>
      labels.every(([key, value]) => object.metadata.labels?.[key] === value) &&
      fields.every(([read, value]) => read(object) === value),
  };
}

function fieldReader(kind: KindDefinition, path: string): (object: Stored) => string {
  if (path === 'metadata.name') return (object) => object.metadata.name;
  if (path === 'metadata.namespace') return (object) => object.metadata.namespace ?? '';
  const read = Object.hasOwn(kind.selectableFields, path) ? kind.selectableFields[path] : undefined;
  if (read === undefined) throw badRequest(`field label not supported: ${path}`);
  return read;
}

/** A field selector may name the namespace that the path left open. */
export const narrowedNamespace = (selection: Selection, requested: string): string =>
  requested === '' ? (selection.namespace ?? '') : requested;

export function formatLabelSelector(selector: LabelSelector): string {
  return Object.entries(selector.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(',');
}
