/** Secrets that pods read and that the component does not bring: a change of one must roll the pods, too. Pure. */
import { createHmac } from 'node:crypto';
import { COMPONENT_ANNOTATIONS } from '../../../core/api/names.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { PodSpec, Secret } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Rendered } from '../../../core/component/render/render.ts';

/** Names, in order. Logins of registries are read at every start anyway, and change nothing in a pod that runs. */
export function referencedSecrets({ objects, daemonSet }: Rendered): readonly string[] {
  const own = new Set(objects.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name));
  const used = new Set(namesIn(daemonSet.spec.template.spec ?? { containers: [] }));
  return [...used].filter((name) => name !== '' && !own.has(name)).toSorted();
}

function* namesIn({ containers, initContainers = [], volumes = [] }: PodSpec): Generator<string> {
  for (const { secret, projected } of volumes) {
    if (secret !== undefined) yield secret.secretName ?? '';
    for (const source of projected?.sources ?? []) if (source.secret !== undefined) yield source.secret.name ?? '';
  }
  for (const { env = [], envFrom = [] } of [...containers, ...initContainers]) {
    for (const { valueFrom } of env) if (valueFrom?.secretKeyRef !== undefined) yield valueFrom.secretKeyRef.name ?? '';
    for (const { secretRef } of envFrom) if (secretRef !== undefined) yield secretRef.name ?? '';
  }
}

const LENGTH = 16;

/**
 * Changes with the content. Everybody who may see pods sees it, so it must not help to guess: the key is the Secret's uid, which
 * only those know who may read it. A Secret that is made anew has another one, and rolls the pods once.
 */
export function secretDigest({ metadata: { uid }, data = {} }: Stored<Secret>): string {
  const hash = createHmac('sha256', uid);
  for (const [key, value] of Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${Buffer.byteLength(key)}:${key}${Buffer.byteLength(value)}:${value}`);
  return hash.digest('hex').slice(0, LENGTH);
}

/**
 * The annotation that the pods get. Where a Secret is missing they keep what they have: pods that run go on with what they have
 * read, and new ones could not start.
 */
export function checksumOf(
  digests: ReadonlyMap<string, string | undefined>,
  live: DaemonSet | undefined,
): string | undefined {
  if (digests.size === 0) return undefined;
  const known = [...digests.values()];
  if (known.includes(undefined))
    return live?.spec.template.metadata?.annotations?.[COMPONENT_ANNOTATIONS.checksumReferences];
  const hash = createHmac('sha256', 'references');
  for (const [name, digest = ''] of digests) hash.update(`${name}=${digest};`);
  return hash.digest('hex').slice(0, LENGTH);
}

export function withChecksum(rendered: Rendered, checksum: string | undefined): Rendered {
  if (checksum === undefined) return rendered;
  const { daemonSet } = rendered;
  const { template } = daemonSet.spec;
  const annotations = { ...template.metadata?.annotations, [COMPONENT_ANNOTATIONS.checksumReferences]: checksum };
  const changed: DaemonSet = {
    ...daemonSet,
    spec: {
      ...daemonSet.spec,
      template: {
        ...template,
        metadata: { ...template.metadata, annotations } as NonNullable<typeof template.metadata>,
      },
    },
  };
  return {
    ...rendered,
    daemonSet: changed,
    objects: rendered.objects.map((object) => (object === daemonSet ? changed : object)),
  };
}
