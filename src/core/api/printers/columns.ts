/**
 * Columns of tables: a column is one value, its heading together with the function that words its cells, so that a list
 * of columns reads like what kubectl prints and a new column is one entry.
 */
import type { PrinterColumn, TablePrinter } from '../kind/kind-definition.ts';
import type { LabelSelector, ObjectMeta } from '../../kube/meta-v1.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { age, imagesText, labelsText, namesText, selectorCell, type NamedImage } from './text.ts';

export type Cell = string | number | boolean | null;

/** `view` is what the printer worked out once for the whole row, where several cells need it. */
type CellOf<T, V> = (object: T, now: number, view: V) => Cell;

export interface Column<T, V = unknown> {
  /** Undefined for a cell that Kubernetes sends without a column. */
  readonly definition: PrinterColumn | undefined;
  readonly cell: CellOf<T, V>;
}

const maker =
  (type: PrinterColumn['type'], format = '') =>
  <T, V = unknown>(name: string, description: string, cell: CellOf<T, V>, priority = 0): Column<T, V> => ({
    definition: { name, type, format, description, priority },
    cell,
  });

export const text = maker('string');
export const int = maker('integer');
export const flag = maker('boolean');
export const date = maker('date');
/** Text that clients take for a name. */
export const nameText = maker('string', 'name');

/** Shown only with `-o wide`. */
export const wide = <T, V = unknown>(name: string, description: string, cell: CellOf<T, V>): Column<T, V> =>
  text(name, description, cell, 1);

/** A cell without a column. */
export const headless = <T, V = unknown>(cell: CellOf<T, V>): Column<T, V> => ({ definition: undefined, cell });

interface Named {
  readonly metadata: ObjectMeta;
}

/** The name of an object where it is shown with something more. */
export const named = <T, V = unknown>(cell: CellOf<T, V>, priority = 0): Column<T, V> =>
  nameText('Name', 'Name of the object, unique in its namespace', cell, priority);

export const nameOf = ({ metadata }: Named): string => metadata.name;

export const NAME: Column<Named> = named(nameOf);
export const AGE: Column<Named> = text('Age', 'Time since the object was created', age);
/** Custom resources have a date here where built-in kinds have text; the cell is an age all the same. */
export const DATE_AGE: Column<Named> = date('Age', 'Time since the object was created', age);

/** The two columns for the containers of a pod template. */
export const containers = <T>(of: (object: T) => readonly NamedImage[] | undefined): readonly Column<T>[] => [
  wide('Containers', 'Names of the containers in the pod template', (object) => namesText(of(object))),
  wide('Images', 'Images of the containers in the pod template', (object) => imagesText(of(object))),
];

const SELECTOR = ['Selector', 'Labels that select the pods'] as const;

export const selector = <T>(of: (object: T) => LabelSelector | undefined): Column<T> =>
  selectorWith((object) => selectorCell(of(object)));

/** For kinds whose selector is a map of labels. */
export const labelSelector = <T>(of: (object: T) => { readonly [key: string]: string } | undefined): Column<T> =>
  selectorWith((object) => labelsText(of(object)));

export const selectorWith = <T>(cell: CellOf<T, unknown>): Column<T> => wide(...SELECTOR, cell);

/** Cells are called in column order over one array; nothing but the row is allocated, since lists have very many. */
export function printer<T extends KubeObject, V = unknown>(
  columns: readonly Column<T, V>[],
  view?: (object: T) => V,
): TablePrinter<T> {
  const cells = columns.map(({ cell }) => cell);
  return {
    columns: columns.flatMap(({ definition }) => definition ?? []),
    row(object, now) {
      const seen = view?.(object) as V;
      const row: Cell[] = Array(cells.length);
      for (let i = 0; i < cells.length; i += 1) row[i] = (cells[i] as CellOf<T, V>)(object, now, seen);
      return row;
    },
  };
}
