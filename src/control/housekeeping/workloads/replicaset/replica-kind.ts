/** The common interface of ReplicaSets and ReplicationControllers, and their differences. */
import { REPLICA_SETS, REPLICATION_CONTROLLERS } from '../../../../core/api/registry/resources.ts';
import type { ReplicaSet, ReplicaSetSpec, ReplicaSetStatus } from '../../../../core/api/types/apps-v1.ts';
import type { ReplicationController } from '../../../../core/api/types/core-v1.ts';
import type { LabelSelector } from '../../../../core/kube/meta-v1.ts';
import type { KubeObject, Resource } from '../../../../core/kube/objects.ts';

export interface ReplicaObject extends KubeObject {
  readonly spec: Omit<ReplicaSetSpec, 'selector'>;
  readonly status?: ReplicaSetStatus;
}

export interface ReplicaKind<O extends ReplicaObject> {
  readonly resource: Resource<O>;
  /** kube-controller-manager's name of the controller; `component` signs its events. */
  readonly name: string;
  readonly component: string;
  readonly selectorOf: (object: O) => LabelSelector | undefined;
  /** Whether the status counts terminating pods. */
  readonly countsTerminating: boolean;
}

export const REPLICA_SET: ReplicaKind<ReplicaSet> = {
  resource: REPLICA_SETS,
  name: 'replicaset',
  component: 'replicaset-controller',
  selectorOf: ({ spec }) => spec.selector,
  countsTerminating: true,
};

type Controller = ReplicationController & ReplicaObject;

const selectors = new WeakMap<object, LabelSelector>();

export const REPLICATION_CONTROLLER: ReplicaKind<Controller> = {
  resource: REPLICATION_CONTROLLERS,
  name: 'replicationcontroller',
  component: 'replication-controller',
  selectorOf({ spec }) {
    const labels = spec.selector;
    if (labels === undefined) return undefined;
    let selector = selectors.get(labels);
    if (selector === undefined) selectors.set(labels, (selector = { matchLabels: labels }));
    return selector;
  },
  countsTerminating: false,
};
