/**
 * workloads/ — the controllers of other people's manifests: Deployments and ReplicaSets, StatefulSets, Jobs and CronJobs, the
 * endpoints of Services. One folder a controller; common/ is what they are made of. Each is an actor of its own and can be
 * left out where kube-controller-manager does its work. They share the process' caches and hold nothing that cannot be
 * found again.
 */
import type { Actor } from '../../../machinery/actor.ts';
import type { WorkloadOptions } from './common/surroundings.ts';
import { createCronJobController } from './cronjob/cronjob-controller.ts';
import { createDeploymentController } from './deployment/deployment-controller.ts';
import { createEndpointsController } from './endpoints/endpoints-controller.ts';
import { createEndpointSliceController } from './endpoints/endpointslice-controller.ts';
import { createEndpointSliceMirroringController } from './endpoints/mirroring-controller.ts';
import { createJobController } from './job/job-controller.ts';
import { createTtlController } from './job/ttl-controller.ts';
import { REPLICA_SET, REPLICATION_CONTROLLER } from './replicaset/replica-kind.ts';
import { createReplicaController } from './replicaset/replica-controller.ts';
import { createStatefulSetController } from './statefulset/statefulset-controller.ts';

/** By the names of kube-controller-manager. */
const WORKLOAD_CONTROLLERS = {
  'deployment-controller': createDeploymentController,
  'replicaset-controller': (options) => createReplicaController(REPLICA_SET, options),
  'replicationcontroller-controller': (options) => createReplicaController(REPLICATION_CONTROLLER, options),
  'job-controller': createJobController,
  'ttl-after-finished-controller': createTtlController,
  'cronjob-controller': createCronJobController,
  'statefulset-controller': createStatefulSetController,
  'endpoints-controller': createEndpointsController,
  'endpointslice-controller': createEndpointSliceController,
  'endpointslice-mirroring-controller': createEndpointSliceMirroringController,
} as const satisfies { readonly [name: string]: (options: WorkloadOptions) => Actor };

export type WorkloadController = keyof typeof WORKLOAD_CONTROLLERS;

export function createWorkloads(
  options: WorkloadOptions,
  isOn: (name: WorkloadController) => boolean,
): readonly Actor[] {
  const names = Object.keys(WORKLOAD_CONTROLLERS) as WorkloadController[];
  return names.filter(isOn).map((name) => WORKLOAD_CONTROLLERS[name](options));
}
