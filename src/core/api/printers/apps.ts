/** Workload controllers of `apps` and the older ReplicationController. */
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../types/apps-v1.ts';
import type { ReplicationController } from '../types/core-v1.ts';
import { AGE, CONTAINERS, IMAGES, int, NAME, printer, SELECTOR, text } from './columns.ts';
import { age, containerCells, labelsText, NONE, selectorCell, selectorText } from './text.ts';

const REPLICAS = [
  NAME,
  int('Desired', 'Pods wanted'),
  int('Current', 'Pods that exist'),
  int('Ready', 'Pods that are ready'),
  AGE,
  CONTAINERS,
  IMAGES,
  SELECTOR,
];

export const replicationControllerPrinter = printer<ReplicationController>(REPLICAS, (object, now) => [
  object.metadata.name,
  object.spec?.replicas ?? 0,
  object.status?.replicas ?? 0,
  object.status?.readyReplicas ?? 0,
  age(object, now),
  ...containerCells(object.spec?.template?.spec?.containers),
  labelsText(object.spec?.selector),
]);

export const replicaSetPrinter = printer<ReplicaSet>(REPLICAS, (object, now) => [
  object.metadata.name,
  object.spec?.replicas ?? 0,
  object.status?.replicas ?? 0,
  object.status?.readyReplicas ?? 0,
  age(object, now),
  ...containerCells(object.spec?.template?.spec?.containers),
  selectorCell(object.spec?.selector),
]);

export const daemonSetPrinter = printer<DaemonSet>(
  [
    NAME,
    int('Desired', 'Nodes that should run the daemon'),
    int('Current', 'Nodes that run at least one daemon pod and should'),
    int('Ready', 'Nodes whose daemon pod is ready'),
    int('Up-to-date', 'Nodes whose daemon pod has the newest template'),
    int('Available', 'Nodes whose daemon pod has been ready long enough'),
    text('Node Selector', 'Labels a node must have'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (object, now) => {
    const status = object.status;
    return [
      object.metadata.name,
      status?.desiredNumberScheduled ?? 0,
      status?.currentNumberScheduled ?? 0,
      status?.numberReady ?? 0,
      status?.updatedNumberScheduled ?? 0,
      status?.numberAvailable ?? 0,
      labelsText(object.spec?.template?.spec?.nodeSelector),
      age(object, now),
      ...containerCells(object.spec?.template?.spec?.containers),
      selectorCell(object.spec?.selector),
    ];
  },
);

export const deploymentPrinter = printer<Deployment>(
  [
    NAME,
    text('Ready', 'Pods ready of those wanted'),
    text('Up-to-date', 'Pods with the newest template'),
    text('Available', 'Pods that have been ready long enough'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (object, now) => [
    object.metadata.name,
    `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`,
    object.status?.updatedReplicas ?? 0,
    object.status?.availableReplicas ?? 0,
    age(object, now),
    ...containerCells(object.spec?.template?.spec?.containers),
    selectorText(object.spec?.selector) ?? '<invalid>',
  ],
);

export const statefulSetPrinter = printer<StatefulSet>(
  [NAME, text('Ready', 'Pods ready of those wanted'), AGE, CONTAINERS, IMAGES],
  (object, now) => [
    object.metadata.name,
    `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`,
    age(object, now),
    ...containerCells(object.spec?.template?.spec?.containers),
  ],
);

/** `daemonset.apps/agent` */
function controllerOf(object: ControllerRevision): string {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (!owner) return NONE;
  const group = owner.apiVersion.includes('/') ? owner.apiVersion.slice(0, owner.apiVersion.indexOf('/')) : '';
  const kind = (group === '' ? owner.kind : `${owner.kind}.${group}`).toLowerCase();
  return `${kind}/${owner.name}`;
}

export const controllerRevisionPrinter = printer<ControllerRevision>(
  [NAME, text('Controller', 'Object whose history this is'), text('Revision', 'Number in that history'), AGE],
  (object, now) => [object.metadata.name, controllerOf(object), object.revision ?? 0, age(object, now)],
);
