/** Further checks of the restricted level: containers run as an unprivileged user, without capabilities. */
import type { Container, EphemeralContainer, Volume } from '../types/core-v1.ts';
import { isFineSeccomp } from './baseline.ts';
import {
  type Check,
  containersWhere,
  distinct,
  hasOwnUsers,
  isWindows,
  namedContainers,
  plural,
  quoted,
  setters,
} from './subject.ts';

type AnyContainer = Container | EphemeralContainer;

/** Windows has no such settings; its pods pass. */
export const unlessWindows =
  (check: Check): Check =>
  (subject) =>
    isWindows(subject) ? undefined : check(subject);

export const unlessOwnUsers =
  (check: Check): Check =>
  (subject) =>
    hasOwnUsers(subject) ? undefined : check(subject);

export const allowPrivilegeEscalation: Check = (subject) => {
  const bad = containersWhere(subject, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${namedContainers(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

export const unrestrictedCapabilities: Check = (subject) => {
  const added = ({ securityContext }: AnyContainer): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => name !== 'NET_BIND_SERVICE');
  const keeping = containersWhere(
    subject,
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true,
  );
  const adding = containersWhere(subject, (container) => added(container).length > 0);
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${namedContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const names = quoted(distinct(subject.containers.flatMap(added)));
    details.push(`${namedContainers(adding)} must not include ${names} in securityContext.capabilities.add`);
  }
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const FINE_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const;
const BAD_VOLUMES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
] as const;

export const restrictedVolumes: Check = ({ spec }) => {
  const isFine = (volume: Volume): boolean => FINE_VOLUMES.some((type) => volume[type] !== undefined);
  const bad = (spec.volumes ?? []).filter((volume) => !isFine(volume));
  if (bad.length === 0) return undefined;
  const typeOf = (volume: Volume): string => BAD_VOLUMES.find((type) => volume[type] !== undefined) ?? 'unknown';
  const types = distinct(bad.map(typeOf));
  const named = `${plural('volume', 'volumes', bad.length)} ${quoted(bad.map(({ name }) => name))}`;
  const what = plural('restricted volume type', 'restricted volume types', types.length);
  return {
    reason: 'restricted volume types',
    detail: `${named} ${plural('uses', 'use', bad.length)} ${what} ${quoted(types)}`,
  };
};

export const runAsNonRoot: Check = (subject) => {
  const reason = 'runAsNonRoot != true';
  const podSays = subject.spec.securityContext?.runAsNonRoot;
  const refusing = containersWhere(subject, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  const who = setters(podSays === false, refusing);
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (podSays === true) return undefined;
  const silent = containersWhere(subject, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${namedContainers(silent)} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: Check = (subject) => {
  const isPodBad = subject.spec.securityContext?.runAsUser === 0;
  const who = setters(
    isPodBad,
    containersWhere(subject, ({ securityContext }) => securityContext?.runAsUser === 0),
  );
  return who === '' ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` };
};

export const seccompRequired: Check = (subject) => {
  const reason = 'seccompProfile';
  const podType = subject.spec.securityContext?.seccompProfile?.type;
  const isPodBad = podType !== undefined && !isFineSeccomp(podType);
  const typeOf = ({ securityContext }: AnyContainer): string | undefined => securityContext?.seccompProfile?.type;
  const isBad = (container: AnyContainer): boolean => {
    const type = typeOf(container);
    return type !== undefined && !isFineSeccomp(type);
  };
  const who = setters(isPodBad, containersWhere(subject, isBad));
  if (who !== '') {
    const types = [
      ...(isPodBad ? [podType] : []),
      ...subject.containers.filter(isBad).map((each) => typeOf(each) ?? ''),
    ];
    return { reason, detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(distinct(types))}` };
  }
  if (podType !== undefined) return undefined;
  const silent = containersWhere(subject, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  return {
    reason,
    detail: `pod or ${namedContainers(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};
