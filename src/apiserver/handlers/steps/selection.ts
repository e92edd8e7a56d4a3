/** Selectors of lists and watches, compiled once: many clients ask for the same selection again and again. */
import { fieldSelectorProblem } from '../../../core/api/kinds/selectable-fields.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import {
  type FieldReader,
  type FieldReaders,
  type FieldSelector,
  compileFieldSelector,
  parseFieldSelector,
  unknownMetadataField,
  unsupportedField,
} from '../../../core/kube/field-selector.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { parseSelector } from '../../../core/kube/selector-text.ts';
import { type Selector, SelectorError } from '../../../core/kube/selector.ts';
import { badRequest } from '../../../core/kube/status-error.ts';

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
/** Longer ones are compiled each time: a thousand of the longest a header can carry would fill the memory. */
const LONGEST_KEPT = 512;

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
        if (key.length > LONGEST_KEPT) return selection;
        if (known.size >= KEPT) known.delete(known.keys().next().value ?? '');
        known.set(key, selection);
      }
      return selection;
    },
  };
}

function compile(kind: KindDefinition, labelText: string, fieldText: string): Selection {
  try {
    const labels = parseSelector(labelText);
    const fields = parseFieldSelector(fieldText);
    const matchesFields = compileFieldSelector(fields, fieldReaders(kind), unsupportedWords(kind));
    return {
      everything: labels.isEmpty && fields.isEmpty,
      name: fields.requiredValue('metadata.name'),
      namespace: fields.requiredValue('metadata.namespace'),
      matches: matcher(labels, fields, matchesFields),
    };
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

function matcher(labels: Selector, fields: FieldSelector, matchesFields: (object: Stored) => boolean) {
  if (fields.isEmpty) return (object: Stored): boolean => labels.matches(object.metadata.labels);
  if (labels.isEmpty) return matchesFields;
  return (object: Stored): boolean => labels.matches(object.metadata.labels) && matchesFields(object);
}

const METADATA_FIELDS: readonly (readonly [string, FieldReader<Stored>])[] = [
  ['metadata.name', (object) => object.metadata.name],
  ['metadata.namespace', (object) => object.metadata.namespace ?? ''],
];

const readersOfKinds = new WeakMap<KindDefinition, FieldReaders<Stored>>();

function fieldReaders(kind: KindDefinition): FieldReaders<Stored> {
  let readers = readersOfKinds.get(kind);
  if (readers === undefined) {
    readers = new Map([...METADATA_FIELDS, ...Object.entries(kind.selectableFields)]);
    readersOfKinds.set(kind, readers);
  }
  return readers;
}

const unsupportedWords = (kind: KindDefinition): ((field: string) => string) =>
  kind.custom === undefined && (kind.kind === 'ReplicaSet' || Object.keys(kind.selectableFields).length === 0)
    ? unknownMetadataField
    : kind.custom === undefined
      ? (field) => fieldSelectorProblem(kind, field) ?? unsupportedField(field)
      : unsupportedField;

/** A field selector may name the namespace that the path left open. */
export const narrowedNamespace = (selection: Selection, requested: string): string =>
  requested === '' ? (selection.namespace ?? '') : requested;
