/**
 * The state of one pass of the checker. There is one pass at a time (checking is synchronous), so its state stands in
 * this module and costs the hot path no argument and no allocation.
 */
import type { FieldSchema } from './type-schema.ts';

/** Deeper values are refused; typed values nest this deep only in schemas that contain themselves. */
const MAX_DEPTH = 256;
/** Unknown fields beyond this number are not collected, as in Kubernetes. */
const MAX_UNKNOWN = 100;

export const pass = {
  /** The path of the current value: a field of a struct, an index of a list, or a key of a map. Valid up to `depth`. */
  path: [] as (FieldSchema | number | string)[],
  depth: 0,
  /** The first type error. */
  typeError: undefined as string | undefined,
  /** The first error of a type with its own UnmarshalJSON; Go stops there, so it goes before a type error. */
  fatalError: undefined as string | undefined,
  unknownFields: undefined as string[] | undefined,
  /** Nesting of types with their own UnmarshalJSON, inside of which Go reports no unknown fields. */
  readThemselves: 0,
  /** Grows with every complaint, so that a caller can tell whether a subtree is clean. */
  complaints: 0,
  /** The value is immutable: subtrees seen before are not walked again. */
  remember: false,
};

export function beginPass(remember: boolean): void {
  pass.depth = 0;
  pass.typeError = undefined;
  pass.fatalError = undefined;
  pass.unknownFields = undefined;
  pass.readThemselves = 0;
  pass.complaints = 0;
  pass.remember = remember;
}

/** Steps into a value at the current path; false if it nests too deep. */
export function enter(): boolean {
  if (pass.depth < MAX_DEPTH) {
    pass.depth++;
    return true;
  }
  refuse('exceeded max depth');
  return false;
}

/** A value of the wrong type. `word` is Go's name for it: `string`, `number 1.5`, `object`. */
export function mistyped(word: string, goType: string): undefined {
  pass.complaints++;
  pass.typeError ??= `json: cannot unmarshal ${word} into ${place()} of type ${goType}`;
  return undefined;
}

/** A value of the wrong type for a type with its own UnmarshalJSON. */
export function fatallyMistyped(word: string, goType: string): undefined {
  return refuse(`json: cannot unmarshal ${word} into ${place()} of type ${goType}`);
}

export function refuse(message: string): undefined {
  pass.complaints++;
  pass.fatalError ??= message;
  return undefined;
}

/** An error that does not end Go's decoding. */
export function note(message: string): undefined {
  pass.complaints++;
  pass.typeError ??= message;
  return undefined;
}

export function unknownField(key: string): void {
  if (pass.readThemselves > 0) return;
  pass.complaints++;
  pass.unknownFields ??= [];
  if (pass.unknownFields.length >= MAX_UNKNOWN) return;
  const at = strictPath();
  pass.unknownFields.push(at === '' ? key : `${at}.${key}`);
}

/** Go's name for the JSON type of a value. */
export function wordFor(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'bool';
    case 'object':
      return Array.isArray(value) ? 'array' : value === null ? 'null' : 'object';
    case 'function':
    case 'symbol':
    case 'undefined':
      return typeof value;
  }
}

/** `Go struct field PodSpec.spec.containers`: names of fields only, with those of embedded structs. */
function place(): string {
  let owner = '';
  const names: string[] = [];
  for (let i = 0; i < pass.depth; i++) {
    const step = pass.path[i];
    if (typeof step !== 'object') continue;
    owner = step.owner;
    names.push(...step.through, step.name);
  }
  return names.length === 0 ? 'Go value' : `Go struct field ${owner}.${names.join('.')}`;
}

/** `spec.containers[0]`: the path that strict errors name. */
function strictPath(): string {
  let text = '';
  for (let i = 0; i < pass.depth; i++) {
    const step = pass.path[i];
    if (typeof step === 'number') text += `[${step}]`;
    else {
      const name = typeof step === 'object' ? step.name : (step ?? '');
      text += text === '' ? name : `.${name}`;
    }
  }
  return text;
}
