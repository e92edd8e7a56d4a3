/** The smallest form of a case that still differs: whole parts are left out first, then what they say. */

type Part = unknown;
/** What a case cannot be without. */
const NEEDED = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'spec',
  'name',
  'namespace',
  'containers',
  'image',
  'do',
  'pod',
  'node',
]);
const DEPTH = 9;

/** Every way to leave one thing out, the largest things first. */
function* smaller<T>(value: T): Generator<T> {
  for (let depth = 1; depth <= DEPTH; depth++) yield* without(value, depth) as Generator<T>;
}

function* without(value: Part, depth: number): Generator {
  if (Array.isArray(value)) {
    for (let at = value.length - 1; at >= 0; at--) {
      if (depth === 1) yield value.toSpliced(at, 1);
      else for (const part of without(value[at], depth - 1)) yield value.with(at, part);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      if (depth > 1) for (const less of without(part, depth - 1)) yield { ...value, [key]: less };
      else if (!NEEDED.has(key) && !Array.isArray(part)) {
        const { [key]: _, ...rest } = value as { [key: string]: Part };
        yield rest;
      }
    }
  }
}

export interface ShrinkOptions {
  /** So many forms are tried at most. */
  readonly tries: number;
  readonly untilMs: number;
}

export async function shrink<T, D>(
  first: T,
  found: D,
  play: (value: T) => Promise<D | undefined>,
  { tries, untilMs }: ShrinkOptions,
): Promise<{ readonly smallest: T; readonly difference: D }> {
  let [smallest, difference] = [first, found];
  let left = tries;
  for (let goesOn = true; goesOn;) {
    goesOn = false;
    for (const form of smaller(smallest)) {
      if (left-- <= 0 || Date.now() > untilMs) return { smallest, difference };
      const again = await play(form).catch(() => undefined);
      if (again === undefined) continue;
      [smallest, difference, goesOn] = [form, again, true];
      break;
    }
  }
  return { smallest, difference };
}
