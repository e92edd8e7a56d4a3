/** What every object inherits must be what it was before anyone sent anything. */
import { expect } from 'vitest';

const PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype];
const membersOf = (): readonly string[] =>
  PROTOTYPES.flatMap((each) => Reflect.ownKeys(each).map((key) => `${each.constructor.name}.${String(key)}`));
const BEFORE = membersOf().join();

export function expectUntouchedPrototypes(): void {
  if (membersOf().join() !== BEFORE) expect(membersOf()).toEqual(BEFORE.split(','));
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}
