/** Rows of the house-keepers: definitions, owners, namespaces, nodes, pods, budgets, quotas and policies. */
import { createDefinitionConditions } from '../../control/housekeeping/crd-conditions.ts';
import { createDefinitionFinalizer } from '../../control/housekeeping/crd-finalizer.ts';
import { createDisruptionController } from '../../control/housekeeping/disruption/disruption-controller.ts';
import { createEventExpiry } from '../../control/housekeeping/event-expiry.ts';
import { createGarbageCollector } from '../../control/housekeeping/garbage-collector.ts';
import { createNamespaceController } from '../../control/housekeeping/namespace-controller.ts';
import { createNodeLifecycle } from '../../control/housekeeping/nodes/node-lifecycle.ts';
import { createTaintEviction } from '../../control/housekeeping/nodes/taint-eviction.ts';
import { createPodGc } from '../../control/housekeeping/pods/pod-gc.ts';
import { createPolicyStatus } from '../../control/housekeeping/policy-status.ts';
import { createQuotaController } from '../../control/housekeeping/quota/quota-controller.ts';
import {
  collectableResources,
  customKindsOf,
  namespacedResources,
} from '../../control/housekeeping/served-resources.ts';
import { createServiceAccounts } from '../../control/housekeeping/service-accounts.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { Catalogue, ServerParts } from './entry.ts';

const createDisruption = (parts: ServerParts): Actor =>
  createDisruptionController({ ...parts, resources: () => parts.registry.all() });

const createQuota = (parts: ServerParts): Actor =>
  createQuotaController({ ...parts, resources: () => parts.registry.all() });

export const HOUSE_KEEPERS: Catalogue = [
  {
    name: 'event-expiry',
    aliases: [],
    about: 'deletes events an hour after they were last emitted, as etcd does for a kube-apiserver',
    profiles: { embedded: { runs: 'always', create: createEventExpiry } },
  },
  {
    name: 'definition-conditions',
    aliases: [],
    about: 'accepts the names of CustomResourceDefinitions and establishes them, as a kube-apiserver does',
    profiles: { embedded: { runs: 'always', create: createDefinitionConditions } },
  },
  {
    name: 'definition-finalizer',
    aliases: [],
    about: 'deletes the objects of a CustomResourceDefinition that is deleted, as a kube-apiserver does',
    profiles: {
      embedded: {
        runs: 'always',
        create: (parts) => createDefinitionFinalizer({ ...parts, served: () => parts.registry.all() }),
      },
    },
  },
  {
    name: 'garbage-collector-controller',
    aliases: ['garbagecollector'],
    about: 'deletes objects whose owners are gone',
    profiles: {
      embedded: {
        runs: 'default',
        create: (parts) =>
          createGarbageCollector({
            ...parts,
            resources: collectableResources(parts.registry.all()),
            changing: customKindsOf(parts.registry),
          }),
      },
      simulated: {
        actor: 'garbage-collector',
        runs: 'default',
        create: (parts) => createGarbageCollector({ ...parts, resources: collectableResources(parts.registry.all()) }),
      },
    },
  },
  {
    name: 'namespace-controller',
    aliases: ['namespace'],
    about: 'deletes the content of namespaces that are deleted',
    profiles: {
      embedded: {
        runs: 'default',
        create: ({ namespaceGraceMs, ...parts }) =>
          createNamespaceController({
            ...parts,
            resources: () => namespacedResources(parts.registry.all()),
            ...(namespaceGraceMs === undefined ? {} : { graceMs: namespaceGraceMs }),
          }),
      },
    },
  },
  {
    name: 'serviceaccount-controller',
    aliases: ['serviceaccount'],
    about: 'gives every namespace its default service account',
    profiles: { embedded: { runs: 'default', create: createServiceAccounts } },
  },
  {
    name: 'node-lifecycle-controller',
    aliases: ['nodelifecycle'],
    about: 'marks and taints nodes that have fallen silent, and taints nodes by their conditions',
    removes: { nodeTaints: true },
    profiles: {
      embedded: { runs: 'default', create: createNodeLifecycle },
      simulated: { actor: 'node-lifecycle', runs: 'named', create: createNodeLifecycle },
    },
  },
  {
    name: 'pod-garbage-collector-controller',
    aliases: ['podgc'],
    about: 'deletes pods of missing nodes and the oldest of many ended pods',
    profiles: {
      embedded: { runs: 'default', create: createPodGc },
      simulated: { actor: 'pod-gc', runs: 'default', create: createPodGc },
    },
  },
  {
    name: 'taint-eviction-controller',
    aliases: ['taint-eviction'],
    about: 'evicts pods that do not tolerate a NoExecute taint of their node',
    profiles: {
      embedded: { runs: 'default', create: createTaintEviction },
      simulated: { actor: 'taint-eviction', runs: 'default', create: createTaintEviction },
    },
  },
  {
    name: 'disruption-controller',
    aliases: ['disruption'],
    about: 'keeps the status of PodDisruptionBudgets',
    profiles: {
      embedded: { runs: 'default', create: createDisruption },
      simulated: { actor: 'disruption', runs: 'named', create: createDisruption },
    },
  },
  {
    name: 'resourcequota-controller',
    aliases: ['resourcequota'],
    about: 'keeps the status of ResourceQuotas',
    profiles: {
      embedded: { runs: 'default', create: createQuota },
      simulated: { actor: 'resource-quota', runs: 'named', create: createQuota },
    },
  },
  {
    name: 'validatingadmissionpolicy-status-controller',
    aliases: ['validatingadmissionpolicy-status'],
    about: 'checks the types of expressions in ValidatingAdmissionPolicies',
    profiles: { embedded: { runs: 'default', create: createPolicyStatus } },
  },
];
