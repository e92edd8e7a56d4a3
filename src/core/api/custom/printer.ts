/** Tables of custom resources: the name, and the columns their definition asks for (or the age). */
import { encodeGoJson, type Json } from '../../kube/json.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { PrinterColumn, TablePrinter } from '../kind/kind-definition.ts';
import { NAME, printer, type Cell, type Column } from '../printers/columns.ts';
import { customResourcePrinter } from '../printers/default.ts';
import { since } from '../printers/text.ts';
import type { CustomResourceColumnDefinition } from '../types/apiextensions-v1.ts';
import { compileJsonPath, type JsonPath } from './json-path.ts';

export function createCustomPrinter(columns: readonly CustomResourceColumnDefinition[] | undefined): TablePrinter {
  if (columns === undefined || columns.length === 0) return customResourcePrinter;
  const shown: Column<KubeObject>[] = [NAME];
  for (const definition of columns) {
    const read = readerOf(definition.jsonPath);
    // Kubernetes shows the columns before the first one it cannot read.
    if (read === undefined) break;
    shown.push(columnOf(definition, read));
  }
  return printer(shown);
}

function readerOf(path: string): JsonPath | undefined {
  try {
    return compileJsonPath(path);
  } catch {
    return undefined;
  }
}

function columnOf(definition: CustomResourceColumnDefinition, read: JsonPath): Column<KubeObject> {
  const { name, format, priority, jsonPath } = definition;
  const type = definition.type as PrinterColumn['type'];
  const description = definition.description || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return {
    definition: { name, type, format: format ?? '', description, priority: priority ?? 0 },
    cell: (object, now) => cellOf(type, read(object), now),
  };
}

function cellOf(type: PrinterColumn['type'], results: readonly unknown[], now: number): Cell {
  const [value] = results;
  if (type === 'string') return results.length === 0 ? null : textOf(value);
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? Number(value) : null;
    case 'number':
      return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateText(value, now) : null;
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  return typeof value === 'string' ? value : encodeGoJson(value as Json, { sortKeys: true });
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

function dateText(value: string, now: number): string {
  if (value === '') return '<unknown>';
  return RFC3339.test(value) && Number.isFinite(Date.parse(value)) ? since(value, now) : '<invalid>';
}
