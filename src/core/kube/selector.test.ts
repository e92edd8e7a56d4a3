import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldErrorMessage } from './field-errors.ts';
import {
  compileFieldSelector,
  escapeFieldValue,
  parseFieldSelector,
  unescapeFieldValue,
  unknownMetadataField,
  type FieldReader,
} from './field-selector.ts';
import { readGolden } from './golden/read.ts';
import {
  compileLabelSelector,
  formatLabelSelector,
  labelSelectorFromText,
  validateLabelSelector,
  validateLabelSelectorRequirement,
} from './label-selector.ts';
import { formatLabels, labelOf, validateAnnotations, withAnnotations, withLabels, type Labels } from './labels.ts';
import type { LabelSelector } from './meta-v1.ts';
import { EVERYTHING, NOTHING, SelectorError, selectorFromLabels } from './selector.ts';
import { parseSelector } from './selector-text.ts';

/** An error, or the printed text, one digit a set for what it matches, and the value it demands of `a`. */
type Row = readonly [text: string, error: string] | readonly [string, string, string, string | null];
interface Table {
  readonly sets: readonly Labels[];
  readonly texts: readonly Row[];
  readonly objects: readonly (readonly [
    selector: LabelSelector,
    printed: string,
    error: string,
    matches: string,
    errors: readonly string[],
    formatted: string,
  ])[];
  readonly fieldSets: readonly Labels[];
  readonly fields: readonly Row[];
  readonly toObjects: readonly (readonly [text: string, error: string, selector?: LabelSelector])[];
}
const table = readGolden('selectors') as Table;

function attempt<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof SelectorError) return error.message;
    throw error;
  }
}
const digits = (answers: readonly boolean[]): string => answers.map((yes) => (yes ? '1' : '0')).join('');

describe('label selectors against Kubernetes', () => {
  it('read, print, match and refuse the same texts', () => {
    for (const [text, ...expected] of table.texts) {
      const result = attempt(() => {
        const selector = parseSelector(text);
        const matches = digits(table.sets.map((set) => selector.matches(set)));
        return [selector.toString(), matches, selector.requiredValue('a') ?? null];
      });
      expect({ text, result }).toEqual({ text, result: expected.length === 1 ? expected[0] : expected });
    }
  });
  it('compile the same objects', () => {
    for (const [selector, printed, error, matches, , formatted] of table.objects) {
      const result = attempt(() => {
        const compiled = compileLabelSelector(selector);
        return [compiled.toString(), digits(table.sets.map((set) => compiled.matches(set)))];
      });
      expect({ selector, result }).toEqual({ selector, result: error === '' ? [printed, matches] : error });
      expect(formatLabelSelector(selector)).toBe(formatted);
    }
  });
  it('validate objects in the same words', () => {
    for (const [selector, , , , errors] of table.objects) {
      const found = validateLabelSelector(selector, 'spec.selector').map(fieldErrorMessage);
      expect({ selector, found }).toEqual({ selector, found: errors });
    }
  });
  it('turn texts into objects', () => {
    for (const [text, error, selector] of table.toObjects) {
      expect(attempt(() => labelSelectorFromText(text))).toEqual(error === '' ? selector : error);
    }
  });
});

describe('a label selector', () => {
  it('is compiled once per object', () => {
    const selector = { matchLabels: { a: 'b' } };
    expect(compileLabelSelector(selector)).toBe(compileLabelSelector(selector));
  });
  it('that is absent selects nothing, that is empty everything', () => {
    expect(compileLabelSelector(undefined)).toBe(NOTHING);
    expect(compileLabelSelector(null).selectsNothing).toBe(true);
    expect(compileLabelSelector({})).toBe(EVERYTHING);
    expect(NOTHING.matches({})).toBe(false);
    expect(EVERYTHING.matches(undefined)).toBe(true);
    expect(formatLabelSelector(undefined)).toBe('<none>');
  });
  it('does not see what objects inherit', () => {
    expect(parseSelector('constructor').matches({})).toBe(false);
    expect(parseSelector('!toString').matches({})).toBe(true);
    expect(parseSelector('constructor!=x').matches({})).toBe(true);
    expect(labelOf({}, 'constructor')).toBeUndefined();
    expect(labelOf(undefined, 'a')).toBeUndefined();
    expect(labelOf({ a: '' }, 'a')).toBe('');
  });
  it('matches objects without labels', () => {
    expect(parseSelector('!a,b notin (c)').matches(undefined)).toBe(true);
    expect(parseSelector('a=').matches(undefined)).toBe(false);
  });
  it('may keep values that were stored before they were checked', () => {
    const old = { key: 'a', operator: 'In', values: ['-bad-'] };
    expect(validateLabelSelectorRequirement(old, 'p')).toHaveLength(1);
    expect(validateLabelSelectorRequirement(old, 'p', { allowInvalidValues: true })).toEqual([]);
    expect(validateLabelSelector(null, 'p')).toEqual([]);
  });
  it('agrees with a plain reading of its requirements', () => {
    // Many requirements are matched another way than a few.
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const value = fc.constantFrom('', '1', '2', '10', 'x');
    const labels = fc.dictionary(key, value);
    const requirement = fc.tuple(
      key,
      fc.constantFrom('=', '!=', 'in', 'notin', '', '!', '>', '<'),
      fc.array(value, { minLength: 1, maxLength: 3 }),
    );
    fc.assert(
      fc.property(labels, fc.array(requirement, { minLength: 1, maxLength: 14 }), (set, list) => {
        const usable = list.filter(([, op, [first = '']]) => !'><'.includes(op) || op === '' || /^\d+$/.test(first));
        const text = usable
          .map(([k, op, vs]) => {
            if (op === '') return k;
            if (op === '!') return `!${k}`;
            return op.endsWith('in') ? `${k} ${op} (${vs.join()})` : `${k}${op}${vs[0] ?? ''}`;
          })
          .join(',');
        const holds = usable.every(([k, op, [first = '', ...rest]]) => {
          const has = Object.hasOwn(set, k);
          const v = set[k] ?? '';
          if (op === '=') return has && v === first;
          if (op === '!=') return !has || v !== first;
          if (op === 'in') return has && [first, ...rest].includes(v);
          if (op === 'notin') return !has || ![first, ...rest].includes(v);
          if (op === '') return has;
          if (op === '!') return !has;
          if (!/^\d+$/.test(v)) return false;
          return op === '>' ? Number(v) > Number(first) : Number(v) < Number(first);
        });
        expect(parseSelector(text).matches(set)).toBe(holds);
        expect(parseSelector(parseSelector(text).toString()).matches(set)).toBe(holds);
      }),
      { numRuns: 2000 },
    );
  });
  it('of many requirements reads each label of an object once', () => {
    const text = Array.from({ length: 300 }, (_, i) => `k${i} notin (a,b),!x${i},app!=v${i}`).join(',');
    let reads = 0;
    const labels = new Proxy(
      { app: 'web', tier: 'front' },
      { get: (target, name) => ((reads += 1), target[name as 'app']) },
    );
    expect(parseSelector(text).matches(labels)).toBe(true);
    expect(reads).toBeLessThanOrEqual(2);
  });
  it('of a plain map demands every pair', () => {
    const selector = selectorFromLabels({ b: '2', a: '1' });
    expect(selector.toString()).toBe('a=1,b=2');
    expect(selector.matches({ a: '1', b: '2', c: '3' })).toBe(true);
    expect(selector.matches({ a: '1' })).toBe(false);
    expect(selectorFromLabels(undefined)).toBe(EVERYTHING);
  });
  it('reads long texts in a moment', () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `k${i} in (a,b)`).join(',');
    expect(parseSelector(text).requirements).toHaveLength(20_000);
    expect(attempt(() => parseSelector('('.repeat(100_000)))).toContain("found '('");
  });
});

