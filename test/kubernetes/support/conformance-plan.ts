/**
 * Which of Kubernetes' own cases are asked of everynode, and why the others are not. Whole groups are taken where their
 * subject is ours; of the other groups, the cases about objects of the API alone.
 */
import type { E2eCase } from './e2e.ts';

export interface Choice {
  readonly name: string;
  /** Wants the cluster for itself. */
  readonly isSerial: boolean;
  /** Asked before every change; the others in `npm run soak`. */
  readonly isCore: boolean;
}

export interface Unfit {
  readonly name: string;
  readonly reason: string;
}

export interface ConformancePlan {
  readonly chosen: readonly Choice[];
  readonly unfit: readonly Unfit[];
}

/** What fails today, and why. A case that has begun to pass must leave this list. */
const FAILING: readonly (readonly [RegExp, string])[] = [];

export const failureKnown = (name: string): string | undefined => FAILING.find(([pattern]) => pattern.test(name))?.[1];

/** What a run must not end with: failures that nobody knew of, and successes of what is said to fail. */
export const faultsOf = (cases: readonly E2eCase[]): readonly string[] =>
  cases.flatMap(({ name, outcome, reason }) => {
    const known = failureKnown(name);
    if (outcome === 'failed' && known === undefined) return [`${name}: ${reason}`];
    return outcome === 'passed' && known !== undefined ? [`${name} passes now: take it off the list of failures`] : [];
  });

const IN_SCOPE: readonly RegExp[] = [
  /^\[sig-(?:apps|scheduling|api-machinery|auth)\] /,
  /^\[sig-architecture\] Conformance Tests/,
  /^\[sig-instrumentation\] Events/,
  /^\[sig-node\] (?:Lease|NodeLease|RuntimeClass|PodTemplates|NoExecuteTaintManager|Node Lifecycle|Pods Extended|\[DRA\] CRUD)/,
  /^\[sig-node\] Pods should (?:be submitted|be updated|delete a collection|get a host IP|patch a pod status|run through|allow active)/,
  /^\[sig-node\] (?:ConfigMap|Secrets) should (?:fail to create|run through a ConfigMap lifecycle|update ConfigMap|patch a secret)/,
  /^\[sig-network\] (?:EndpointSlice|Endpoints|EndpointsController|EndpointSliceMirroring|API Server) .*\[Conformance\]/,
  /^\[sig-network\] (?:Ingress API|IngressClass API|ServiceCIDR and IPAddress API) .*\[Conformance\]/,
  /^\[sig-network\] Services should (?:complete a service status|delete a collection|find a service)/,
  /^\[sig-storage\] (?:CSIInlineVolumes|CSINodes|CSIStorageCapacity|PersistentVolumes CSI) .*\[Conformance\]/,
  /^\[sig-storage\] (?:StorageClasses CSI|VolumeAttachment Conformance|VolumeAttributesClass) .*\[Conformance\]/,
  /^\[sig-storage\] (?:ConfigMap|Secrets) should be immutable/,
  /^\[sig-cli\] Kubectl client Kubectl (?:api-versions|apply|create quota|describe|diff|events|expose|label|patch|replace) /,
  /^\[sig-cli\] Kubectl client (?:Kubectl (?:run pod|server-side dry-run|taint|validation|version)|kubectl (?:subresource|wait)|Update Demo)/,
];

const OFF = 'of a feature that Kubernetes leaves off';
const CONTAINERS = 'looks into a container: nodes are simulated, nothing runs in their pods';
const NETWORK = 'calls a program in a pod over the network: nodes are simulated';
const MACHINES = 'logs in to the machines of a cloud';

/** The first that fits says why. */
const UNFIT: readonly (readonly [RegExp, string])[] = [[/\[Feature:OffByDefault\]|\[Alpha\]/, OFF]];

/** Too long to wait for before every change: each takes more than half a minute. */
const LONG: readonly RegExp[] = [/\[Slow\]/];

const fits = (patterns: readonly RegExp[], name: string): boolean => patterns.some((pattern) => pattern.test(name));

/** From the names of all cases. */
export function planConformance(names: readonly string[]): ConformancePlan {
  const chosen: Choice[] = [];
  const unfit: Unfit[] = [];
  for (const name of [...new Set(names)].toSorted()) {
    if (!fits(IN_SCOPE, name)) continue;
    const reason = UNFIT.find(([pattern]) => pattern.test(name))?.[1];
    if (reason === undefined)
      chosen.push({ name, isSerial: /\[(?:Serial|Disruptive)\]/.test(name), isCore: !fits(LONG, name) });
    else unfit.push({ name, reason });
  }
  return { chosen, unfit };
}
