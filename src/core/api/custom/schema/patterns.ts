/** Patterns that users write: compiled once, in an engine whose time grows with the text and nothing else. */
import { RE2JS } from 're2js';

export type Pattern = (text: string) => boolean;

/** Compiled patterns; users write few, and again and again the same. */
const KEPT = 2_000;
const compiled = new Map<string, Pattern | Error>();

/** Whether the pattern occurs in a text; throws where it is no pattern. */
export function compilePattern(pattern: string): Pattern {
  let known = compiled.get(pattern);
  if (known === undefined) {
    known = compile(pattern);
    if (compiled.size >= KEPT) compiled.delete(compiled.keys().next().value ?? '');
    compiled.set(pattern, known);
  }
  if (known instanceof Error) throw known;
  return known;
}

function compile(pattern: string): Pattern | Error {
  try {
    const regexp = RE2JS.compile(pattern);
    return (text) => regexp.matcher(text).find();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Why a text is no pattern, as Go says it; undefined when it is one. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '');
  }
}
