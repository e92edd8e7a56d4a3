/** Environment variables that apply reads where it runs. */
import { defineLint } from '../contract/lint.ts';
import { secretReads } from '../parts/secret-reads.ts';

export const readsVariable = defineLint({
  name: 'reads-variable',
  level: 'warning',
  why: 'A variable of the machine that applies it goes into a Secret that the image reads; apply asks for its name',
  *check(context) {
    for (const { origin, path } of secretReads(context)) {
      if (origin.from !== 'env') continue;
      const message = `the variable ${origin.name} of the machine that applies it goes into a Secret`;
      const suggestion = `apply it with --allow-env ${origin.name}, or name a Secret with secretRef`;
      yield { path, message, suggestion };
    }
  },
});
