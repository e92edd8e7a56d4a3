/**
 * Defaults that can be written as a table of fields and values. Readers count on these fields being there (kubectl
 * describes an EndpointSlice whose ports have no protocol by crashing).
 */
import type { KubeObject } from '../../kube/objects.ts';
import { autoscalerDefaults } from './autoscaler-defaults.ts';
import { mapped } from '../rules/objects.ts';

type Bag = { readonly [field: string]: unknown };
type Change = (value: Bag) => Bag;
export type Defaults = (object: KubeObject) => KubeObject;

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fills in absent members; with `zero`, also members that are 0 or empty. */
function filled(bag: Bag, values: Bag, zero = false): Bag {
  let result = bag;
  for (const [field, value] of Object.entries(values)) {
    const present = bag[field];
    if (present === undefined || (zero && (present === 0 || present === ''))) result = { ...result, [field]: value };
  }
  return result;
}

/**
 * Applies `change` to the value at a path, or to every element where the value is a list; absent members stay absent.
 */
function at(path: string, change: Change): Change {
  const dot = path.indexOf('.');
  const field = dot === -1 ? path : path.slice(0, dot);
  const inner = dot === -1 ? change : at(path.slice(dot + 1), change);
  const each = (value: unknown): unknown => (isBag(value) ? inner(value) : value);
  return (bag) => {
    const before = bag[field];
    const after = Array.isArray(before) ? mapped(before as readonly unknown[], each) : each(before);
    return after === before ? bag : { ...bag, [field]: after };
  };
}

const all =
  (...changes: readonly Change[]): Change =>
  (bag) =>
    changes.reduce((value, change) => change(value), bag);

const MATCHES: Change = (bag) => filled(bag, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} });
const ALL_SCOPES: Change = (rule) => filled(rule, { scope: '*' });
const MATCH_RESOURCES = all(MATCHES, at('resourceRules', ALL_SCOPES), at('excludeResourceRules', ALL_SCOPES));
const WEBHOOK = all(
  (webhook) => filled(MATCHES(webhook), { failurePolicy: 'Fail', timeoutSeconds: 10 }),
  at('rules', ALL_SCOPES),
  at('clientConfig.service', (service) => filled(service, { port: 443 })),
);
const POLICY = at(
  'spec',
  all((spec) => filled(spec, { failurePolicy: 'Fail' }), at('matchConstraints', MATCH_RESOURCES)),
);
const POLICY_BINDING = at('spec.matchResources', MATCH_RESOURCES);

const networkPolicyTypes: Change = (spec) => {
  const { policyTypes, egress } = spec as { policyTypes?: readonly string[]; egress?: readonly unknown[] };
  if (policyTypes !== undefined && policyTypes.length > 0) return spec;
  return { ...spec, policyTypes: egress !== undefined && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'] };
};
const TCP: Change = (port) => filled(port, { protocol: 'TCP' });

const csiDriver: Change = (spec) => {
  const modes = spec['volumeLifecycleModes'] as readonly string[] | undefined;
  const withModes = modes?.length ? spec : { ...spec, volumeLifecycleModes: ['Persistent'] };
  return filled(withModes, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
  });
};

const deviceRequest: Change = (request) => {
  const moded = filled(request, { allocationMode: 'ExactCount' }, true);
  return moded['allocationMode'] === 'ExactCount' ? filled(moded, { count: 1 }, true) : moded;
};
const DEVICE_REQUESTS = at('devices.requests', all(at('exactly', deviceRequest), at('firstAvailable', deviceRequest)));

const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['discovery.k8s.io/endpointslices', at('ports', (port) => filled(port, { name: '', protocol: 'TCP' }))],
  [
    'networking.k8s.io/networkpolicies',
    at('spec', all(networkPolicyTypes, at('ingress.ports', TCP), at('egress.ports', TCP))),
  ],
  ['networking.k8s.io/ingressclasses', at('spec.parameters', (parameters) => filled(parameters, { scope: 'Cluster' }))],
  ['storage.k8s.io/csidrivers', at('spec', csiDriver)],
  ['autoscaling/horizontalpodautoscalers', autoscalerDefaults],
  ['flowcontrol.apiserver.k8s.io/flowschemas', at('spec', (spec) => filled(spec, { matchingPrecedence: 1000 }, true))],
  [
    'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
    at(
      'spec',
      all(
        at('exempt', (exempt) => filled(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 })),
        at('limited', (limited) => filled(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 })),
        at('limited.limitResponse.queuing', (queuing) =>
          filled(queuing, { queues: 64, handSize: 8, queueLengthLimit: 50 }, true),
        ),
      ),
    ),
  ],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', at('webhooks', WEBHOOK)],
  [
    'admissionregistration.k8s.io/mutatingwebhookconfigurations',
    at('webhooks', (webhook) => filled(WEBHOOK(webhook), { reinvocationPolicy: 'Never' })),
  ],
  ['admissionregistration.k8s.io/validatingadmissionpolicies', POLICY],
  ['admissionregistration.k8s.io/mutatingadmissionpolicies', POLICY],
  ['admissionregistration.k8s.io/validatingadmissionpolicybindings', POLICY_BINDING],
  ['admissionregistration.k8s.io/mutatingadmissionpolicybindings', POLICY_BINDING],
  ['resource.k8s.io/resourceclaims', at('spec', DEVICE_REQUESTS)],
  ['resource.k8s.io/resourceclaimtemplates', at('spec.spec', DEVICE_REQUESTS)],
]);

/** The defaults of a kind of this table, for a strategy of its own. */
export function simpleDefaults<T extends object>(key: string): (object: T) => T {
  const change = CHANGES.get(key);
  return change === undefined ? (object) => object : (object) => change(object as Bag) as T;
}

/** Kinds whose PUT must carry a resourceVersion, beside those that have a file of their own. */
const CONDITIONAL_UPDATES: ReadonlySet<string> = new Set([
  'certificates.k8s.io/clustertrustbundles',
  'certificates.k8s.io/podcertificaterequests',
  'coordination.k8s.io/leasecandidates',
  'storagemigration.k8s.io/storageversionmigrations',
]);

/** Defaults and PUT behaviour of a kind that is otherwise generic, by its key in the tables of registry/kinds.ts. */
export function simpleTraits(key: string): { defaults?: Defaults; allowUnconditionalUpdate?: false } {
  const change = CHANGES.get(key);
  return {
    ...(change === undefined
      ? {}
      : { defaults: (object) => change(object as unknown as Bag) as unknown as KubeObject }),
    ...(CONDITIONAL_UPDATES.has(key) ? { allowUnconditionalUpdate: false } : {}),
  };
}
