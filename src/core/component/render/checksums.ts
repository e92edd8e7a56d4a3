/**
 * Annotations on pods that change when the configuration or the secrets they use do, so that a change rolls them. The
 * length is a compromise: long enough that no change is missed, too short to confirm a guess at a good secret.
 */
import { createHash } from 'node:crypto';
import type { ConfigMap, PodSpec } from '../../api/types/core-v1.ts';
import type { RenderedSecret } from './objects.ts';

export const CHECKSUM_ANNOTATIONS = {
  config: 'everynode.dev/checksum-config',
  secrets: 'everynode.dev/checksum-secrets',
} as const;

/** In place of a checksum, where values are not known. */
const UNRESOLVED = 'unresolved';

const LENGTH = 16;

/** Lengths are part of it, so that no two contents look alike. */
function checksum(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, LENGTH);
}

/** Names of ConfigMaps and Secrets that the pod reads when it starts. */
function usedBy({ containers, initContainers = [], volumes = [] }: PodSpec): ReadonlySet<string> {
  const used = new Set<string>();
  const add = (kind: string, name: string | undefined): void => void used.add(`${kind}/${name ?? ''}`);
  for (const { configMap, secret } of volumes) {
    if (configMap !== undefined) add('ConfigMap', configMap.name);
    if (secret !== undefined) add('Secret', secret.secretName);
  }
  for (const { env = [], envFrom = [] } of [...containers, ...initContainers]) {
    for (const { valueFrom } of env) {
      if (valueFrom?.configMapKeyRef !== undefined) add('ConfigMap', valueFrom.configMapKeyRef.name);
      if (valueFrom?.secretKeyRef !== undefined) add('Secret', valueFrom.secretKeyRef.name);
    }
    for (const { configMapRef, secretRef } of envFrom) {
      if (configMapRef !== undefined) add('ConfigMap', configMapRef.name);
      if (secretRef !== undefined) add('Secret', secretRef.name);
    }
  }
  return used;
}

export function checksumAnnotations(
  pod: PodSpec,
  configMaps: readonly ConfigMap[],
  secrets: readonly RenderedSecret[],
): { readonly [key: string]: string } {
  const used = usedBy(pod);
  const maps = configMaps.filter(({ metadata }) => used.has(`ConfigMap/${metadata.name}`));
  const read = secrets.filter(({ metadata }) => used.has(`Secret/${metadata.name}`));
  return {
    ...(maps.length === 0
      ? {}
      : {
          [CHECKSUM_ANNOTATIONS.config]: checksum(
            maps.flatMap(({ metadata, data = {} }) => [metadata.name, ...Object.entries(data).flat()]),
          ),
        }),
    ...(read.length === 0 ? {} : { [CHECKSUM_ANNOTATIONS.secrets]: secretChecksum(read) }),
  };
}

function secretChecksum(secrets: readonly RenderedSecret[]): string {
  const parts: string[] = [];
  for (const { metadata, data } of secrets) {
    // The namespace and name are the salt: equal secrets of two daemons do not look equal.
    parts.push(metadata.namespace ?? '', metadata.name);
    for (const [key, value] of Object.entries(data)) {
      const text = value.reveal();
      if (text === undefined) return UNRESOLVED;
      parts.push(key, text);
    }
  }
  return checksum(parts);
}
