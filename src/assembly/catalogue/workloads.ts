/** Rows of the controllers of workloads: Deployments, StatefulSets, Jobs and the endpoints of Services. */
import { createCronJobController } from '../../control/housekeeping/workloads/cronjob/cronjob-controller.ts';
import { createDeploymentController } from '../../control/housekeeping/workloads/deployment/deployment-controller.ts';
import { createEndpointsController } from '../../control/housekeeping/workloads/endpoints/endpoints-controller.ts';
import { createEndpointSliceController } from '../../control/housekeeping/workloads/endpoints/endpointslice-controller.ts';
import { createEndpointSliceMirroringController } from '../../control/housekeeping/workloads/endpoints/mirroring-controller.ts';
import { createJobController } from '../../control/housekeeping/workloads/job/job-controller.ts';
import { createTtlController } from '../../control/housekeeping/workloads/job/ttl-controller.ts';
import { createReplicaController } from '../../control/housekeeping/workloads/replicaset/replica-controller.ts';
import { REPLICA_SET, REPLICATION_CONTROLLER } from '../../control/housekeeping/workloads/replicaset/replica-kind.ts';
import { createStatefulSetController } from '../../control/housekeeping/workloads/statefulset/statefulset-controller.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import type { Catalogue, ControllerRow } from './entry.ts';

/** Simulations name workload controllers where they need them: most are about daemons alone. */
const workload = (
  name: string,
  alias: string,
  about: string,
  create: (around: Surroundings) => Actor,
): ControllerRow => ({
  name,
  aliases: [alias],
  about,
  profiles: { embedded: { runs: 'default', create }, simulated: { runs: 'named', create } },
});

export const WORKLOAD_CONTROLLERS: Catalogue = [
  workload(
    'deployment-controller',
    'deployment',
    'rolls Deployments out through ReplicaSets',
    createDeploymentController,
  ),
  workload('replicaset-controller', 'replicaset', 'keeps the pods of ReplicaSets', (around) =>
    createReplicaController(REPLICA_SET, around),
  ),
  workload(
    'replicationcontroller-controller',
    'replicationcontroller',
    'keeps the pods of ReplicationControllers',
    (around) => createReplicaController(REPLICATION_CONTROLLER, around),
  ),
  workload('job-controller', 'job', 'runs Jobs', createJobController),
  workload(
    'ttl-after-finished-controller',
    'ttl-after-finished',
    'deletes finished Jobs after their time to live',
    createTtlController,
  ),
  workload('cronjob-controller', 'cronjob', 'creates the Jobs of CronJobs', createCronJobController),
  workload(
    'statefulset-controller',
    'statefulset',
    'keeps the pods and claims of StatefulSets',
    createStatefulSetController,
  ),
  workload('endpoints-controller', 'endpoint', 'keeps the Endpoints of Services', createEndpointsController),
  workload(
    'endpointslice-controller',
    'endpointslice',
    'keeps the EndpointSlices of Services',
    createEndpointSliceController,
  ),
  workload(
    'endpointslice-mirroring-controller',
    'endpointslicemirroring',
    'mirrors hand-made Endpoints as EndpointSlices',
    createEndpointSliceMirroringController,
  ),
];
