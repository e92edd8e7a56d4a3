/**
 * A document into a component: types, names and shapes, by the schema. It reads on after a mistake, so that all are told at
 * once; what could not be read is left out or, where the type demands it, stands in as a placeholder.
 */
import { API_VERSIONS, CANONICAL_API_VERSION, COMPONENT_KIND } from '../../api/component/generations.ts';
import {
  type Field,
  type ListSchema,
  type MapSchema,
  type ObjectSchema,
  type Schema,
} from '../../api/component/language.ts';
import { manifest } from '../../api/component/spec.ts';
import { formatRule } from '../../api/component/text-formats.ts';
import type { Component } from '../../api/component/types.ts';
import { setOwn } from '../../kube/immutable.ts';
import type { Problem } from '../problem.ts';
import { namedMap, normalForm, singleFile } from './forms.ts';
import { describeKind, describeNode, describeSchema, type Fault, hushed, readScalar } from './scalars.ts';
import { holdsSecrets, isBesideSecret } from './secret-places.ts';
import type { Entry, MapNode, SourceNode } from '../../kube/yaml/source-node.ts';
import type { SourceDocument } from '../source.ts';
import { placeholder } from './placeholder.ts';
import { spellings } from './spellings.ts';
import { nearest } from '../../kube/nearest-word.ts';
import { suggestField } from './suggest.ts';
import { childTrace, IMPLIED, locate, located, type PathStep, rootTrace, type Trace } from '../trace.ts';

export interface ReadComponent {
  /** In the canonical form. Where there are problems it holds placeholders: good for finding more of them, and nothing else. */
  readonly component: Component;
  readonly problems: readonly Problem[];
  readonly document: SourceDocument;
  readonly trace: Trace;
}

export function readComponent(document: SourceDocument): ReadComponent {
  const trace = rootTrace(document.root.at);
  const reader = new Reader(document);
  const value = reader.read(manifest, document.root, trace) as Component | undefined;
  const component = value ?? (placeholder(manifest) as Component);
  if (value !== undefined) reader.checkApiVersion(component.apiVersion, trace);
  return {
    component: { ...component, apiVersion: CANONICAL_API_VERSION },
    problems: reader.problems,
    document,
    trace,
  };
}

/** A problem at a path of the component, told in the author's words. */
export function problemAt(
  read: Pick<ReadComponent, 'document' | 'trace'>,
  path: readonly PathStep[],
  fault: Fault,
): Problem {
  return { ...fault, ...locate(read.document, read.trace, path) };
}

/**
 * Upper bound on suggestions: the search takes time, and an author with more mistakes than this has no use for them.
 */
const MOST_SUGGESTIONS = 200;

/** Something that was written, but could not be read. */
const FAILED = Symbol('failed');

class Reader {
  readonly problems: Problem[] = [];
  readonly document: SourceDocument;
  /** Inside of something that has a secret in it. */
  #isHushed = false;

  constructor(document: SourceDocument) {
    this.document = document;
  }

  fail(trace: Trace, fault: Fault): typeof FAILED {
    this.problems.push({ ...fault, ...located(this.document, trace) });
    return FAILED;
  }

  read(schema: Schema, node: SourceNode, trace: Trace): unknown {
    const value = this.readValue(schema, node, trace);
    return value === FAILED ? undefined : value;
  }

