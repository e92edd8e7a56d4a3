/** Mounts of a volume that no mount declares; in safe mode such a mount is an error. */
import { volumeOf } from '../../render/volumes.ts';
import { defineLint } from '../contract/lint.ts';

export const volumeWithoutSource = defineLint({
  name: 'volume-without-source',
  level: 'warning',
  why: 'A volume nobody says the source of is an empty directory',
  *check({ containers, rendered }) {
    if (rendered.identity.mode !== 'compatible') return;
    const mounts = containers.flatMap(({ container, path }) =>
      (container.volumeMounts ?? []).map((mount, index) => ({ mount, path: [...path, 'volumeMounts', index] })),
    );
    const declared = new Set(mounts.flatMap(({ mount }) => (volumeOf(mount) === undefined ? [] : [mount.name])));
    for (const { mount, path } of mounts)
      if (!declared.has(mount.name)) yield { path, message: `${mount.name} will be an empty directory` };
  },
});
