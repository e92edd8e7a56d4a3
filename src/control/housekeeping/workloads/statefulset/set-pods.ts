/** The pods and claims of a StatefulSet, from a template of one of its revisions. Pure. */
import type { StatefulSet } from '../../../../core/api/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from '../../../../core/api/types/core-v1.ts';
import { labelOf } from '../../../../core/kube/labels.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { EMPTY_SPEC, podOf, sharedMeta } from '../common/pod-template.ts';
import { claimName, podName } from './ordinals.ts';

const REVISION_LABEL = 'controller-revision-hash';
const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';

export const revisionOf = (pod: Pod): string => labelOf(pod.metadata.labels, REVISION_LABEL) ?? '';

export const hasIdentity = (pod: Pod): boolean => labelOf(pod.metadata.labels, POD_NAME) === pod.metadata.name;

export const identityLabels = (set: StatefulSet, ordinal: number): { readonly [label: string]: string } => ({
  [POD_NAME]: podName(set, ordinal),
  [POD_INDEX]: String(ordinal),
});

/** @param set with kind and apiVersion. */
export function podFor(set: Stored<StatefulSet>, template: PodTemplateSpec, revision: string, ordinal: number): Pod {
  const spec = template.spec ?? EMPTY_SPEC;
  const name = podName(set, ordinal);
  const claims = new Map<string, Volume>();
  for (const { metadata } of set.spec.volumeClaimTemplates ?? [])
    claims.set(metadata.name, {
      name: metadata.name,
      persistentVolumeClaim: { claimName: claimName(metadata.name, set, ordinal) },
    });
  const kept = spec.volumes?.filter((volume) => !claims.has(volume.name)) ?? [];
  const volumes = [...claims.values(), ...kept];
  const meta = sharedMeta(set, template, {
    generateName: `${set.metadata.name}-`,
    labels: { ...identityLabels(set, ordinal), [REVISION_LABEL]: revision },
  });
  return podOf(name, meta, {
    ...spec,
    ...(volumes.length === 0 ? {} : { volumes }),
    hostname: name,
    ...(set.spec.serviceName === undefined || set.spec.serviceName === '' ? {} : { subdomain: set.spec.serviceName }),
  });
}

export function claimsFor(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  const { namespace } = set.metadata;
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(metadata.name, set, ordinal),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
    },
    spec: spec ?? {},
  }));
}
