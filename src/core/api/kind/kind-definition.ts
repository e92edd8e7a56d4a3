/**
 * The room of kinds. `facts/` holds what Kubernetes publishes about its types and resources, in a compact notation;
 * everything else follows from it: `types/` (TypeScript, generated), `schema/` (decoding, protobuf, patches), `registry/`
 * (which kinds there are). What is particular about a kind, its defaults and validation, stands in `kinds/`, and how
 * kubectl shows it in `printers/`; both are plugged in by the tables of registry/kinds.ts.
 *
 * This file: what the API server must know of a kind. One definition a resource, gathered in the registry.
 */
import type { FieldError } from '../../kube/field-errors.ts';
import type { KubeObject, Resource } from '../../kube/objects.ts';
import type { Checked } from '../schema/check.ts';
import type { ObjectNode } from '../schema/lists.ts';
import type { SubresourceDefinition } from '../schema/parse-resources.ts';
import type { JSONSchemaProps, WebhookConversion } from '../types/apiextensions-v1.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, anything greater only with `-o wide`. */
  readonly priority: number;
}

/** A condition of a whole row for the client, such as that the object is done. */
export interface TableRowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface TablePrinter<T extends KubeObject = KubeObject> {
  readonly columns: readonly PrinterColumn[];
  /** Cells for one object in column order. `now` turns times into ages. */
  row(object: T, now: number): readonly (string | number | boolean | null)[];
  conditions?(object: T): readonly TableRowCondition[] | undefined;
  /** The order of rows, where it is not the order of the list. */
  compare?(a: T, b: T): number;
}

/** Where a kind's objects are kept. One stored object may be read and written in several versions or groups. */
export interface StorageIdentity {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
}

/**
 * Conversion between this form of a kind and the stored one. Both ways are pure and remembered per object where that is
 * cheap.
 */
export interface KindConversion {
  toStorage(object: KubeObject): KubeObject;
  fromStorage(object: KubeObject): KubeObject;
  /** Set where objects written in this form are validated by other rules than the stored form's. */
  validate?(stored: KubeObject): readonly FieldError[];
  validateUpdate?(stored: KubeObject, old: KubeObject): readonly FieldError[];
  /** Only names differ: objects that have the same fields in one form have the same in the other. */
  readonly renamesOnly?: true;
}

/**
 * Parts of a kind made from a user's schema (a custom resource). Each part takes the place of a look-up by the name of
 * the schema, which built-in kinds have in the facts.
 */
export interface CustomForm {
  /** In place of `checkObject`: prunes and reports what the schema does not know. */
  check(value: unknown): Checked;
  /** In place of `schemaNode`: how apply merges. */
  readonly node: ObjectNode;
  /**
   * In place of the strategy's defaults for applied objects: members that became null stay null, and validation sees
   * them.
   */
  defaultsOfApplied(object: KubeObject): KubeObject;
  /** For OpenAPI documents. */
  readonly document: JSONSchemaProps | undefined;
  /** Where replicas stand, for the scale subresource. */
  readonly scale?: {
    readonly specReplicas: readonly string[];
    readonly statusReplicas: readonly string[];
    readonly labelSelector?: readonly string[];
  };
  /** A stored object, pruned and defaulted by the current schema of the version it is stored in. */
  readStored(object: KubeObject): KubeObject;
  /** An object that was read and converted into this form, pruned by this form's schema. */
  converted(object: KubeObject): KubeObject;
  /**
   * `readStored` and `converted` in one step where no webhook converts: a stored object, of any version, in this form.
   */
  fromStored(object: KubeObject): KubeObject;
  /** An object of this form in its stored form; a webhook, where there is one, has converted the object before. */
  toStored(object: KubeObject): KubeObject;
  readonly conversion: 'None' | 'Webhook';
  /** The conversion webhook; only for `Webhook`. */
  readonly webhook?: WebhookConversion;
}

export interface KindDefinition<T extends KubeObject = KubeObject> extends Resource<T> {
  readonly listKind: string;
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly SubresourceDefinition[];
  /** Name of the schema, `core/v1.Pod`. */
  readonly schema: string;
  /** Metadata counts generations: 1 when created, one more whenever `strategy.generationChanged`. */
  readonly hasGeneration: boolean;
  /** The warning every request for this kind is answered with. */
  readonly deprecated?: string;
  readonly storage: StorageIdentity;
  /** Absent where the stored form is this one. */
  readonly conversion?: KindConversion;
  /** Fields a field selector may name beside metadata.name and metadata.namespace, and how to read them. */
  readonly selectableFields: { readonly [path: string]: (object: T) => string };
  readonly printer: TablePrinter<T>;
  readonly strategy: KindStrategy<T>;
  /** Set for custom resources. */
  readonly custom?: CustomForm;
  /**
   * Set where another version stands for this kind wherever each kind counts once (garbage collection, namespace
   * deletion).
   */
  readonly secondary?: true;
}

/** What `scale` must know of a kind, where that does not follow from `spec.replicas`, `spec.selector` and `status.replicas`. */
interface ScaleRules<T extends KubeObject = KubeObject> {
  /** The reason why this object cannot be scaled; undefined if it can. */
  refusal(object: T): string | undefined;
  /** Selector of the counted objects, in its text form; empty if there is none. */
  selector(object: T): string;
}

/**
 * How a kind behaves when it is written. Every function is pure and returns its argument itself when there is
 * nothing to change, so unchanged parts stay shared.
 */
export interface KindStrategy<T extends KubeObject = KubeObject> {
  /** Fills what the client left out. Runs on every decoded object, also those read by PUT and PATCH. */
  defaults(object: T): T;
  /** Clears what a client may not set on create (status). */
  prepareForCreate(object: T): T;
  /** Carries over what a client may not change through this resource or subresource ('' is the resource itself). */
  prepareForUpdate(object: T, old: T, subresource: string): T;
  /** Sets timestamps of changes, where the kind keeps them and the client did not set them. */
  stamp?(object: T, old: T, now: string): T;
  /** Adds the members that Go's own form of the kind writes out always; the writer of the object owns them too. */
  converted?(object: T): T;
  validate(object: T): readonly FieldError[];
  validateUpdate(object: T, old: T, subresource: string): readonly FieldError[];
  /**
   * Warnings for the client; they change nothing. `old` is the object before an update, whose warnings were given
   * before.
   */
  warnings?(object: T, old?: T): readonly string[];
  /**
   * Validation ratcheting: violations that `validateUpdate` let pass because they existed before. Returned as warnings,
   * right after `validateUpdate`, even if the update fails later.
   */
  ratcheted?(object: T): readonly string[] | undefined;
  /** True where a change counts as a new generation. */
  generationChanged(object: T, old: T): boolean;
  /**
   * Set for kinds with graceful deletion: the grace period in seconds for a delete request that asked for `requested`.
   */
  gracePeriod?(object: T, requested: number | undefined): number;
  /**
   * Marks an object whose deletion begins, possibly with a finalizer that keeps it until its controller has cleaned up.
   */
  beginDeletion?(object: T, now: string): T;
  /** Deletion sets only the deletion timestamp: no grace period, no new generation, and no finalizer for dependents. */
  readonly marksDeletionOnly?: boolean;
  /** PUT may create the object. */
  readonly allowCreateOnUpdate?: boolean;
  /** Applying a status may create the object, as Kubernetes does for one kind. */
  readonly appliedStatusCreates?: boolean;
  /** PUT without resourceVersion overwrites. */
  readonly allowUnconditionalUpdate: boolean;
  readonly scale?: ScaleRules<T>;
}
