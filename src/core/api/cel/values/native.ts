/** JSON that no schema describes, as values: whole numbers are ints, others doubles. */
import type { Json, JsonObject } from '../../../kube/json.ts';
import { JsonMap } from './schema-map.ts';
import { CelList, type CelValue, type Val } from './values.ts';

/** A list of such JSON. Unlike lists with a schema it is an ordinary list: it compares and adds as any other. */
export class NativeList extends CelList {
  readonly elements: readonly Json[];
  constructor(elements: readonly Json[]) {
    super();
    this.elements = elements;
  }
  get size(): number {
    return this.elements.length;
  }
  at(index: number): Val {
    return nativeValue(this.elements[index] ?? null);
  }
}

export function nativeValue(json: Json): CelValue {
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (typeof json !== 'object' || json === null) return json;
  return Array.isArray(json) ? new NativeList(json as readonly Json[]) : new JsonMap(json as JsonObject, nativeValue);
}
