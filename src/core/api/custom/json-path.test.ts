import { describe, expect, it } from 'vitest';
import { compileJsonPath, JsonPathError } from './json-path.ts';

const pod = JSON.parse(
  `{"metadata":{"name":"a","annotations":{"example.com/owner":"me","a b":"c"}},
    "spec":{"host":"h","list":[1,2,3,4]},
    "status":{"conditions":[{"type":"Ready","status":"True","n":3},{"type":"Old","status":"False","n":1}]},
    "__proto__":{"x":1}}`,
) as unknown;

describe('paths into objects', () => {
  it.each<[string, readonly unknown[]]>([
    ['.spec.host', ['h']],
    ['{.spec.host}', ['h']],
    ['$.spec.host', ['h']],
    ['.spec.list[0]', [1]],
    ['.spec.list[-1]', [4]],
    ['.spec.list[9]', []],
    ['.spec.list[1:3]', [2, 3]],
    ['.spec.list[::2]', [1, 3]],
    ['.spec.list[*]', [1, 2, 3, 4]],
    ['.spec.list[0,2]', [1, 3]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Old')].status", ['False']],
    ['.status.conditions[?(@.n>2)].type', ['Ready']],
    ['.status.conditions[?(@.missing)].type', []],
    ['.status.conditions[*].status', ['True', 'False']],
    [String.raw`.metadata.annotations.example\.com/owner`, ['me']],
    [".metadata.annotations['a b']", ['c']],
    ['..status.conditions[0].type', ['Ready']],
    ['..type', ['Ready', 'Old']],
    ['.metadata.missing.deeper', []],
    ['.constructor', []],
    ['.__proto__.x', [1]],
    ['.spec.host.length', []],
  ])('finds %s', (path, found) => {
    expect(compileJsonPath(path)(pod)).toEqual(found);
  });

  it.each(['.a[', '.a[x]', '.a]b', `.${'a'.repeat(5_000)}`])('refuses %s', (path) => {
    expect(() => compileJsonPath(path)).toThrow(JsonPathError);
  });

  it('is bounded in what it finds', () => {
    const wide = { a: Array.from({ length: 50_000 }, (_, i) => ({ b: i })) };
    expect(compileJsonPath('..b')(wide).length).toBeLessThanOrEqual(10_000);
  });
});
