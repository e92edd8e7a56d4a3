/**
 * Tables, as kubectl asks for them: the server words every cell, the client only lays them out. One printer a kind,
 * one file a family beside this one; registry/kinds.ts says which kind has which.
 */
import type { PrinterColumn, TablePrinter, TableRowCondition } from '../kind/kind-definition.ts';
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { Cell } from './columns.ts';

type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly includeObject: IncludeObject;
  /** Milliseconds since 1970, from which ages are counted. */
  readonly now: number;
  /** Version of meta.k8s.io the client asked for. */
  readonly version?: 'v1' | 'v1beta1';
  /** The metadata of a list; without it, the resourceVersion of the one object is taken. */
  readonly listMeta?: ListMeta;
  /** False for all but the first event of a watch: the client knows the columns by then. */
  readonly headers?: boolean;
}

export interface PartialObject {
  readonly kind: 'PartialObjectMetadata';
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

interface TableRow {
  readonly cells: readonly Cell[];
  readonly conditions?: readonly TableRowCondition[];
  readonly object: KubeObject | PartialObject | null;
}

export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly PrinterColumn[] | null;
  readonly rows: readonly TableRow[];
}

/** A table whose rows are made on demand, since there may be very many. */
export interface RowByRow {
  readonly head: Omit<Table, 'rows'>;
  readonly length: number;
  row(index: number): TableRow;
}

export function tableRowByRow<T extends KubeObject>(
  definition: { readonly printer: TablePrinter<T> },
  objects: readonly T[],
  options: TableOptions,
): RowByRow {
  const { printer } = definition;
  const apiVersion = `meta.k8s.io/${options.version ?? 'v1'}`;
  const ordered = printer.compare ? objects.toSorted((a, b) => printer.compare?.(a, b) ?? 0) : objects;
  return {
    head: {
      kind: 'Table',
      apiVersion,
      metadata: options.listMeta ?? metaOfOne(objects[0]),
      columnDefinitions: options.headers === false ? null : columnsOf(printer),
    },
    length: ordered.length,
    row(index) {
      const object = ordered[index] as T;
      const conditions = printer.conditions?.(object);
      return {
        cells: printer.row(object, options.now),
        ...(conditions === undefined ? {} : { conditions }),
        object: included(object, options.includeObject, apiVersion),
      };
    },
  };
}

export function buildTable<T extends KubeObject>(
  definition: { readonly printer: TablePrinter<T> },
  objects: readonly T[],
  options: TableOptions,
): Table {
  const { head, length, row } = tableRowByRow(definition, objects, options);
  return { ...head, rows: Array.from({ length }, (_, index) => row(index)) };
}

/** Only the metadata of an object, for clients that need no more. */
export const partialObject = (object: KubeObject, version: 'v1' | 'v1beta1' = 'v1'): PartialObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: `meta.k8s.io/${version}`,
  metadata: object.metadata,
});

function included(object: KubeObject, policy: IncludeObject, apiVersion: string): TableRow['object'] {
  if (policy === 'None') return null;
  if (policy === 'Object') return object;
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata };
}

function metaOfOne(object: KubeObject | undefined): ListMeta {
  const version = object?.metadata.resourceVersion;
  return version === undefined ? {} : { resourceVersion: version };
}

/** On the wire a column has a format even where it is empty. */
const withFormat = new WeakMap<readonly PrinterColumn[], readonly PrinterColumn[]>();

function columnsOf(printer: { readonly columns: readonly PrinterColumn[] }): readonly PrinterColumn[] {
  const known = withFormat.get(printer.columns);
  if (known) return known;
  const columns = printer.columns.map(({ name, type, format = '', description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
  withFormat.set(printer.columns, columns);
  return columns;
}
