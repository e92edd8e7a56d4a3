/** Mounts through which a container can write files of the node. */
import { defineLint } from '../contract/lint.ts';

export const writableHostPath = defineLint({
  name: 'writable-host-path',
  level: 'warning',
  why: 'Whoever gets into the container can change files of the node',
  *check({ containers }) {
    // A mount without a source shares the volume that another mount of the same name declares.
    const hostPaths = new Map(
      containers.flatMap(({ container }) =>
        (container.volumeMounts ?? []).flatMap(({ name, hostPath }) =>
          hostPath === undefined ? [] : [[name, hostPath.path] as const],
        ),
      ),
    );
    for (const { container, path } of containers)
      for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
        const shared = hostPaths.get(mount.name);
        if (shared === undefined || mount.readOnly === true) continue;
        const message = `${mount.hostPath?.path ?? shared} of the node can be written`;
        yield { path: [...path, 'volumeMounts', index, 'readOnly'], message, suggestion: 'readOnly: true' };
      }
  },
});
