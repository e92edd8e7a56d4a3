/** Which old item of a list a new item corresponds to: only lists of type map have such pairs. */
import { encodeGoJson, type Json } from '../../../kube/json.ts';
import { isBag } from './shape.ts';

interface ListSchema {
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

/** Finds the old item with the same keys; undefined where items cannot be told apart. */
export function correlatedItem(schema: ListSchema, old: unknown): ((item: unknown) => unknown) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0 || !Array.isArray(old)) return undefined;
  let byKey: Map<string, unknown> | undefined;
  return (item) => {
    if (!isBag(item)) return undefined;
    if (byKey === undefined) {
      byKey = new Map();
      for (const each of old as readonly unknown[]) if (isBag(each)) byKey.set(identityOf(each, keys), each);
    }
    return byKey.get(identityOf(item, keys));
  };
}

const identityOf = (item: { readonly [key: string]: unknown }, keys: readonly string[]): string =>
  encodeGoJson(keys.map((key) => (Object.hasOwn(item, key) ? ([item[key]] as Json) : null)));
