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

interface Unfit {
  readonly name: string;
  readonly reason: string;
}

export interface ConformancePlan {
  readonly chosen: readonly Choice[];
  /** They would wait for ever for what everynode does not do. */
  readonly endless: readonly Unfit[];
  readonly unfit: readonly Unfit[];
}

/** What fails today, and why; asked in wide runs alone. A case that has begun to pass must leave this list. */
const FAILING: readonly (readonly [RegExp, string])[] = [
  [
    /API priority and fairness should ensure that requests can be classified/,
    'requests are limited by their number; flow schemas are kept, and obeyed by nobody',
  ],
  [/\[Feature:NodeAuthorizer\] Getting a secret for a workload/, 'there is no Node authorizer'],
];

/** What would fail by never coming to an end is not asked; there is no such case today. */
const ENDLESS: readonly (readonly [RegExp, string])[] = [];

const reasonIn = (list: readonly (readonly [RegExp, string])[], name: string): string | undefined =>
  list.find(([pattern]) => pattern.test(name))?.[1];

export const failureKnown = (name: string): string | undefined => reasonIn(FAILING, name);

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
  /^\[sig-node\] (?:Lease|NodeLease|RuntimeClass|PodTemplates|NoExecuteTaintManager|Node Lifecycle|Pods Extended (?:\(pod generation\)|Pods Set QOS)|\[DRA\] CRUD)/,
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
const MACHINES = 'logs in to the machines of a cloud, or upgrades them';
const CONTAINERS =
  'looks into a container or depends on what runs in it: nodes are simulated, their pods run no programs';
const NETWORK = 'calls a program in a pod over the network: nodes are simulated, nobody answers there';
const PROBES = 'depends on probes that fail: those of simulated pods succeed';

/** The first that fits says why. */
const UNFIT: readonly (readonly [RegExp, string])[] = [
  [/\[Feature:OffByDefault\]|\[Alpha\]|\[Feature:StorageVersionAPI\]/, OFF],
  [/DaemonRestart|Etcd failure|\[Feature:APIServerIdentity\]|\[Feature:StatefulUpgrade\]|master upgrade/, MACHINES],
  [/cloud load-balancer/, 'wants a load balancer of a cloud'],
  // Its own programs: webhooks, a server of custom resources, a web server.
  [/AdmissionWebhook|CustomResourceConversionWebhook|CustomResourceFieldSelectors/, NETWORK],
  [/sample-apiserver|Sample API Server|Aggregated APIServer|should serve a basic image on each replica/, NETWORK],
  [/EndpointSlice should support a Service with multiple/, NETWORK],
  [/Update Demo should/, NETWORK],
  [/ValidatingAdmissionPolicy can restrict access by-node/, CONTAINERS],
  [
    /custom-set generation on new pods and graceful delete/,
    'depends on pods that take their time to stop: simulated ones do not',
  ],
  [/NodeAuthenticator/, 'calls a kubelet at its port: nodes are simulated, nobody listens there'],
  [
    /ServiceAccounts (?:should mount|should support InClusterConfig|should set ownership|ServiceAccountIssuer)/,
    CONTAINERS,
  ],
  [
    /Deploy clustered applications|should provide basic identity|rolling updates and roll backs|should not deadlock when a pod's predecessor/,
    CONTAINERS,
  ],
  // Scripts that end otherwise the second time, or by their index.
  [
    /\] Job .*(?:backoffLimitPerIndex|FailIndex action|maxFailedIndexes|ignore failure matching|on exit code to fail the job early|successPolicy)/,
    CONTAINERS,
  ],
  [/\] Job should recreate pods only after they have failed/, CONTAINERS],
  [/RuntimeClass should (?:run|reject) a Pod requesting a RuntimeClass with an? (?:un)?configured handler/, CONTAINERS],
  [/UnhealthyPodEvictionPolicy/, PROBES],
  [/halt if any stateful pod is unhealthy|Burst scaling should run to completion even with unhealthy/, PROBES],
  [
    /Deployment deployment should support proportional scaling|observedGeneration field set in pod conditions/,
    'waits for an image that cannot be pulled: simulated nodes pull what is not called non-existent',
  ],
  [/with the async preemption/, 'depends on preStop hooks that take their time: simulated pods stop at once'],
  [
    /continue listing from the last key if the original version has been compacted/,
    'waits minutes for the past to be forgotten: everynode forgets by amount, not by time',
  ],
  [/\[Flaky\]/, 'does not always pass on Kubernetes either'],
  [/health handlers should contain necessary checks/, 'asks after the parts of a kube-apiserver, etcd among them'],
];

/** Too long to wait for before every change: each takes more than half a minute, most of it for nothing. */
const LONG: readonly RegExp[] = [
  /\[Slow\]/,
  /CustomResourceDefinition Watch|Garbage collector should support orphan deletion of custom resources/,
  /\] CronJob |iterative rollouts|AvailableReplicas should get updated|legacy replacement when the update strategy/,
  /works for multiple CRDs of|Kubectl expose should create services|issue 500 podspec updates|node status infrequently/,
  /NoExecuteTaintManager|Job should run a job to completion with CPU requests|not updated for unmanaged pods/,
];

const fits = (patterns: readonly RegExp[], name: string): boolean => patterns.some((pattern) => pattern.test(name));

/** Whoever waits longest should begin first, and not in a row with others of its sort. */
export const isSlow = (name: string): boolean => fits(LONG, name) || name.startsWith('[sig-scheduling]');

/** From the names of all cases. */
export function planConformance(names: readonly string[]): ConformancePlan {
  const chosen: Choice[] = [];
  const endless: Unfit[] = [];
  const unfit: Unfit[] = [];
  for (const name of [...new Set(names)].toSorted()) {
    if (!fits(IN_SCOPE, name)) continue;
    const reason = reasonIn(UNFIT, name);
    const lack = reasonIn(ENDLESS, name);
    const isSerial = /\[(?:Serial|Disruptive)\]/.test(name);
    const isCore = !fits(LONG, name) && failureKnown(name) === undefined;
    if (lack !== undefined) endless.push({ name, reason: lack });
    else if (reason === undefined) chosen.push({ name, isSerial, isCore });
    else unfit.push({ name, reason });
  }
  return { chosen, endless, unfit };
}
