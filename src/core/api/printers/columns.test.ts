import { expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import { AGE, headless, int, NAME, printer, wide } from './columns.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', creationTimestamp: '2026-01-01T23:00:00Z' },
};

it('takes headings and cells from the same columns, in the same order', () => {
  const { columns, row } = printer<KubeObject>([
    AGE,
    NAME,
    wide('Kind', 'Kind of the object', ({ kind }) => kind),
    int('Length', 'Characters of the name', ({ metadata }) => metadata.name.length, 1),
  ]);
  expect(columns.map(({ name, type, format, priority }) => [name, type, format, priority])).toEqual([
    ['Age', 'string', '', 0],
    ['Name', 'string', 'name', 0],
    ['Kind', 'string', '', 1],
    ['Length', 'integer', '', 1],
  ]);
  expect(row(object, NOW)).toEqual(['60m', 'a', 'Thing', 1]);
});

it('works a view out once a row, for all cells that need it', () => {
  let views = 0;
  const { row } = printer<KubeObject, number>(
    [NAME, int('One', 'The view', (_, _now, view) => view), int('Two', 'Twice the view', (_, _now, view) => view * 2)],
    () => (views += 1),
  );
  expect(row(object, NOW)).toEqual(['a', 1, 2]);
  expect(row(object, NOW)).toEqual(['a', 2, 4]);
  expect(views).toBe(2);
});

it('sends a headless cell without a column', () => {
  const { columns, row } = printer<KubeObject>([NAME, headless(({ kind }) => kind)]);
  expect(columns).toHaveLength(1);
  expect(row(object, NOW)).toEqual(['a', 'Thing']);
});
