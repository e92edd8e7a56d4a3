/** Tables that Kubernetes' own printers made of these objects at one moment; ours have the same columns and cells. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import type { KindDefinition } from '../kind/kind-definition.ts';
import { createRegistry } from '../registry/registry.ts';
import { checkObject } from '../schema/check.ts';
import { scalePrinter } from './autoscaling.ts';

type Column = readonly [name: string, type: string, format: string, priority: number];

/**
 * Columns that we show beyond upstream's, by kind (`apps/v1 DaemonSet`). They stand after upstream's own. Each has a row in
 * docs/differences.md, and a test beside its printer.
 */
const OWN_COLUMNS: { readonly [kind: string]: readonly Column[] } = {};
const ownColumns = (kind: string): readonly Column[] => OWN_COLUMNS[kind] ?? [];

const [first = '', ...lines] = readFileSync(new URL('testdata/upstream-tables.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const { now, columns } = JSON.parse(first) as { now: number; columns: { readonly [kind: string]: readonly Column[] } };
const rows = lines.map((line) => JSON.parse(line) as [object: KubeObject, cells: unknown[]]);
const registry = createRegistry();

function definitionOf(apiVersion: string, kind: string): Pick<KindDefinition, 'printer' | 'strategy' | 'schema'> {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const definition = registry.byKind(group, version, kind);
  if (definition) return definition;
  const { strategy } = registry.byKind('', 'v1', 'ConfigMap') as KindDefinition;
  return { printer: scalePrinter, strategy, schema: 'autoscaling/v1.Scale' };
}

describe('columns as upstream', () => {
  it.each(Object.entries(columns))('%s', (key, expected) => {
    const [apiVersion = '', kind = ''] = key.split(' ');
    const { printer } = definitionOf(apiVersion, kind);
    expect(printer.columns.map((c) => [c.name, c.type, c.format ?? '', c.priority])).toEqual([
      ...expected,
      ...ownColumns(key),
    ]);
    for (const column of printer.columns) expect(column.description).not.toBe('');
  });
});

describe('cells as upstream', () => {
  it.each(rows.map(([object, cells]) => [`${object.kind} ${object.metadata.name}`, object, cells] as const))(
    '%s',
    (_, object, cells) => {
      const { printer, strategy, schema } = definitionOf(object.apiVersion, object.kind);
      const decoded = checkObject(schema, object);
      expect(decoded.error).toBeUndefined();
      const row = printer.row(strategy.defaults(decoded.object as KubeObject), now);
      const own = ownColumns(`${object.apiVersion} ${object.kind}`).length;
      expect(row.slice(0, row.length - own)).toEqual(cells);
    },
  );
});
