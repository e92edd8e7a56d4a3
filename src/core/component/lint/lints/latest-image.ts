/** Images by the tag `latest`. */
import { defineLint } from '../contract/lint.ts';

export const latestImage = defineLint({
  name: 'latest-image',
  level: 'warning',
  why: 'Nodes run different images under one name, and there is no way back',
  *check({ containers }) {
    for (const { container, path } of containers) {
      const { tag, digest } = container.image;
      if (digest !== undefined || tag !== 'latest') continue;
      yield {
        path: [...path, 'image', 'tag'],
        message: 'the tag is latest',
        suggestion: 'name a version, or a digest',
      };
    }
  },
});
