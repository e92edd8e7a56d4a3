/** Windows options: rules for Windows pods, and options that Linux pods may not have. */
import { exceedsBytes } from '../../../kube/go-text.ts';
import { forbidden, invalid } from '../../../kube/field-errors.ts';
import { dns1123SubdomainProblems } from '../../../kube/names.ts';
import type { PodSpec, WindowsSecurityContextOptions } from '../../types/core-v1.ts';
import type { Findings } from '../../rules/findings.ts';
import { addTexts, isSet } from '../../rules/findings.ts';
import { visitContainers } from './containers.ts';

const MAX_CREDENTIAL_SPEC_KIB = 64;
const MAX_DOMAIN = 256;
const MAX_USER = 104;

export function validateWindowsOptions(
  found: Findings,
  options: WindowsSecurityContextOptions | undefined,
  path: string,
): void {
  if (options === undefined) return;
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  if (name !== undefined) addTexts(found, `${path}.gmsaCredentialSpecName`, name, dns1123SubdomainProblems(name));
  if (spec !== undefined) {
    const at = `${path}.gmsaCredentialSpec`;
    if (spec === '') found.push(invalid(at, spec, 'gmsaCredentialSpec cannot be an empty string'));
    else if (exceedsBytes(spec, MAX_CREDENTIAL_SPEC_KIB * 1024)) {
      found.push(invalid(at, spec, `gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_SPEC_KIB} KiB`));
    }
  }
  if (user !== undefined)
    for (const text of userNameProblems(user)) found.push(invalid(`${path}.runAsUserName`, asJson(user), text));
}

/** A value whose findings quote it as JSON, which escapes control characters in its own way. */
const asJson = (text: string): { toJSON: () => string } => ({ toJSON: () => text });

const CONTROL = /[\u0000-\u001f\u007f]/; // oxlint-disable-line no-control-regex -- what the rule is about
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;
const BAD_USER_CHARACTERS = /["/\\:;|=,+*?<>@[\]]/;

function userNameProblems(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const user = parts.at(-1) ?? '';
  const problems: string[] = [];
  if (domain !== undefined && exceedsBytes(domain, MAX_DOMAIN - 1)) {
    problems.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN} characters`);
  }
  if (domain !== undefined && !NETBIOS.test(domain) && !domain.split('.').every((label) => DNS_LABEL.test(label))) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (exceedsBytes(user, MAX_USER)) {
    problems.push(`runAsUserName's User length must not be longer than ${MAX_USER} characters`);
  }
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (BAD_USER_CHARACTERS.test(user)) {
    problems.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return problems;
}

/** Host process containers: all of a pod's containers or none, and on the host's network. */
export function validateHostProcess(found: Findings, spec: PodSpec, path: string): void {
  const podWide = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcesses = 0;
  visitContainers(spec, path, (container, at) => {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    containers++;
    if (own ?? podWide) hostProcesses++;
    if (podWide === undefined || own === undefined || podWide === own) return;
    const text = `pod hostProcess value must be identical if both are specified, was ${podWide}`;
    found.push(invalid(`${at()}.securityContext.windowsOptions.hostProcess`, own, text));
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) {
    const text = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    found.push(invalid(path, '', text));
  }
  if (!spec.hostNetwork) {
    const text = 'hostNetwork must be true if pod contains any hostProcess containers';
    found.push(invalid(`${path}.hostNetwork`, false, text));
  }
}

export function validateLinuxPod(found: Findings, spec: PodSpec, path: string): void {
  const text = 'windows options cannot be set for a linux pod';
  if (spec.securityContext?.windowsOptions !== undefined) {
    found.push(forbidden(`${path}.securityContext.windowsOptions`, text));
  }
  visitContainers(spec, path, ({ securityContext }, at) => {
    if (securityContext?.windowsOptions !== undefined) {
      found.push(forbidden(`${at()}.securityContext.windowsOptions`, text));
    }
  });
}

const LINUX_ONLY = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

export function validateWindowsPod(found: Findings, spec: PodSpec, path: string): void {
  const context = spec.securityContext ?? {};
  const refuse = (isGiven: boolean, at: string): void => {
    if (isGiven) found.push(forbidden(`${path}.${at}`, 'cannot be set for a windows pod'));
  };
  refuse(context.appArmorProfile !== undefined, 'securityContext.appArmorProfile');
  refuse(context.seLinuxOptions !== undefined, 'securityContext.seLinuxOptions');
  refuse(spec.hostUsers !== undefined, 'hostUsers');
  refuse(spec.hostPID === true, 'hostPID');
  refuse(spec.hostIPC === true, 'hostIPC');
  refuse(context.seccompProfile !== undefined, 'securityContext.seccompProfile');
  refuse(context.fsGroup !== undefined, 'securityContext.fsGroup');
  refuse(context.fsGroupChangePolicy !== undefined, 'securityContext.fsGroupChangePolicy');
  refuse(isSet(context.sysctls), 'securityContext.sysctls');
  refuse(spec.shareProcessNamespace !== undefined, 'shareProcessNamespace');
  refuse(context.runAsUser !== undefined, 'securityContext.runAsUser');
  refuse(context.runAsGroup !== undefined, 'securityContext.runAsGroup');
  refuse(context.supplementalGroups !== undefined, 'securityContext.supplementalGroups');
  refuse(context.supplementalGroupsPolicy !== undefined, 'securityContext.supplementalGroupsPolicy');
  refuse(context.seLinuxChangePolicy !== undefined, 'securityContext.seLinuxChangePolicy');
  visitContainers(spec, path, ({ securityContext }, at) => {
    for (const key of LINUX_ONLY) {
      if (securityContext?.[key] === undefined) continue;
      found.push(forbidden(`${at()}.securityContext.${key}`, 'cannot be set for a windows pod'));
    }
  });
}
