/** Random patches over HTTP/2 against a model that knows nothing of our patch code. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { get, patch, useHouse } from '../hostile/support/house.ts';
import { cases, TIMEOUT } from './support/cases.ts';

const suite = cases('patches.test.ts');
const house = useHouse();
const PATH = '/api/v1/namespaces/default/configmaps/cm';

const KEYS = ['a', 'b', '__proto__', 'constructor', 'x.y', '-', '0'];
const key = fc.constantFrom(...KEYS);
const value = fc.oneof(fc.string({ maxLength: 5 }), fc.constant(''), fc.constantFrom('v', '__proto__'));
type Data = ReadonlyMap<string, string>;

const mergePatch = fc.array(fc.tuple(key, fc.oneof(value, fc.constant(null))), { maxLength: 5 });
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom('add' as const, 'replace' as const, 'test' as const), key, value }),
  fc.record({ op: fc.constant('remove' as const), key }),
  fc.record({ op: fc.constantFrom('copy' as const, 'move' as const), key, from: key }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

function afterMerge(data: Data, changes: readonly (readonly [string, string | null])[]): Data {
  const next = new Map(data);
  for (const [name, text] of new Map(changes)) {
    if (text === null) next.delete(name);
    else next.set(name, text);
  }
  return next;
}

/**
 * The data after all operations; undefined when one of them cannot be done, and so none is. As in the library that
 * Kubernetes uses, a copy of nothing is null, which is read as the empty text in the end.
 */
function afterOperations(data: Data, operations: readonly Operation[]): Data | undefined {
  // Data that is empty is not there at all, and nothing can be found or put below it.
  if (data.size === 0 && operations.length > 0) return undefined;
  const next = new Map<string, string | null>(data);
  for (const each of operations) {
    switch (each.op) {
      case 'add':
      case 'replace':
        next.set(each.key, each.value);
        break;
      case 'test':
        if (next.get(each.key) !== each.value) return undefined;
        break;
      case 'remove':
        if (!next.delete(each.key)) return undefined;
        break;
      case 'copy':
        next.set(each.key, next.get(each.from) ?? null);
        break;
      case 'move': {
        const found = next.get(each.from);
        if (found === undefined) return undefined;
        next.delete(each.from);
        next.set(each.key, found);
      }
    }
  }
  return new Map([...next].map(([name, text]) => [name, text ?? '']));
}

/** Written by hand: an object literal would lose `__proto__`. */
const objectText = (entries: Iterable<readonly [string, string | null]>): string =>
  `{${[...new Map(entries)].map(([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`).join(',')}}`;

const operationText = (each: Operation): object => ({
  op: each.op,
  path: `/data/${each.key}`,
  ...('value' in each ? { value: each.value } : {}),
  ...('from' in each ? { from: `/data/${each.from}` } : {}),
});

interface Shown {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: object;
}
const dataOf = ({ data }: Shown): Data => new Map(Object.entries(data ?? {}));
const sorted = (data: Data): [string, string][] => [...data].toSorted(([a], [b]) => (a < b ? -1 : 1));

describe('patches', () => {
  it('do what a simple model says, or nothing at all', { timeout: TIMEOUT }, async () => {
    const change = fc.oneof(
      mergePatch.map((changes) => ({ type: 'merge' as const, changes })),
      mergePatch.map((changes) => ({ type: 'strategic-merge' as const, changes })),
      fc.array(operation, { maxLength: 5 }).map((operations) => ({ type: 'json' as const, operations })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const reset = await house.ask(patch('json', '[{"op":"add","path":"/data","value":{"a":"1"}}]'));
        let shown = JSON.parse(reset.text) as Shown;
        for (const each of changes) {
          suite.count();
          const before = dataOf(shown);
          const body =
            each.type === 'json'
              ? JSON.stringify(each.operations.map(operationText))
              : `{"data":${objectText(each.changes)}}`;
          const expected =
            each.type === 'json' ? afterOperations(before, each.operations) : afterMerge(before, each.changes);
          const answer = await house.ask(patch(each.type, body));
          const now = JSON.parse((await house.ask(get(PATH))).text) as Shown;
          if (answer.status === 200) {
            expect(sorted(dataOf(now))).toEqual(expected === undefined ? 'a refusal' : sorted(expected));
            expect(JSON.parse(answer.text)).toEqual(now);
            const same = JSON.stringify(sorted(before)) === JSON.stringify(sorted(dataOf(now)));
            expect([body, now.metadata.resourceVersion === shown.metadata.resourceVersion]).toEqual([body, same]);
          } else {
            expect([answer.status, now]).toEqual([422, shown]);
            // Refused by the rules of patches, or by those of config maps for what came of it.
            expect(expected === undefined || [...expected.keys()].some((name) => !/^[-._a-zA-Z0-9]+$/.test(name))).toBe(
              true,
            );
          }
          shown = now;
        }
      }),
      suite.settings(1, 3.8),
    );
  });
});
