/** Files beside the manifest that apply reads. */
import { defineLint } from '../contract/lint.ts';
import { secretReads, whyOutside } from '../parts/secret-reads.ts';

export const readsFile = defineLint({
  name: 'reads-file',
  level: 'info',
  why: 'A file beside the manifest goes into a Secret that the image reads',
  *check(context) {
    for (const { origin, path } of secretReads(context)) {
      if (origin.from !== 'file' || whyOutside(origin.path) !== undefined) continue;
      const message = `the file ${origin.path}, beside the manifest, goes into a Secret`;
      yield { path, message, suggestion: 'or name a Secret of the cluster with secretRef' };
    }
  },
});
