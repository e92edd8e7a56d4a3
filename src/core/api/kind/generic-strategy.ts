/**
 * How a kind behaves that asks for nothing special: metadata is checked, status belongs to the status subresource, and
 * every other change is a new generation. Strategies of particular kinds are made from it by spreading.
 */
import type { FieldError } from '../../kube/field-errors.ts';
import { deepEqual } from '../../kube/immutable.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { KindStrategy } from './kind-definition.ts';
import { type NameRule, validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';
import { nameIsDnsSubdomain } from '../../kube/names.ts';

export interface GenericStrategyOptions {
  readonly namespaced: boolean;
  /** The kind has a status subresource, and its status is written only there. */
  readonly hasStatus: boolean;
  /** Generations are counted. Kubernetes leaves them out for kinds that nothing observes (ConfigMap, Secret, Lease). */
  readonly hasGeneration?: boolean;
  readonly nameRule?: NameRule;
  /** The status of a new object, where it has one. Called when the first object is created. */
  readonly emptyStatus?: () => object | undefined;
}

/** Most kinds: a DNS subdomain; a generated name's prefix may end in a dash. */
export const nameIsSubdomain: NameRule = nameIsDnsSubdomain;

/** Kinds whose names only have to stand in a path (roles are called `system:node`). */
export const nameIsPathSegment: NameRule = (value, prefix) => {
  if (!prefix && (value === '.' || value === '..')) return [`may not be '${value}'`];
  return ['/', '%'].filter((illegal) => value.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
};

type Bag = { readonly [field: string]: unknown };

export function createGenericStrategy<T extends KubeObject = KubeObject>(
  options: GenericStrategyOptions,
): KindStrategy<T> {
  const { hasStatus, hasGeneration = true } = options;
  const metaRules = { namespaced: options.namespaced, name: options.nameRule ?? nameIsSubdomain };
  return {
    defaults: (object) => object,
    prepareForCreate(object) {
      if (!hasStatus) return object;
      const status = options.emptyStatus?.();
      return status === undefined ? withoutField(object, 'status') : withField(object, 'status', status);
    },
    prepareForUpdate(object, old, subresource) {
      if (subresource === 'status') return statusUpdate(object, old);
      return hasStatus ? withFieldOf(object, old, 'status') : object;
    },
    validate: (object) => validateObjectMeta(object.metadata, metaRules, 'metadata'),
    validateUpdate: (object, old): readonly FieldError[] =>
      validateObjectMetaUpdate(object.metadata, old.metadata, 'metadata'),
    generationChanged: (object, old) => hasGeneration && contentChanged(object, old),
    allowUnconditionalUpdate: true,
  };
}

/** The object without a field; the object itself if it has none. */
export function withoutField<T extends object>(object: T, field: string): T {
  if ((object as Bag)[field] === undefined) return object;
  const { [field]: _, ...rest } = object as Bag;
  return rest as T;
}

const withField = <T extends object>(object: T, field: string, value: unknown): T =>
  (object as Bag)[field] === value ? object : { ...object, [field]: value };

/** The object with one field as `other` has it. */
export function withFieldOf<T extends object>(object: T, other: T, field: string): T {
  const value = (other as Bag)[field];
  return value === undefined ? withoutField(object, field) : withField(object, field, value);
}

/**
 * A write to the status subresource: the stored object with the new status, and with the metadata that was sent, for
 * the store to check.
 */
export function statusUpdate<T extends KubeObject>(object: T, old: T): T {
  const result: { [field: string]: unknown } = { ...(old as unknown as Bag), metadata: object.metadata };
  const { status } = object as unknown as Bag;
  if (status === undefined) delete result['status'];
  else result['status'] = status;
  return result as unknown as T;
}

/**
 * Metadata of a status write that may not change metadata: labels, annotations, owners and finalizers stay; managed
 * fields are new.
 */
export function withOldMeta<T extends KubeObject>(object: T, old: T): T {
  const { labels: _, annotations: __, finalizers: ___, ownerReferences: ____, ...own } = object.metadata;
  const { labels, annotations, finalizers, ownerReferences } = old.metadata;
  const metadata = {
    ...own,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
  return { ...object, metadata };
}

/** True if something other than metadata and status differs. */
export function contentChanged(object: KubeObject, old: KubeObject): boolean {
  const a = object as unknown as Bag;
  const b = old as unknown as Bag;
  for (const key in a) {
    if (key !== 'metadata' && key !== 'status' && a[key] !== b[key] && !deepEqual(a[key], b[key])) return true;
  }
  for (const key in b) {
    if (key !== 'metadata' && key !== 'status' && a[key] === undefined && b[key] !== undefined) return true;
  }
  return false;
}
