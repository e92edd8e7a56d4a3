/**
 * Fields of features that Kubernetes 1.36 has switched off: they are dropped, unless the stored object already uses
 * them. Stop signals, trust bundle and pod certificate projections, scheduling groups.
 */
import { withMember } from '../../../kube/immutable.ts';
import type {
  Container,
  EphemeralContainer,
  PodSpec,
  PodTemplateSpec,
  Volume,
  VolumeProjection,
} from '../../types/core-v1.ts';
import { listOf } from '../../rules/findings.ts';
import { subtreeMemo } from '../../rules/memo.ts';
import { mapShared } from '../../rules/sharing.ts';

const cleanContainers = subtreeMemo<readonly Container[], readonly Container[]>();
const cleanVolumes = subtreeMemo<readonly Volume[], readonly Volume[]>();

export function dropDisabledFields(spec: PodSpec, old: PodSpec | undefined): PodSpec {
  if (old !== undefined && spec === old) return spec;
  let kept = spec;
  if (!usesStopSignals(old)) {
    if (spec.containers !== undefined) kept = withMember(kept, 'containers', withoutStopSignals(spec.containers));
    if (spec.initContainers !== undefined) {
      kept = withMember(kept, 'initContainers', withoutStopSignals(spec.initContainers));
    }
    if (spec.ephemeralContainers !== undefined) {
      const containers = mapShared(spec.ephemeralContainers, withoutStopSignal<EphemeralContainer>);
      kept = withMember(kept, 'ephemeralContainers', containers);
    }
  }
  if (spec.volumes !== undefined) kept = withMember(kept, 'volumes', withoutProjections(spec.volumes, old));
  if (spec.schedulingGroup !== undefined && old?.schedulingGroup === undefined) {
    kept = withMember(kept, 'schedulingGroup', undefined);
  }
  return kept;
}

export function dropDisabledInTemplate(template: PodTemplateSpec, old: PodTemplateSpec | undefined): PodTemplateSpec {
  return template.spec === undefined
    ? template
    : withMember(template, 'spec', dropDisabledFields(template.spec, old?.spec));
}

const usesStopSignals = (spec: PodSpec | undefined): boolean =>
  spec !== undefined &&
  [...listOf(spec.containers), ...listOf(spec.initContainers), ...listOf(spec.ephemeralContainers)].some(
    ({ lifecycle }) => lifecycle?.stopSignal !== undefined,
  );

function withoutStopSignals(containers: readonly Container[]): readonly Container[] {
  const known = cleanContainers.get(containers);
  if (known !== undefined) return known;
  const clean = mapShared(containers, withoutStopSignal<Container>);
  cleanContainers.offer(containers, clean);
  return clean;
}

function withoutStopSignal<C extends Container | EphemeralContainer>(container: C): C {
  const { lifecycle } = container;
  if (lifecycle?.stopSignal === undefined) return container;
  const rest = withMember(lifecycle, 'stopSignal', undefined);
  const { lifecycle: _replaced, ...without } = container;
  return (Object.keys(rest).length === 0 ? without : { ...without, lifecycle: rest }) as C;
}

const PROJECTIONS = ['clusterTrustBundle', 'podCertificate'] as const;

function withoutProjections(volumes: readonly Volume[], old: PodSpec | undefined): readonly Volume[] {
  const dropped = PROJECTIONS.filter((key) => !usesProjection(old, key));
  const usual = dropped.length === PROJECTIONS.length;
  const known = usual ? cleanVolumes.get(volumes) : undefined;
  if (known !== undefined) return known;
  const clean = mapShared(volumes, (volume) => {
    if (volume.projected?.sources === undefined) return volume;
    const sources = mapShared(volume.projected.sources, (source) => withoutKeys(source, dropped));
    return withMember(volume, 'projected', withMember(volume.projected, 'sources', sources));
  });
  if (usual) cleanVolumes.offer(volumes, clean);
  return clean;
}

const withoutKeys = (source: VolumeProjection, keys: readonly (typeof PROJECTIONS)[number][]): VolumeProjection =>
  keys.reduce((kept, key) => withMember(kept, key, undefined), source);

const usesProjection = (spec: PodSpec | undefined, key: (typeof PROJECTIONS)[number]): boolean =>
  listOf(spec?.volumes).some(({ projected }) => listOf(projected?.sources).some((source) => source[key] !== undefined));
