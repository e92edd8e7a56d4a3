/** Files that apply would read from outside the folder of the manifest, and refuses. */
import { defineLint } from '../contract/lint.ts';
import { secretReads, whyOutside } from '../parts/secret-reads.ts';

export const readsOutside = defineLint({
  name: 'reads-outside',
  level: 'error',
  why: 'A file that is not below the folder of the manifest would go into a Secret that the image reads; apply refuses it',
  *check(context) {
    for (const { origin, path } of secretReads(context)) {
      if (origin.from !== 'file') continue;
      const why = whyOutside(origin.path);
      if (why === undefined) continue;
      const suggestion = 'keep it below the folder of the manifest, or apply it with --allow-files FOLDER';
      yield { path, message: `${origin.path} is not read: ${why}`, suggestion };
    }
  },
});
