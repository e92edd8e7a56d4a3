/** Annotations that mean something to Kubernetes: mirror pods, and the profiles that became fields. */
import { forbidden, invalid } from '../../../kube/field-errors.ts';
import type { FieldError } from '../../../kube/field-errors.ts';
import { field } from '../../../kube/field-errors.ts';
import { goQuote } from '../../../kube/go-text.ts';
import type { AppArmorProfile, PodSpec, SeccompProfile, Toleration } from '../../types/core-v1.ts';
import { visitContainers } from './containers.ts';
import { DELETION_COST, deletionCostIsFine } from './deletion-cost.ts';
import type { Findings, StringMap } from '../../rules/findings.ts';
import { has, lookup } from '../../rules/findings.ts';
import type { PodOptions } from './options.ts';
import { validateDescendingPath } from '../../rules/paths.ts';
import { validateTolerations } from './validate-scheduling.ts';

export const MIRROR_POD = 'kubernetes.io/config.mirror';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
export const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
export const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
export const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

export function validatePodAnnotations(
  found: Findings,
  annotations: StringMap | undefined,
  spec: PodSpec,
  options: PodOptions,
  path: string,
): void {
  if (annotations === undefined) return;
  const mirror = lookup(annotations, MIRROR_POD);
  if (mirror !== undefined && !spec.nodeName) {
    const text = 'must set spec.nodeName if mirror pod annotation is set';
    found.push(invalid(field.key(path, MIRROR_POD), mirror, text));
  }
  const tolerations = lookup(annotations, TOLERATIONS);
  if (tolerations) validateTolerationsText(found, tolerations, options, path);
  if (!options.allowInvalidDeletionCost && !deletionCostIsFine(annotations)) {
    found.push(invalid(field.key(path, DELETION_COST), lookup(annotations, DELETION_COST), 'must be a 32bit integer'));
  }
  const podProfile = lookup(annotations, SECCOMP_POD);
  if (podProfile !== undefined) validateSeccompName(found, podProfile, field.child(path, SECCOMP_POD));
  for (const key in annotations) {
    const value = annotations[key] ?? '';
    if (key.startsWith(SECCOMP_CONTAINER)) validateSeccompName(found, value, field.child(path, key));
    else if (key.startsWith(APP_ARMOR)) validateAppArmorName(found, key, value, spec, path);
  }
}

function validateTolerationsText(found: Findings, text: string, options: PodOptions, path: string): void {
  let tolerations: unknown;
  try {
    tolerations = JSON.parse(text);
  } catch (error) {
    found.push(invalid(path, TOLERATIONS, error instanceof Error ? error.message : String(error)));
    return;
  }
  if (Array.isArray(tolerations) && tolerations.every((entry) => typeof entry === 'object' && entry !== null)) {
    validateTolerations(found, tolerations as readonly Toleration[], options, field.child(path, TOLERATIONS));
  } else found.push(invalid(path, TOLERATIONS, 'json: cannot unmarshal into a list of tolerations'));
}

const LOCALHOST = 'localhost/';

function validateSeccompName(found: Findings, profile: string, path: string): void {
  if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return;
  if (profile.startsWith(LOCALHOST)) validateDescendingPath(found, profile.slice(LOCALHOST.length), path);
  else found.push(invalid(path, profile, 'must be a valid seccomp profile'));
}

function validateAppArmorName(found: Findings, key: string, value: string, spec: PodSpec, path: string): void {
  const name = key.slice(APP_ARMOR.length);
  let exists = false;
  visitContainers(spec, '', (container) => {
    exists ||= container.name === name;
  });
  if (!exists) found.push(invalid(field.key(path, key), name, 'container not found'));
  const known = value === '' || value === 'runtime/default' || value === 'unconfined' || value.startsWith(LOCALHOST);
  if (!known) found.push(invalid(field.key(path, key), value, `invalid AppArmor profile name: ${goQuote(value)}`));
}

/** On an update these annotations stay as they are. */
export function validateAnnotationChanges(
  found: Findings,
  annotations: StringMap | undefined,
  old: StringMap | undefined,
  path: string,
): void {
  if (annotations === old) return;
  const refuse = (key: string, what: (kind: string) => string): void => {
    const at = field.key(path, key);
    if (key.startsWith(APP_ARMOR)) found.push(forbidden(at, what('AppArmor annotations')));
    if (key === MIRROR_POD) found.push(forbidden(at, what('mirror pod annotation')));
  };
  for (const key in old) {
    if (lookup(annotations, key) !== old[key]) refuse(key, (kind) => `may not remove or update ${kind}`);
  }
  for (const key in annotations) if (!has(old, key)) refuse(key, (kind) => `may not add ${kind}`);
}

/** Where both the old annotation and the field are there, they say the same. */
export function validateProfilesMatch(
  found: Findings,
  annotations: StringMap | undefined,
  spec: PodSpec,
  path: string,
): void {
  if (annotations === undefined) return;
  const podSeccomp = spec.securityContext?.seccompProfile;
  const push = (error: FieldError | undefined): void => {
    if (error !== undefined) found.push(error);
  };
  push(
    mismatch('seccomp', lookup(annotations, SECCOMP_POD), podSeccomp, () => `${path}.securityContext.seccompProfile`),
  );
  visitContainers(spec, path, ({ name, securityContext }, at) => {
    const annotation = lookup(annotations, `${SECCOMP_CONTAINER}${name}`);
    const profile = securityContext?.seccompProfile;
    push(mismatch('seccomp', annotation, profile, () => `${at()}.securityContext.seccompProfile`));
  });
  if (spec.os?.name === 'windows') return;
  visitContainers(spec, path, ({ name, securityContext }, at) => {
    const annotation = lookup(annotations, `${APP_ARMOR}${name}`);
    const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    push(mismatch('apparmor', annotation, profile, () => `${at()}.securityContext.appArmorProfile`));
  });
}

function mismatch(
  system: 'seccomp' | 'apparmor',
  annotation: string | undefined,
  profile: SeccompProfile | AppArmorProfile | undefined,
  path: () => string,
): FieldError | undefined {
  if (annotation === undefined || profile === undefined) return undefined;
  const wrongType = (): FieldError => forbidden(`${path()}.type`, `${system} type in annotation and field must match`);
  switch (profile.type) {
    case 'Unconfined':
      return annotation === 'unconfined' ? undefined : wrongType();
    case 'RuntimeDefault': {
      const same = annotation === 'runtime/default' || (system === 'seccomp' && annotation === 'docker/default');
      return same ? undefined : wrongType();
    }
    case 'Localhost':
      if (!annotation.startsWith(LOCALHOST)) return wrongType();
      return annotation.slice(LOCALHOST.length) === profile.localhostProfile
        ? undefined
        : forbidden(`${path()}.localhostProfile`, `${system} profile in annotation and field must match`);
    default:
      return undefined;
  }
}

/** The profile an AppArmor annotation asks for, where it is a sensible one. */
export function appArmorFromAnnotation(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const name = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : '';
  return name === '' ? undefined : { type: 'Localhost', localhostProfile: name };
}