  private readValue(schema: Schema, node: SourceNode, trace: Trace): unknown {
    switch (schema.kind) {
      case 'object': {
        const before = this.#isHushed;
        this.#isHushed ||= isBesideSecret(schema);
        const value = this.readObject(schema, normalForm(schema, node), trace);
        this.#isHushed = before;
        return value;
      }
      case 'list':
        return this.readList(schema, node, trace);
      case 'map':
        return this.readMap(schema, node, trace);
      case 'any':
        return undefined;
      case 'text':
      case 'secret':
      case 'integer':
      case 'boolean':
      case 'bound':
      case 'quantity': {
        const reading = readScalar(schema, node);
        if (!('fault' in reading)) return reading.value;
        return this.fail(trace, this.#isHushed ? hushed(schema, node, reading.fault) : reading.fault);
      }
    }
  }

  private wrongType(schema: Schema, node: SourceNode, trace: Trace): typeof FAILED {
    const expected = describeSchema(schema);
    return this.fail(trace, {
      code: 'EN_COMPONENT_TYPE',
      // A value in the place of secrets may be a secret.
      message: `expected ${expected}, found ${this.#isHushed || holdsSecrets(schema) ? describeKind(node) : describeNode(node)}`,
      expected,
    });
  }

  private readObject(schema: ObjectSchema, node: SourceNode, trace: Trace): unknown {
    if (node.kind !== 'map') return this.wrongType(schema, node, trace);
    const given = this.fieldsGiven(schema, node, trace);
    const value: { [name: string]: unknown } = {};
    const empty = new Set<string>();
    // The order of the schema, not of the author: equal manifests give equal bytes.
    for (const name in schema.fields) {
      const field = schema.fields[name];
      if (field === undefined) continue;
      const found = given.get(name);
      const result = found === undefined ? undefined : this.readField(name, field, found, trace);
      if (found !== undefined && result === undefined) empty.add(name);
      if (result !== undefined && result !== FAILED) value[name] = result;
      // Later rules ask whether a name is there; one that is badly spelt is.
      else if (result === FAILED && field.schema.kind === 'text' && field.schema.format !== undefined) {
        value[name] = placeholder(field.schema);
      } else if (field.isRequired) {
        if (result === undefined) this.missing(name, field, found, trace);
        value[name] = placeholder(field.schema);
      }
    }
    this.checkAlternatives(schema, given, empty, trace);
    return value;
  }

  private readField(name: string, { schema }: Field, { key, keyAt, value, isImplied }: Entry, trace: Trace): unknown {
    const at = value.at === -1 || (value.kind !== 'scalar' && keyAt !== -1) ? keyAt : value.at;
    return this.readValue(schema, value, childTrace(trace, name, isImplied === true ? IMPLIED : key, at));
  }

  private missing(name: string, { schema }: Field, found: Entry | undefined, trace: Trace): void {
    const place = found === undefined ? childTrace(trace, name, name, trace.at) : (trace.children?.get(name) ?? trace);
    const what = found === undefined ? 'is missing' : 'is empty';
    const expected = describeSchema(schema);
    this.fail(place, { code: 'EN_COMPONENT_REQUIRED', message: `${what}; expected ${expected}`, expected });
  }

  /** Fields by their canonical names; unknown and doubled ones are told. Null is absence. */
  private fieldsGiven(schema: ObjectSchema, node: MapNode, trace: Trace): ReadonlyMap<string, Entry> {
    const names = spellings(schema);
    const given = new Map<string, Entry>();
    for (const entry of node.entries) {
      const name = names.get(entry.key);
      if (name === undefined) {
        if (schema.ignored?.has(entry.key) !== true) this.unknownField(schema, entry, trace);
        continue;
      }
      const other = given.get(name);
      if (other !== undefined) {
        this.fail(childTrace(trace, entry.key, entry.key, entry.keyAt), {
          code: 'EN_COMPONENT_FIELD_TWICE',
          message: `is the same field as ${other.key}; give one of the two`,
        });
      } else if (entry.value.kind !== 'scalar' || entry.value.value !== null) given.set(name, entry);
    }
    return given;
  }

  private unknownField(schema: ObjectSchema, { key, keyAt }: Entry, trace: Trace): void {
    const suggestion = this.problems.length < MOST_SUGGESTIONS ? suggestField(schema, key) : undefined;
    this.fail(childTrace(trace, key, key, keyAt), {
      code: 'EN_COMPONENT_UNKNOWN_FIELD',
      message: 'there is no such field',
      expected: `one of ${Object.keys(schema.fields).join(', ')}`,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }

  private checkAlternatives(
    { alternatives, isAlternativeRequired }: ObjectSchema,
    given: ReadonlyMap<string, Entry>,
    empty: ReadonlySet<string>,
    trace: Trace,
  ): void {
    if (alternatives === undefined) return;
    const found = alternatives.filter((name) => given.has(name));
    const expected = `one of ${alternatives.join(', ')}`;
    const at = (name: string | undefined): Trace => trace.children?.get(name ?? '') ?? trace;
    if (found.length > 1) {
      this.problems.push({
        code: 'EN_COMPONENT_ALTERNATIVES',
        message: `${found.map((name) => given.get(name)?.key ?? name).join(' and ')} exclude each other`,
        expected,
        path: located(this.document, trace).path,
        place: located(this.document, at(found[1])).place,
      });
    } else if (isAlternativeRequired !== true) return;
    else if (found.length === 0) {
      this.fail(trace, { code: 'EN_COMPONENT_ALTERNATIVES', message: `is incomplete; expected ${expected}`, expected });
    } else if (empty.has(found[0] ?? '')) {
      this.fail(at(found[0]), { code: 'EN_COMPONENT_REQUIRED', message: `is empty; expected ${expected}`, expected });
    }
  }

  private readList(schema: ListSchema, written: SourceNode, trace: Trace): unknown {
    const names = schema.form === 'named-map' && written.kind === 'map' ? written : undefined;
    const node = names === undefined ? written : namedMap(names);
    if (node.kind !== 'list') return this.wrongType(schema, node, trace);
    const values: unknown[] = [];
    for (const [index, item] of node.items.entries()) {
      const step = names === undefined ? index : nameOfItem(item, index, isBesideSecret(schema.items));
      const value = this.readValue(schema.items, item, childTrace(trace, values.length, step, item.at));
      if (value === FAILED) values.push(placeholder(schema.items));
      else if (value !== undefined) values.push(value);
      else {
        const code = 'EN_COMPONENT_REQUIRED';
        this.fail(trace.children?.get(values.length) ?? trace, { code, message: 'is empty' });
        values.push(placeholder(schema.items));
      }
    }
    if (values.length < schema.minItems) {
      const message = `is empty; expected at least ${schema.minItems} ${schema.minItems === 1 ? 'entry' : 'entries'}`;
      return this.fail(trace, { code: 'EN_COMPONENT_REQUIRED', message });
    }
    if (schema.key !== undefined) this.checkKeys(schema.key, values, trace, isBesideSecret(schema.items));
    return values;
  }

  private checkKeys(key: string, values: readonly unknown[], trace: Trace, isHushed: boolean): void {
    const seen = new Set<unknown>();
    for (const [index, item] of values.entries()) {
      const value = (item as { readonly [name: string]: unknown })[key];
      const own = trace.children?.get(index) ?? trace;
      if (seen.has(value) && value !== placeholder({ kind: 'text' })) {
        const message = `${isHushed ? 'the same' : JSON.stringify(value)} stands here twice`;
        this.fail(own.children?.get(key) ?? own, { code: 'EN_COMPONENT_DUPLICATE', message });
      }
      seen.add(value);
    }
  }

  private readMap(schema: MapSchema, written: SourceNode, trace: Trace): unknown {
    const node = schema.form === 'files' ? singleFile(written, String(trace.step)) : written;
    if (node.kind !== 'map') return this.wrongType(schema, node, trace);
    const value: { [key: string]: unknown } = {};
    const sorted = node.entries.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    for (const { key, keyAt, value: member, isImplied } of sorted) {
      const own = childTrace(trace, key, isImplied === true ? IMPLIED : key, keyAt === -1 ? member.at : keyAt);
      if (schema.keys !== undefined && !formatRule(schema.keys).isFine(key)) {
        const { expected } = formatRule(schema.keys);
        this.fail(own, {
          code: 'EN_COMPONENT_VALUE',
          message: `the name ${JSON.stringify(key)} is not ${expected}`,
          expected,
        });
        continue;
      }
      const result = this.readValue(schema.values, member, own);
      if (result !== undefined && result !== FAILED) setOwn(value, key, result);
    }
    if (node.entries.length < schema.minItems) {
      return this.fail(trace, { code: 'EN_COMPONENT_REQUIRED', message: 'is empty; expected at least one entry' });
    }
    return value;
  }

  checkApiVersion(apiVersion: string, trace: Trace): void {
    if (apiVersion === placeholder({ kind: 'text' }) || API_VERSIONS.includes(apiVersion)) return;
    const expected = `one of ${API_VERSIONS.join(', ')}`;
    const near = nearest(apiVersion, API_VERSIONS);
    this.fail(trace.children?.get('apiVersion') ?? trace, {
      code: 'EN_COMPONENT_API_VERSION',
      message: `${JSON.stringify(apiVersion)} is no version of ${COMPONENT_KIND}; expected ${expected}`,
      expected,
      ...(near === undefined ? {} : { suggestion: `did you mean ${near}?` }),
    });
  }
}

/** A name in a wrong format may be `NAME=secret`, and stays out of paths. */
function nameOfItem(item: SourceNode, index: number, isHushed: boolean): PathStep {
  const name = item.kind === 'map' ? item.entries.find(({ key }) => key === 'name')?.value : undefined;
  if (name?.kind !== 'scalar') return index;
  const text = String(name.value);
  return isHushed && !formatRule('env-name').isFine(text) ? index : text;
}
