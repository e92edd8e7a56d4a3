import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import type { FlowSchema } from '../types/flowcontrol-v1.ts';
import type { Pod } from '../types/core-v1.ts';
import { createRegistry } from '../registry/registry.ts';
import { createdAtPrinter, customResourcePrinter } from './default.ts';
import { flowSchemaPrinter } from './flowcontrol.ts';
import { podPrinter, podStatusText } from './pods.ts';
import { buildTable, partialObject } from './table.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const object = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, resourceVersion: '12', creationTimestamp: '2026-01-01T23:00:00Z' },
});
const things = { printer: customResourcePrinter };

describe('a table', () => {
  it('has columns with a format even where it is empty, and a row an object', () => {
    const table = buildTable(things, [object('a'), object('b')], { includeObject: 'None', now: NOW });
    expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(table.columnDefinitions?.map(({ name, format }) => [name, format])).toEqual([
      ['Name', 'name'],
      ['Age', ''],
    ]);
    expect(table.rows).toEqual([
      { cells: ['a', '60m'], object: null },
      { cells: ['b', '60m'], object: null },
    ]);
  });

  it('carries metadata only, the whole object, or neither', () => {
    const one = object('a');
    const row = (includeObject: 'None' | 'Metadata' | 'Object') =>
      buildTable(things, [one], { includeObject, now: NOW }).rows[0]?.object;
    expect(row('None')).toBeNull();
    expect(row('Object')).toBe(one);
    expect(row('Metadata')).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: one.metadata,
    });
    expect(row('Metadata')).toEqual(partialObject(one));
  });

  it('speaks the version that was asked for', () => {
    const table = buildTable(things, [object('a')], { includeObject: 'Metadata', now: NOW, version: 'v1beta1' });
    expect(table.apiVersion).toBe('meta.k8s.io/v1beta1');
    expect(table.rows[0]?.object).toMatchObject({ apiVersion: 'meta.k8s.io/v1beta1' });
  });

  it('takes metadata of the list, or else of the one object', () => {
    const options = { includeObject: 'None', now: NOW } as const;
    const listMeta = { resourceVersion: '99', continue: 'next', remainingItemCount: 3 };
    expect(buildTable(things, [object('a')], { ...options, listMeta }).metadata).toEqual(listMeta);
    expect(buildTable(things, [object('a')], options).metadata).toEqual({ resourceVersion: '12' });
    expect(buildTable(things, [], options)).toMatchObject({ metadata: {}, rows: [] });
  });

  it('leaves headers out once a watch has sent them', () => {
    const table = buildTable(things, [object('a')], { includeObject: 'None', now: NOW, headers: false });
    expect(table.columnDefinitions).toBeNull();
  });

  it('marks pods that are done, so that clients may hide them', () => {
    const pod = (phase: string): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: phase },
      spec: { containers: [] },
      status: { phase },
    });
    const phases = ['Running', 'Succeeded', 'Failed'].map(pod);
    const { rows } = buildTable({ printer: podPrinter }, phases, { includeObject: 'None', now: NOW });
    expect(rows.map((row) => row.conditions?.map(({ type, reason }) => `${type}:${reason}`))).toEqual([
      undefined,
      ['Completed:Succeeded'],
      ['Completed:Failed'],
    ]);
    expect(phases.map(podStatusText)).toEqual(['Running', 'Succeeded', 'Failed']);
  });

  it('lists flow schemas in the order they are matched', () => {
    const schema = (name: string, matchingPrecedence: number): FlowSchema => ({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name },
      spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence },
      status: {},
    });
    const list = [schema('b', 9), schema('a', 9), schema('z', 1)];
    const { rows } = buildTable({ printer: flowSchemaPrinter }, list, { includeObject: 'None', now: NOW });
    expect(rows.map(({ cells }) => cells[0])).toEqual(['z', 'a', 'b']);
    expect(list[0]?.metadata.name).toBe('b');
  });

  it('prints the moment of creation for kinds without an age', () => {
    expect(createdAtPrinter.row(object('a'), NOW)).toEqual(['a', '2026-01-01T23:00:00Z']);
    expect(createdAtPrinter.columns[1]).toMatchObject({ name: 'Created At', type: 'date' });
  });

  it('shows an unknown age where there is no moment of creation', () => {
    const { metadata, ...rest } = object('a');
    const { creationTimestamp: _, ...ageless } = metadata;
    expect(customResourcePrinter.row({ ...rest, metadata: ageless }, NOW)).toEqual(['a', '<unknown>']);
  });
});

describe('printers of all kinds', () => {
  const definitions = createRegistry().all();

  it.each(definitions.map((definition) => [`${definition.group}/${definition.kind}`, definition] as const))(
    '%s prints a bare object without stumbling',
    (_, definition) => {
      const bare = { apiVersion: definition.version, kind: definition.kind, metadata: { name: 'x' } };
      const cells = definition.printer.row(bare, NOW);
      expect(cells.length).toBeGreaterThanOrEqual(definition.printer.columns.length);
      for (const cell of cells) expect(cell).not.toBeUndefined();
    },
  );
});
