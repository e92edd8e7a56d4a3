/** Security contexts of pods and containers. */
import { exceedsBytes } from '../../../kube/go-text.ts';
import { invalid, notSupported, required, tooLong } from '../../../kube/field-errors.ts';
import { userIdProblems } from '../../../kube/value-formats.ts';
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from '../../types/core-v1.ts';
import type { Findings } from '../../rules/findings.ts';
import { addTexts, isSet, listOf } from '../../rules/findings.ts';
import { internalValue } from './internal-form.ts';
import type { PodOptions } from './options.ts';
import { validateDescendingPath } from '../../rules/paths.ts';
import { validateSysctls } from './sysctls.ts';
import { validateWindowsOptions } from './validate-windows.ts';

function validateId(found: Findings, id: number | undefined, path: string): void {
  if (id !== undefined) addTexts(found, path, id, userIdProblems(id));
}

const PROC_MOUNTS = ['Default', 'Unmasked'];

export function validateSecurityContext(
  found: Findings,
  context: SecurityContext | undefined,
  hostUsers: boolean,
  path: string,
): void {
  if (context === undefined) return;
  const { procMount } = context;
  validateId(found, context.runAsUser, `${path}.runAsUser`);
  validateId(found, context.runAsGroup, `${path}.runAsGroup`);
  if (procMount !== undefined) {
    const at = `${path}.procMount`;
    if (!PROC_MOUNTS.includes(procMount)) found.push(notSupported(at, procMount, PROC_MOUNTS));
    if (hostUsers && procMount === 'Unmasked') {
      found.push(invalid(at, procMount, '`hostUsers` must be false to use `Unmasked`'));
    }
  }
  validateSeccomp(found, context.seccompProfile, `${path}.seccompProfile`);
  if (context.allowPrivilegeEscalation === false) validateNoEscalation(found, context, path);
  validateWindowsOptions(found, context.windowsOptions, `${path}.windowsOptions`);
  validateAppArmor(found, context.appArmorProfile, `${path}.appArmorProfile`);
}

function validateNoEscalation(found: Findings, context: SecurityContext, path: string): void {
  const refuse = (text: string): void => {
    const shown = internalValue('core.SecurityContext', context);
    found.push(invalid(path, shown, `cannot set \`allowPrivilegeEscalation\` to false and ${text}`));
  };
  if (context.privileged === true) refuse('`privileged` to true');
  for (const capability of listOf(context.capabilities?.add)) {
    if (capability === 'CAP_SYS_ADMIN') refuse('`capabilities.Add` CAP_SYS_ADMIN');
  }
}

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccomp(found: Findings, profile: SeccompProfile | undefined, path: string): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (!type) found.push(required(`${path}.type`, 'type is required when seccompProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) found.push(notSupported(`${path}.type`, type, PROFILE_TYPES));
  const at = `${path}.localhostProfile`;
  if (type === 'Localhost') {
    if (localhostProfile === undefined) found.push(required(at, 'must be set when seccomp type is Localhost'));
    else validateDescendingPath(found, localhostProfile, at);
  } else if (localhostProfile !== undefined) {
    const shown = internalValue('core.SeccompProfile', profile);
    found.push(invalid(at, shown, 'can only be set when seccomp type is Localhost'));
  }
}

const MAX_PROFILE_BYTES = 4095;
const PROFILE_NEEDED = 'must be set when AppArmor type is Localhost';

export function validateAppArmor(found: Findings, profile: AppArmorProfile | undefined, path: string): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  const at = `${path}.localhostProfile`;
  if (!type) found.push(required(`${path}.type`, 'type is required when appArmorProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) found.push(notSupported(`${path}.type`, type, PROFILE_TYPES));
  else if (type !== 'Localhost') {
    if (localhostProfile !== undefined) {
      found.push(invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost'));
    }
  } else if (localhostProfile === undefined) found.push(required(at, PROFILE_NEEDED));
  else {
    if (localhostProfile.trim() !== localhostProfile) {
      found.push(invalid(at, localhostProfile, 'must not be padded with whitespace'));
    } else if (localhostProfile === '') found.push(required(at, PROFILE_NEEDED));
    if (exceedsBytes(localhostProfile, MAX_PROFILE_BYTES)) found.push(tooLong(at, MAX_PROFILE_BYTES));
  }
}

const FS_GROUP_CHANGES = ['Always', 'OnRootMismatch'];
const GROUP_POLICIES = ['Merge', 'Strict'];
const SELINUX_CHANGES = ['MountOption', 'Recursive'];

export function validatePodSecurityContext(found: Findings, spec: PodSpec, options: PodOptions, path: string): void {
  const context: PodSecurityContext = spec.securityContext ?? {};
  validateId(found, context.fsGroup, `${path}.fsGroup`);
  validateId(found, context.runAsUser, `${path}.runAsUser`);
  validateId(found, context.runAsGroup, `${path}.runAsGroup`);
  for (const [index, group] of listOf(context.supplementalGroups).entries()) {
    validateId(found, group, `${path}.supplementalGroups[${index}]`);
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const text = 'ShareProcessNamespace and HostPID cannot both be enabled';
    found.push(invalid(`${path}.shareProcessNamespace`, true, text));
  }
  if (isSet(context.sysctls)) {
    validateSysctls(found, listOf(context.sysctls), spec, options.allowHostSysctls, `${path}.sysctls`);
  }
  const { fsGroupChangePolicy, supplementalGroupsPolicy, seLinuxChangePolicy } = context;
  if (fsGroupChangePolicy !== undefined && !FS_GROUP_CHANGES.includes(fsGroupChangePolicy)) {
    found.push(notSupported(`${path}.fsGroupChangePolicy`, fsGroupChangePolicy, FS_GROUP_CHANGES));
  }
  validateSeccomp(found, context.seccompProfile, `${path}.seccompProfile`);
  validateWindowsOptions(found, context.windowsOptions, `${path}.windowsOptions`);
  validateAppArmor(found, context.appArmorProfile, `${path}.appArmorProfile`);
  if (supplementalGroupsPolicy !== undefined && !GROUP_POLICIES.includes(supplementalGroupsPolicy)) {
    found.push(notSupported(`${path}.supplementalGroupsPolicy`, supplementalGroupsPolicy, GROUP_POLICIES));
  }
  const changes = options.allowAnySELinuxChangePolicy ? SELINUX_CHANGES : ['Recursive'];
  if (seLinuxChangePolicy !== undefined && !changes.includes(seLinuxChangePolicy)) {
    found.push(notSupported(`${path}.seLinuxChangePolicy`, seLinuxChangePolicy, changes));
  }
}
