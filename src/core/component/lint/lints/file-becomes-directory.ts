/** A single key that is meant as a file and mounted as a directory. In safe mode such a mount is rendered as a file. */
import { meantAsFile } from '../../render/volumes.ts';
import { defineLint } from '../contract/lint.ts';

export const fileBecomesDirectory = defineLint({
  name: 'file-becomes-directory',
  level: 'warning',
  why: 'A single key mounted without subPath appears as a directory of that name',
  *check({ containers, rendered }) {
    if (rendered.identity.mode !== 'compatible') return;
    for (const { container, path } of containers)
      for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
        if (meantAsFile(mount) === undefined) continue;
        const message = `${mount.mountPath} will be a directory`;
        yield { path: [...path, 'volumeMounts', index, 'mountPath'], message, suggestion: 'add subPath' };
      }
  },
});
