/** Workload controllers of `apps` and the older ReplicationController. */
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../types/apps-v1.ts';
import type { ReplicationController } from '../types/core-v1.ts';
import {
  AGE,
  containers,
  int,
  labelSelector,
  NAME,
  printer,
  selector,
  selectorWith,
  text,
  type Column,
} from './columns.ts';
import { labelsText, NONE, selectorText, type NamedImage } from './text.ts';

interface Replicated {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

const REPLICAS: readonly Column<Replicated>[] = [
  int('Desired', 'Pods wanted', ({ spec }) => spec?.replicas ?? 0),
  int('Current', 'Pods that exist', ({ status }) => status?.replicas ?? 0),
  int('Ready', 'Pods that are ready', ({ status }) => status?.readyReplicas ?? 0),
];

interface Templated {
  readonly spec?: {
    readonly template?: { readonly spec?: { readonly containers?: readonly NamedImage[] } };
  };
}

const CONTAINERS = containers(({ spec }: Templated) => spec?.template?.spec?.containers);

export const replicationControllerPrinter = printer<ReplicationController>([
  NAME,
  ...REPLICAS,
  AGE,
  ...CONTAINERS,
  labelSelector(({ spec }) => spec?.selector),
]);

export const replicaSetPrinter = printer<ReplicaSet>([
  NAME,
  ...REPLICAS,
  AGE,
  ...CONTAINERS,
  selector(({ spec }) => spec?.selector),
]);

export const daemonSetPrinter = printer<DaemonSet>([
  NAME,
  int('Desired', 'Nodes that should run the daemon', ({ status }) => status?.desiredNumberScheduled ?? 0),
  int(
    'Current',
    'Nodes that run at least one daemon pod and should',
    ({ status }) => status?.currentNumberScheduled ?? 0,
  ),
  int('Ready', 'Nodes whose daemon pod is ready', ({ status }) => status?.numberReady ?? 0),
  int(
    'Up-to-date',
    'Nodes whose daemon pod has the newest template',
    ({ status }) => status?.updatedNumberScheduled ?? 0,
  ),
  int('Available', 'Nodes whose daemon pod has been ready long enough', ({ status }) => status?.numberAvailable ?? 0),
  text('Node Selector', 'Labels a node must have', ({ spec }) => labelsText(spec?.template?.spec?.nodeSelector)),
  AGE,
  ...CONTAINERS,
  selector(({ spec }) => spec?.selector),
]);

const READY: Column<Replicated> = text(
  'Ready',
  'Pods ready of those wanted',
  ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
);

export const deploymentPrinter = printer<Deployment>([
  NAME,
  READY,
  text('Up-to-date', 'Pods with the newest template', ({ status }) => status?.updatedReplicas ?? 0),
  text('Available', 'Pods that have been ready long enough', ({ status }) => status?.availableReplicas ?? 0),
  AGE,
  ...CONTAINERS,
  selectorWith(({ spec }) => selectorText(spec?.selector) ?? '<invalid>'),
]);

export const statefulSetPrinter = printer<StatefulSet>([NAME, READY, AGE, ...CONTAINERS]);

/** `daemonset.apps/agent` */
function controllerOf(object: ControllerRevision): string {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (!owner) return NONE;
  const group = owner.apiVersion.includes('/') ? owner.apiVersion.slice(0, owner.apiVersion.indexOf('/')) : '';
  const kind = (group === '' ? owner.kind : `${owner.kind}.${group}`).toLowerCase();
  return `${kind}/${owner.name}`;
}

export const controllerRevisionPrinter = printer<ControllerRevision>([
  NAME,
  text('Controller', 'Object whose history this is', controllerOf),
  text('Revision', 'Number in that history', ({ revision }) => revision ?? 0),
  AGE,
]);
