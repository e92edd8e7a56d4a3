/** Which checks make up a level in a version, and what they find. */
import type { PodSpec } from '../types/core-v1.ts';
import * as baseline from './baseline.ts';
import type { Level, LevelVersion } from './policy.ts';
import * as restricted from './restricted.ts';
import { type Check, type Finding, subjectOf } from './subject.ts';

interface VersionedCheck {
  readonly since: number;
  readonly check: Check;
}

interface Rule {
  readonly id: string;
  readonly level: Exclude<Level, 'privileged'>;
  /** Ordered by version; later checks replace earlier ones. */
  readonly versions: readonly VersionedCheck[];
  /** The baseline check that this check takes the place of. */
  readonly instead?: string;
}

const rule = (
  level: Rule['level'],
  id: string,
  versions: { readonly [since: number]: Check },
  instead?: string,
): Rule => ({
  id,
  level,
  versions: Object.entries(versions).map(([since, check]) => ({ since: Number(since), check })),
  ...(instead === undefined ? {} : { instead }),
});

/** In the order in which findings are listed. */
const RULES: readonly Rule[] = [
  rule('baseline', 'appArmorProfile', { 0: baseline.appArmorProfile }),
  rule('baseline', 'capabilities_baseline', { 0: baseline.capabilities }),
  rule('baseline', 'hostNamespaces', { 0: baseline.hostNamespaces }),
  rule('baseline', 'hostPathVolumes', { 0: baseline.hostPathVolumes }),
  rule('baseline', 'hostPorts', { 0: baseline.hostPorts }),
  rule('baseline', 'hostProbesAndHostLifecycle', { 34: baseline.hostProbes }),
  rule('baseline', 'privileged', { 0: baseline.privileged }),
  rule('baseline', 'procMount', { 0: baseline.procMount, 35: baseline.procMountOutsideUsers }),
  rule('baseline', 'seLinuxOptions', { 0: baseline.seLinuxOptions, 31: baseline.seLinuxOptionsWithEngine }),
  rule('baseline', 'seccompProfile_baseline', { 0: baseline.seccompAnnotations, 19: baseline.seccompProfile }),
  rule('baseline', 'sysctls', {
    0: baseline.sysctls,
    27: baseline.sysctls27,
    29: baseline.sysctls29,
    32: baseline.sysctls32,
  }),
  rule('baseline', 'windowsHostProcess', { 0: baseline.windowsHostProcess }),
  rule('restricted', 'allowPrivilegeEscalation', {
    8: restricted.allowPrivilegeEscalation,
    25: restricted.unlessWindows(restricted.allowPrivilegeEscalation),
  }),
  rule(
    'restricted',
    'capabilities_restricted',
    {
      22: restricted.unrestrictedCapabilities,
      25: restricted.unlessWindows(restricted.unrestrictedCapabilities),
    },
    'capabilities_baseline',
  ),
  rule('restricted', 'procMount_restricted', { 35: baseline.procMount }, 'procMount'),
  rule('restricted', 'restrictedVolumes', { 0: restricted.restrictedVolumes }, 'hostPathVolumes'),
  rule('restricted', 'runAsNonRoot', {
    0: restricted.runAsNonRoot,
    35: restricted.unlessOwnUsers(restricted.runAsNonRoot),
  }),
  rule('restricted', 'runAsUser', { 23: restricted.runAsUser, 35: restricted.unlessOwnUsers(restricted.runAsUser) }),
  rule(
    'restricted',
    'seccompProfile_restricted',
    { 19: restricted.seccompRequired, 25: restricted.unlessWindows(restricted.seccompRequired) },
    'seccompProfile_baseline',
  ),
];

/** The newest version with a rule of its own; later versions have the same rules. */
const NEWEST = Math.max(...RULES.flatMap(({ versions }) => versions.map(({ since }) => since)));

const byLevel = new Map<string, readonly Check[]>();

function checksOf({ level, version }: LevelVersion): readonly Check[] {
  if (level === 'privileged') return [];
  const minor = Math.min(version, NEWEST);
  const id = `${level}/${minor}`;
  let checks = byLevel.get(id);
  if (checks === undefined) {
    const rules = RULES.filter((each) => level === 'restricted' || each.level === 'baseline');
    const present = rules.filter(({ versions }) => versions.some(({ since }) => since <= minor));
    const replaced = new Set(present.map(({ instead }) => instead));
    checks = present
      .filter(({ id: own }) => !replaced.has(own))
      .flatMap(({ versions }) => versions.findLast(({ since }) => since <= minor)?.check ?? []);
    byLevel.set(id, checks);
  }
  return checks;
}

/** All findings against the pod at this level; none if the pod is admitted. */
export function evaluate(
  level: LevelVersion,
  annotations: { readonly [key: string]: string } | undefined,
  spec: PodSpec,
): readonly Finding[] {
  const checks = checksOf(level);
  if (checks.length === 0) return [];
  const subject = subjectOf(annotations, spec);
  return checks.flatMap((check) => check(subject) ?? []);
}

/** `host namespaces (hostNetwork=true), privileged (container "a" …)`. */
export const detailText = (findings: readonly Finding[]): string =>
  findings.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');

export const reasonText = (findings: readonly Finding[]): string => findings.map(({ reason }) => reason).join(', ');
