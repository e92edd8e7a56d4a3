/** Silences of a lint that does not exist. */
import { defineLint } from '../contract/lint.ts';
import { silencePath } from '../contract/silence.ts';

export const unknownSilence = defineLint({
  name: 'unknown-silence',
  level: 'warning',
  why: 'There is no lint of that name',
  *check({ silences, names }) {
    for (const name of silences.keys())
      if (!names.has(name)) yield { path: silencePath(name), message: `there is no lint called ${name}` };
  },
});
