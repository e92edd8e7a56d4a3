/** Secrets that pods read and that are no objects of the component: a change of one must roll the pods, too. Pure. */
import { createHmac } from 'node:crypto';
import { COMPONENT_ANNOTATIONS } from '../../../core/api/names.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { PodSpec, Secret } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Rendered } from '../../../core/component/render/render.ts';

/** Names, sorted. Image pull Secrets are not among them: the kubelet reads them at every start, and running pods never do. */
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
 * A digest of the content. Everybody who may read pods sees it, so it must not help to guess the content: the key is the Secret's
 * uid, known only to those who may read the Secret. A recreated Secret has another uid, and rolls the pods once.
 */
export function secretDigest({ metadata: { uid }, data = {} }: Stored<Secret>): string {
  const hash = createHmac('sha256', uid);
  for (const [key, value] of Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${Buffer.byteLength(key)}:${key}${Buffer.byteLength(value)}:${value}`);
  return hash.digest('hex').slice(0, LENGTH);
}

/**
 * The annotation of the pod template. Where a Secret is missing the annotation stays as it is: running pods keep the content that
 * they have read, and new pods could not start.
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
