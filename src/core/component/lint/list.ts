/** Every lint, in the order in which findings of one line are reported and the reference page lists them. */
import { boundsWithoutEffect } from './lints/bounds-without-effect.ts';
import { capabilitiesBesidePrivileged } from './lints/capabilities-beside-privileged.ts';
import { capabilitiesNotDropped } from './lints/capabilities-not-dropped.ts';
import { dangerousCapability } from './lints/dangerous-capability.ts';
import { defaultResources } from './lints/default-resources.ts';
import { fileBecomesDirectory } from './lints/file-becomes-directory.ts';
import { fractionOfAByte } from './lints/fraction-of-a-byte.ts';
import { hostPortClash } from './lints/host-port-clash.ts';
import { labelWithoutEffect } from './lints/label-without-effect.ts';
import { latestImage } from './lints/latest-image.ts';
import { literalSecret } from './lints/literal-secret.ts';
import { missingLimits } from './lints/missing-limits.ts';
import { missingObject } from './lints/missing-object.ts';
import { missingReadiness } from './lints/missing-readiness.ts';
import { missingRequests } from './lints/missing-requests.ts';
import { podSecurity } from './lints/pod-security.ts';
import { podSecurityLevel } from './lints/pod-security-level.ts';
import { privilegedContainer } from './lints/privileged.ts';
import { readsFile } from './lints/reads-file.ts';
import { readsOutside } from './lints/reads-outside.ts';
import { readsVariable } from './lints/reads-variable.ts';
import { retiredTaint } from './lints/retired-taint.ts';
import { rightsIgnored } from './lints/rights-ignored.ts';
import { secretNamespaceIgnored } from './lints/secret-namespace-ignored.ts';
import { selectorOverlap } from './lints/selector-overlap.ts';
import { silenceWithoutReason } from './lints/silence-without-reason.ts';
import { tolerateEverything } from './lints/tolerate-everything.ts';
import { unknownSilence } from './lints/unknown-silence.ts';
import { volumeWithoutSource } from './lints/volume-without-source.ts';
import { wildcardRights } from './lints/wildcard-rights.ts';
import { writableHostPath } from './lints/writable-host-path.ts';

export const LINTS = [
  podSecurity,
  podSecurityLevel,
  hostPortClash,
  selectorOverlap,
  missingObject,
  defaultResources,
  fractionOfAByte,
  missingLimits,
  missingRequests,
  latestImage,
  privilegedContainer,
  capabilitiesBesidePrivileged,
  dangerousCapability,
  capabilitiesNotDropped,
  writableHostPath,
  fileBecomesDirectory,
  missingReadiness,
  literalSecret,
  secretNamespaceIgnored,
  tolerateEverything,
  retiredTaint,
  boundsWithoutEffect,
  rightsIgnored,
  wildcardRights,
  labelWithoutEffect,
  volumeWithoutSource,
  readsOutside,
  readsVariable,
  readsFile,
  unknownSilence,
  silenceWithoutReason,
] as const;

export type LintName = (typeof LINTS)[number]['name'];

/** The code of a lint, as errors have one: EN_LINT_ and its name. */
export const lintCode = (name: LintName): string => `EN_LINT_${name.replaceAll('-', '_').toUpperCase()}`;
