/**
 * Volumes follow from mounts. Mounts of the same name share one volume: the first that says its source declares it, others
 * may repeat the source or leave it out; two that say different things are a mistake.
 */
import { DEFAULTS } from '../../api/component/defaults.ts';
import type { Component, ComponentMount } from '../../api/component/types.ts';
import { deepEqual } from '../../kube/immutable.ts';
import type { ConfigMapVolumeSource, SecretVolumeSource, Volume, VolumeMount } from '../../api/types/core-v1.ts';
import { containersOf } from '../containers-of.ts';
import { pathText, type PathStep } from '../trace.ts';
import type { Findings } from './findings.ts';
import type { Mode } from './mode.ts';
import { present } from './present.ts';

type Files = NonNullable<ComponentMount['configMap']>;

const items = ({ key, path }: Files): ConfigMapVolumeSource['items'] =>
  key === undefined ? undefined : [{ key, path: path ?? key }];

/** The volume a mount declares; undefined where it only names one. */
export function volumeOf(mount: ComponentMount): Volume | undefined {
  const { name, configMap, secret, hostPath, emptyDir, pvc, serviceAccountToken: token } = mount;
  if (configMap !== undefined) {
    const { name: source, defaultMode, optional } = configMap;
    const rendered = present<ConfigMapVolumeSource>({ name: source, items: items(configMap), defaultMode, optional });
    return { name, configMap: rendered };
  }
  if (secret !== undefined) {
    const { name: secretName, defaultMode, optional } = secret;
    return { name, secret: present<SecretVolumeSource>({ secretName, items: items(secret), defaultMode, optional }) };
  }
  if (hostPath !== undefined) return { name, hostPath };
  if (emptyDir !== undefined) return { name, emptyDir };
  if (pvc !== undefined) return { name, persistentVolumeClaim: pvc };
  if (token === undefined) return undefined;
  // Zero is how the older form says that nothing was said.
  const expirationSeconds = token.expirationSeconds === 0 ? undefined : token.expirationSeconds;
  const projection = present({ audience: token.audience, expirationSeconds, path: token.path ?? DEFAULTS.tokenFile });
  return { name, projected: { sources: [{ serviceAccountToken: projection }] } };
}

export function volumesOf(component: Component, mode: Mode, findings: Findings): readonly Volume[] {
  const declared = new Map<string, { readonly volume: Volume; readonly path: readonly PathStep[] }>();
  const bare: { readonly name: string; readonly path: readonly PathStep[] }[] = [];
  for (const { container, path: at } of containersOf(component)) {
    for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
      const path = [...at, 'volumeMounts', index];
      const volume = volumeOf(mount);
      const first = declared.get(mount.name);
      if (volume === undefined) bare.push({ name: mount.name, path });
      else if (first === undefined) declared.set(mount.name, { volume, path });
      else if (!deepEqual(first.volume, volume)) {
        const message = `the volume ${JSON.stringify(mount.name)} has another source at ${pathText(first.path)}`;
        findings.push({ path, fault: { code: 'EN_COMPONENT_VOLUME_CONFLICT', message } });
      }
    }
  }
  for (const { name, path } of bare) {
    if (declared.has(name)) continue;
    // The existing tool leaves the source out, which Kubernetes takes for an emptyDir.
    if (mode === 'compatible') declared.set(name, { volume: { name, emptyDir: {} }, path });
    else {
      const message = `no mount says what the volume ${JSON.stringify(name)} is`;
      const suggestion = 'add hostPath, emptyDir, configMap, secret, pvc or serviceAccountToken';
      findings.push({ path, fault: { code: 'EN_COMPONENT_VOLUME_SOURCE', message, suggestion } });
    }
  }
  return [...declared.values()].map(({ volume }) => volume);
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const extension = (name: string): string | undefined =>
  name.lastIndexOf('.') > 0 ? name.slice(name.lastIndexOf('.')) : undefined;

/**
 * One key mounted at what looks like a file of that name or kind. Kubernetes would make a directory there with the file in
 * it; with a sub-path the file itself appears, which is what was meant.
 */
export function meantAsFile({
  mountPath,
  subPath,
  subPathExpr,
  configMap,
  secret,
}: ComponentMount): string | undefined {
  const source = configMap ?? secret;
  if (source?.key === undefined || subPath !== undefined || subPathExpr !== undefined) return undefined;
  const file = source.path ?? source.key;
  const target = baseName(mountPath);
  const isFile =
    target === baseName(file) || (extension(target) !== undefined && extension(target) === extension(file));
  return isFile ? file : undefined;
}

export const mountsOf = (mounts: readonly ComponentMount[] | undefined, mode: Mode): readonly VolumeMount[] =>
  (mounts ?? []).map((mount) =>
    present<VolumeMount>({
      name: mount.name,
      mountPath: mount.mountPath,
      readOnly: mount.readOnly,
      subPath: mount.subPath ?? (mode === 'safe' ? meantAsFile(mount) : undefined),
      subPathExpr: mount.subPathExpr,
      mountPropagation: mount.mountPropagation,
    }),
  );
