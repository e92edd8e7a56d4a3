import { describe, expect, it } from 'vitest';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import { createRegistry } from '../../../core/api/registry/registry.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { thrown } from '../../testing/samples.ts';
import { createSelections, narrowedNamespace } from './selection.ts';

const CONFIG_MAP = createRegistry().byKind('', 'v1', 'ConfigMap') as KindDefinition;
const PHASED: KindDefinition = {
  ...CONFIG_MAP,
  selectableFields: { 'status.phase': (object) => (object as { phase?: string }).phase ?? '' },
};
const object = (name: string, labels = {}, phase?: string): Stored =>
  ({ metadata: { name, namespace: 'ns', labels }, phase }) as unknown as Stored;

describe('selections', () => {
  it('are compiled once for a kind', () => {
    const selections = createSelections();
    const first = selections.compile(CONFIG_MAP, 'a=b', 'metadata.name=x');
    expect(selections.compile(CONFIG_MAP, 'a=b', 'metadata.name=x')).toBe(first);
    expect(selections.compile(PHASED, 'a=b', 'metadata.name=x')).not.toBe(first);
  });

  it('are forgotten before they fill the memory', () => {
    const selections = createSelections();
    const first = selections.compile(CONFIG_MAP, 'a=b', '');
    for (let i = 0; i < 1000; i++) selections.compile(CONFIG_MAP, `a=b${i}`, '');
    expect(selections.compile(CONFIG_MAP, 'a=b', '')).not.toBe(first);
  });

  it('are not kept when they are very long', () => {
    const selections = createSelections();
    const long = `a in (${Array.from({ length: 500 }, (_, i) => `v${i}`).join(',')})`;
    const first = selections.compile(CONFIG_MAP, long, '');
    expect(selections.compile(CONFIG_MAP, long, '')).not.toBe(first);
    expect(first.matches(object('x', { a: 'v7' }))).toBe(true);
  });

  it('take both labels and fields to match', () => {
    const { everything, matches } = createSelections().compile(PHASED, 'a in (b,c)', 'status.phase!=Bad');
    expect(everything).toBe(false);
    expect(matches(object('x', { a: 'c' }, 'Good'))).toBe(true);
    expect(matches(object('x', { a: 'c' }, 'Bad'))).toBe(false);
    expect(matches(object('x', { a: 'd' }, 'Good'))).toBe(false);
  });

  it('know when they select everything', () => {
    const selections = createSelections();
    expect(selections.compile(CONFIG_MAP, undefined, undefined).everything).toBe(true);
    expect(selections.compile(CONFIG_MAP, ' ', '').everything).toBe(true);
  });

  it('know the one name and namespace they ask for', () => {
    const selection = createSelections().compile(CONFIG_MAP, '', 'metadata.name=x,metadata.namespace=ns');
    expect([selection.name, selection.namespace]).toEqual(['x', 'ns']);
    expect(narrowedNamespace(selection, '')).toBe('ns');
    expect(narrowedNamespace(selection, 'other')).toBe('other');
    expect(createSelections().compile(CONFIG_MAP, '', 'metadata.name!=x').name).toBeUndefined();
  });

  it('name the field they cannot use', () => {
    const selections = createSelections();
    expect(thrown(() => selections.compile(PHASED, '', 'spec.x=1')).message).toBe('field label not supported: spec.x');
    expect(thrown(() => selections.compile(CONFIG_MAP, '', '__proto__=1')).code).toBe(400);
    expect(thrown(() => selections.compile(CONFIG_MAP, '', 'constructor=1')).code).toBe(400);
  });
});
