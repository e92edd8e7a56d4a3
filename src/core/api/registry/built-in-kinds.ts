/** Puts each kind together from the facts, the tables of ./kinds.ts, and what is generic. */
import type { KindDefinition, KindConversion, KindStrategy, StorageIdentity } from '../kind/kind-definition.ts';
import { KUBERNETES_RESOURCES } from '../facts/kubernetes-resources.ts';
import { COMPONENT_PLURAL } from '../component/generations.ts';
import { OWN_RESOURCES } from '../facts/own-resources.ts';
import { simpleTraits } from '../kinds/simple-defaults.ts';
import { nameAndAgePrinter } from '../printers/default.ts';
import { eventConversion } from './convert-events.ts';
import { autoscalerConversion } from './convert-autoscalers.ts';
import { createGenericStrategy, nameIsPathSegment } from '../kind/generic-strategy.ts';
import { PRINTERS, SELECTABLE_FIELDS, STRATEGIES } from './kinds.ts';
import { findTypeSchema, typeSchema } from '../schema/type-schema.ts';
import { zeroObject } from '../schema/zero-value.ts';
import { parseResources, type ResourceFact, schemaName } from '../schema/parse-resources.ts';

/** Forms of a kind that are not the stored one. */
const CONVERTED: ReadonlyMap<string, { storage: StorageIdentity; conversion: KindConversion }> = new Map([
  [
    'events.k8s.io/v1/events',
    { storage: { group: '', version: 'v1', resource: 'events', kind: 'Event' }, conversion: eventConversion },
  ],
  [
    'autoscaling/v1/horizontalpodautoscalers',
    {
      storage: {
        group: 'autoscaling',
        version: 'v2',
        resource: 'horizontalpodautoscalers',
        kind: 'HorizontalPodAutoscaler',
      },
      conversion: autoscalerConversion,
    },
  ],
]);

/** Kubernetes' own kinds that count generations; the others' metadata never shows one. Ours all do. */
const WITH_GENERATION: ReadonlySet<string> = new Set([
  'pods',
  'podtemplates',
  'replicationcontrollers',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apps/daemonsets',
  'apps/deployments',
  'apps/replicasets',
  'apps/statefulsets',
  'batch/cronjobs',
  'batch/jobs',
  'discovery.k8s.io/endpointslices',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'networking.k8s.io/ingresses',
  'networking.k8s.io/ingressclasses',
  'networking.k8s.io/networkpolicies',
  'policy/poddisruptionbudgets',
  'resource.k8s.io/deviceclasses',
  'resource.k8s.io/resourceslices',
  'scheduling.k8s.io/priorityclasses',
]);

/** Deprecated kinds, with the warning that kube-apiserver gives. */
const DEPRECATED: ReadonlyMap<string, string> = new Map([
  ['componentstatuses', 'v1 ComponentStatus is deprecated in v1.19+'],
  ['endpoints', 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
]);

const NO_FIELDS: KindDefinition['selectableFields'] = {};

/** Kubernetes' own. */
export const builtInKinds = (): readonly KindDefinition[] =>
  parseResources(KUBERNETES_RESOURCES).map((fact) => define(fact, WITH_GENERATION.has(tableKey(fact))));

/**
 * everynode's own kinds, by the names that definitions of them would have (`orders.core.korder.dev`); all of them if no
 * names are given. A server serves one only while a controller keeps it. The component's kind is not among them: it is
 * defined as on any other cluster, by definitions.
 */
export function ownKinds(names?: readonly string[]): readonly KindDefinition[] {
  const facts = parseResources(OWN_RESOURCES).filter(({ resource }) => resource !== COMPONENT_PLURAL);
  const nameOf = ({ group, resource }: ResourceFact): string => `${resource}.${group}`;
  const unknown = names?.find((name) => !facts.some((fact) => nameOf(fact) === name));
  if (unknown !== undefined) throw new Error(`there is no kind of our own called ${unknown}`);
  return facts.filter((fact) => names?.includes(nameOf(fact)) ?? true).map((fact) => define(fact, true));
}

/** The key of a resource in the tables: `pods`, `apps/daemonsets`. */
const tableKey = (fact: ResourceFact): string => (fact.group === '' ? fact.resource : `${fact.group}/${fact.resource}`);

function define(fact: ResourceFact, hasGeneration: boolean): KindDefinition {
  const key = tableKey(fact);
  const { group, version, resource, kind } = fact;
  const deprecated = DEPRECATED.get(key);
  const converted = CONVERTED.get(`${group}/${version}/${resource}`);
  return {
    ...fact,
    listKind: `${kind}List`,
    schema: schemaName(group, version, kind),
    hasGeneration,
    storage: converted?.storage ?? { group, version, resource, kind },
    ...(converted === undefined ? {} : { conversion: converted.conversion }),
    ...(deprecated === undefined ? {} : { deprecated }),
    selectableFields: SELECTABLE_FIELDS.get(key) ?? NO_FIELDS,
    printer: PRINTERS.get(key) ?? nameAndAgePrinter,
    strategy: STRATEGIES.get(key) ?? genericStrategy(fact, hasGeneration),
  };
}

/** The empty status that Go writes for a new object; our own kinds begin without one. */
function emptyStatus(schema: string): object | undefined {
  const status = findTypeSchema(schema)?.byName.get('status');
  if (status === undefined || status.pointer || status.type.kind !== 'object') return undefined;
  return zeroObject(typeSchema(status.type.name));
}

function genericStrategy(fact: ResourceFact, hasGeneration: boolean): KindStrategy {
  const generic = createGenericStrategy({
    namespaced: fact.namespaced,
    hasStatus: fact.subresources.some((sub) => sub.name === 'status'),
    hasGeneration,
    emptyStatus: () => emptyStatus(schemaName(fact.group, fact.version, fact.kind)),
    ...(fact.group === 'rbac.authorization.k8s.io' ? { nameRule: nameIsPathSegment } : {}),
  });
  return { ...generic, ...simpleTraits(tableKey(fact)) };
}
