/** Objects of JSON as maps: with properties a schema names, with values of one schema, or with anything. */
import type { Json, JsonObject } from '../../../kube/json.ts';
import { escapeName, unescapeName } from './escape.ts';
import { CelMap, NO_OVERLOAD, type Adapt, type CelValue, type Val } from './values.ts';

/** The adapters that a schema has for the members of an object; `nothing` for a schema that names none. */
export type MemberSchema =
  | { readonly kind: 'properties'; readonly adapters: ReadonlyMap<string, Adapt> }
  | { readonly kind: 'values'; readonly adapt: Adapt }
  | { readonly kind: 'nothing' };

export class SchemaMap extends CelMap {
  readonly value: JsonObject;
  readonly members: MemberSchema;
  #names: readonly string[] | undefined;

  constructor(value: JsonObject, members: MemberSchema) {
    super();
    this.value = value;
    this.members = members;
  }

  names(): readonly string[] {
    return (this.#names ??= Object.keys(this.value).filter((name) => this.value[name] !== undefined));
  }

  get size(): number {
    return this.names().length;
  }

  raw(name: string): Json | undefined {
    return Object.hasOwn(this.value, name) ? this.value[name] : undefined;
  }

  knows(name: string): boolean {
    const { members } = this;
    return members.kind === 'values' || (members.kind === 'properties' && members.adapters.has(name));
  }

  find(key: CelValue): Val | undefined {
    if (typeof key !== 'string') return NO_OVERLOAD;
    const { members } = this;
    if (members.kind === 'values') {
      const value = this.raw(key);
      return value === undefined ? undefined : members.adapt(value);
    }
    if (members.kind === 'nothing') return undefined;
    const name = unescapeName(key);
    if (name === undefined) return undefined;
    const value = this.raw(name);
    // A null property is like one that is not there.
    if (value === undefined || value === null) return undefined;
    return members.adapters.get(name)?.(value);
  }

  keys(): readonly CelValue[] {
    const names = this.names();
    if (this.members.kind === 'values') return names;
    return names.filter((name) => this.knows(name)).map((name) => escapeName(name) ?? name);
  }
}

/** JSON without a schema. */
export class JsonMap extends CelMap {
  readonly value: JsonObject;
  readonly adapt: Adapt;
  #names: readonly string[] | undefined;

  constructor(value: JsonObject, adapt: Adapt) {
    super();
    this.value = value;
    this.adapt = adapt;
  }

  get size(): number {
    return this.keys().length;
  }

  find(key: CelValue): Val | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.value, key)) return undefined;
    const value = this.value[key];
    return value === undefined ? undefined : this.adapt(value);
  }

  keys(): readonly string[] {
    return (this.#names ??= Object.keys(this.value).filter((name) => this.value[name] !== undefined));
  }
}