describe('field selectors against Kubernetes', () => {
  it('read, print, match and refuse the same texts', () => {
    for (const [text, ...expected] of table.fields) {
      const result = attempt(() => {
        const selector = parseFieldSelector(text);
        const readers = new Map(
          selector.requirements.map(({ field }): [string, FieldReader<Labels>] => [field, (set) => set[field] ?? '']),
        );
        const test = compileFieldSelector(selector, readers);
        return [selector.toString(), digits(table.fieldSets.map(test)), selector.requiredValue('a') ?? null];
      });
      expect({ text, result }).toEqual({ text, result: expected.length === 1 ? expected[0] : expected });
    }
  });
  it('read each field of an object once, whatever is said of it', () => {
    let reads = 0;
    const readers = new Map([['metadata.name', (name: string) => ((reads += 1), name)]]);
    const names = Array.from({ length: 300 }, (_, i) => `metadata.name!=n${i}`).join(',');
    const matches = compileFieldSelector(parseFieldSelector(names), readers);
    expect([matches('n299'), matches('n300'), reads]).toEqual([false, true, 2]);
    const both = compileFieldSelector(parseFieldSelector('metadata.name=a,metadata.name==b'), readers);
    const itself = compileFieldSelector(parseFieldSelector('metadata.name=a,metadata.name=a'), readers);
    const never = compileFieldSelector(parseFieldSelector('metadata.name=a,metadata.name!=a'), readers);
    expect([both('a'), both('b'), itself('a'), itself('b'), never('a')]).toEqual([false, false, true, false, false]);
  });
  it('refuse fields the kind does not offer', () => {
    const selector = parseFieldSelector('spec.x=1');
    expect(attempt(() => compileFieldSelector(selector, new Map()))).toBe('field label not supported: spec.x');
    expect(attempt(() => compileFieldSelector(selector, new Map(), unknownMetadataField))).toBe(
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });
  it('escape any value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(unescapeFieldValue(escapeFieldValue(value))).toBe(value);
        expect(parseFieldSelector(`a=${escapeFieldValue(value)}`).requiredValue('a')).toBe(value);
      }),
    );
  });
});

describe('labels and annotations', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { b: '1' } } };
  it('are set without mutation, and only when they differ', () => {
    expect(withLabels(pod, { b: '1' })).toBe(pod);
    expect(withLabels(pod, { a: '2' }).metadata.labels).toEqual({ b: '1', a: '2' });
    expect(withAnnotations(pod, { x: 'y' }).metadata).toEqual({ ...pod.metadata, annotations: { x: 'y' } });
    expect(formatLabels({ b: '2', a: '1' })).toBe('a=1,b=2');
    expect(formatLabels(undefined)).toBe('<none>');
  });
  it('are limited in size', () => {
    expect(validateAnnotations({ 'Example.com/x': 'y' }, 'metadata.annotations')).toEqual([]);
    expect(validateAnnotations({ a: 'é'.repeat(131_072) }, 'metadata.annotations')).toEqual([
      {
        type: 'FieldValueTooLong',
        field: 'metadata.annotations',
        message: 'Too long: may not be more than 262144 bytes',
      },
    ]);
    expect(validateAnnotations({ 'a b': '' }, 'metadata.annotations')).toHaveLength(1);
    expect(validateAnnotations(undefined, 'x')).toEqual([]);
  });
});
