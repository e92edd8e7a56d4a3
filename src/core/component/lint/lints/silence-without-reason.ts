/** Silences that give no reason and have no effect. */
import { defineLint } from '../contract/lint.ts';
import { silencePath } from '../contract/silence.ts';

export const silenceWithoutReason = defineLint({
  name: 'silence-without-reason',
  level: 'warning',
  why: 'A lint is silenced by saying why',
  *check({ silences, names }) {
    for (const [name, reason] of silences)
      if (names.has(name) && reason === '')
        yield { path: silencePath(name), message: 'says no reason, so the lint still counts' };
  },
});
