/**
 * Validation ratcheting for pods: rules that are relaxed because the stored object violates them already. Rules grew
 * stricter over the years; an object that was valid once must stay changeable in its other fields.
 */
import type { ObjectMeta } from '../../../kube/meta-v1.ts';
import { labelValueProblems } from '../../../kube/names.ts';
import type { PodAffinityTerm, PodSpec, PodTemplateSpec } from '../../types/core-v1.ts';
import { isSidecar } from './defaults/default-pod-resources.ts';
import { knownFine } from './fine-specs.ts';
import { isSet, listOf } from '../../rules/findings.ts';
import { localPathIsFine } from '../../rules/paths.ts';
import { usesIndivisibleHugePages } from './validate-resources.ts';
import { hostSysctlProblem } from './sysctls.ts';
import { hasInvalidSelector, matchLabelKeysFindings } from './label-keys.ts';
import { deletionCostIsFine } from './deletion-cost.ts';

export interface PodOptions {
  /** The spec stands in a pod, not in a template. */
  readonly isPod: boolean;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowInvalidSelectorValues: boolean;
  readonly allowInvalidNodeAffinityValues: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowInvalidSpreadSelectors: boolean;
  readonly oldMatchLabelKeysAreInvalid: boolean;
  readonly allowNonLocalTokenPaths: boolean;
  readonly allowHostSysctls: boolean;
  readonly allowAnySELinuxChangePolicy: boolean;
  readonly allowRestartOnInitResize: boolean;
  readonly allowDevicesInUserNamespace: boolean;
  readonly allowComparisonTolerations: boolean;
  readonly allowHostNetworkInUserNamespace: boolean;
}

export const CREATE_TEMPLATE: PodOptions = Object.freeze({
  isPod: false,
  allowInvalidDeletionCost: false,
  allowInvalidSelectorValues: false,
  allowInvalidNodeAffinityValues: false,
  allowIndivisibleHugePages: false,
  allowInvalidSpreadSelectors: false,
  oldMatchLabelKeysAreInvalid: false,
  allowNonLocalTokenPaths: false,
  allowHostSysctls: false,
  allowAnySELinuxChangePolicy: false,
  allowRestartOnInitResize: false,
  allowDevicesInUserNamespace: false,
  allowComparisonTolerations: false,
  allowHostNetworkInUserNamespace: false,
});

export const CREATE_POD: PodOptions = Object.freeze({ ...CREATE_TEMPLATE, isPod: true });

/** Options for an update of a pod or workload whose stored spec and metadata are these. */
export function optionsFromOld(spec: PodSpec, meta: ObjectMeta | undefined, isPod: boolean): PodOptions {
  const usual = isPod ? CREATE_POD : CREATE_TEMPLATE;
  if (knownFine(spec, isPod) !== undefined && isUsual(spec, meta)) return usual;
  const options = readOptions(spec, meta, isPod);
  return Object.values(options).filter(Boolean).length === (isPod ? 1 : 0) ? usual : options;
}

/** False if the spec has one of the values that the fine-spec check accepts, but that need an option on update. */
const isUsual = (spec: PodSpec, meta: ObjectMeta | undefined): boolean =>
  spec.securityContext?.seLinuxChangePolicy === undefined &&
  spec.affinity?.podAffinity === undefined &&
  spec.affinity?.podAntiAffinity === undefined &&
  !hasInvalidNodeAffinityValues(spec) &&
  deletionCostIsFine(meta?.annotations);

function readOptions(spec: PodSpec, meta: ObjectMeta | undefined, isPod: boolean): PodOptions {
  const constraints = listOf(spec.topologySpreadConstraints);
  const inUserNamespace = spec.hostUsers === false;
  const containers = [...listOf(spec.initContainers), ...listOf(spec.containers), ...listOf(spec.ephemeralContainers)];
  return {
    isPod,
    allowInvalidDeletionCost: !deletionCostIsFine(meta?.annotations),
    allowInvalidSelectorValues: affinityTerms(spec).some(
      ({ labelSelector, namespaceSelector }) =>
        hasInvalidSelector(labelSelector) || hasInvalidSelector(namespaceSelector),
    ),
    allowInvalidNodeAffinityValues: hasInvalidNodeAffinityValues(spec),
    allowIndivisibleHugePages: usesIndivisibleHugePages(spec, containers),
    allowInvalidSpreadSelectors: constraints.some(({ labelSelector }) => hasInvalidSelector(labelSelector)),
    oldMatchLabelKeysAreInvalid: constraints.some(
      ({ matchLabelKeys, labelSelector }) =>
        matchLabelKeysFindings(matchLabelKeys, undefined, labelSelector, '').length > 0,
    ),
    allowNonLocalTokenPaths: hasNonLocalTokenPath(spec),
    allowHostSysctls: listOf(spec.securityContext?.sysctls).some(
      ({ name }) => hostSysctlProblem(name, spec) !== undefined,
    ),
    allowAnySELinuxChangePolicy: spec.securityContext?.seLinuxChangePolicy !== undefined,
    allowRestartOnInitResize: listOf(spec.initContainers).some(
      (container) =>
        !isSidecar(container) &&
        listOf(container.resizePolicy).some(({ restartPolicy }) => restartPolicy === 'RestartContainer'),
    ),
    allowDevicesInUserNamespace: inUserNamespace && containers.some(({ volumeDevices }) => isSet(volumeDevices)),
    allowComparisonTolerations: listOf(spec.tolerations).some(({ operator }) => operator === 'Lt' || operator === 'Gt'),
    allowHostNetworkInUserNamespace: inUserNamespace && spec.hostNetwork === true,
  };
}

export const optionsFromOldTemplate = (template: PodTemplateSpec | undefined): PodOptions =>
  template?.spec === undefined ? CREATE_TEMPLATE : optionsFromOld(template.spec, template.metadata, false);

function affinityTerms({ affinity }: PodSpec): readonly PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((rules) => [
    ...listOf(rules?.requiredDuringSchedulingIgnoredDuringExecution),
    ...listOf(rules?.preferredDuringSchedulingIgnoredDuringExecution).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}

function hasInvalidNodeAffinityValues({ affinity }: PodSpec): boolean {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return listOf(terms).some(({ matchExpressions }) =>
    listOf(matchExpressions).some(({ values }) => listOf(values).some((value) => labelValueProblems(value).length > 0)),
  );
}

function hasNonLocalTokenPath({ volumes }: PodSpec): boolean {
  return listOf(volumes).some(({ projected }) =>
    listOf(projected?.sources).some(
      ({ serviceAccountToken }) => serviceAccountToken !== undefined && !localPathIsFine(serviceAccountToken.path),
    ),
  );
}
