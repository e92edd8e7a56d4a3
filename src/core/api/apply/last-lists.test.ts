import { describe, expect, it } from 'vitest';
import type { Json } from '../../kube/json.ts';
import { createLastLists } from './last-lists.ts';
import { shapeOf } from './shape.ts';
import type { ListShape } from './shape.ts';

const listOf = (field: string): ListShape => {
  const status = shapeOf('core/v1.Pod').map?.field('status')?.shape;
  const list = status?.map?.field(field)?.shape.list;
  if (list === undefined) throw new Error(`${field} is no list`);
  return list;
};

describe('what was found for the last lists of a field', () => {
  const conditions = listOf('conditions');
  const a: readonly Json[] = [{ type: 'Ready' }];
  const b: readonly Json[] = [{ type: 'Ready' }];

  it('is found once for the very same lists, and anew for equal ones', () => {
    const last = createLastLists<number>();
    let count = 0;
    const find = (): number => ++count;
    expect(last.of(conditions, undefined, a, find)).toBe(1);
    expect(last.of(conditions, undefined, a, find)).toBe(1);
    expect(last.of(conditions, undefined, b, find)).toBe(2);
    expect(last.of(conditions, a, b, find)).toBe(3);
    expect(last.of(conditions, a, b, find)).toBe(3);
    expect(last.of(conditions, undefined, a, find)).toBe(1);
  });

  it('is not mixed up between fields', () => {
    const last = createLastLists<string>();
    expect(last.of(conditions, undefined, a, () => 'conditions')).toBe('conditions');
    expect(last.of(listOf('containerStatuses'), undefined, a, () => 'statuses')).toBe('statuses');
  });

  it('is forgotten after a few others', () => {
    const last = createLastLists<string>();
    last.of(conditions, undefined, a, () => 'first');
    for (let i = 0; i < 8; i++) last.of(conditions, undefined, [{ type: String(i) }], () => 'other');
    expect(last.of(conditions, undefined, a, () => 'again')).toBe('again');
  });
});
