/**
 * job/ — runs pods to completion. `judge.ts` says what a Job's state amounts to and which pods it needs, `job-status.ts` how it is
 * counted so that no pod is counted twice or lost, `job-sync.ts` carries it out. A pod keeps a finalizer until it is counted;
 * those of Jobs that are gone or finished are let go here too.
 */
import { JOBS, PODS } from '../../../../core/api/registry/resources.ts';
import type { Job } from '../../../../core/api/types/batch-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import type { ObjectKey } from '../../../../core/kube/objects.ts';
import { controllerOf } from '../../../../core/kube/owner-references.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import { createController } from '../../../../machinery/controller/controller.ts';
import { keyOf } from '../../../../machinery/cache/object-keys.ts';
import { createFeed } from '../../../../machinery/children/feed.ts';
import { indexChildren } from '../../../../machinery/children/child-index.ts';
import { unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import { createOverlay } from '../../../../machinery/children/overlay.ts';
import { createOwners, newPodOwner } from '../../../../machinery/children/owners.ts';
import { createPodControl } from '../../../../machinery/children/child-writer.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import { createOwnerLoop, createTeller, loopOptions, type WorkloadOptions } from '../common/surroundings.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { together } from '../../keeper.ts';
import { NO_BACKOFF } from './backoff.ts';
import { isTracked, TRACKING } from './job-pods.ts';
import { createJobSync, isManagedElsewhere, type JobOwner } from './job-sync.ts';
import { isFinished } from './judge.ts';

export function createJobController(options: WorkloadOptions): Actor {
  const { client, informers, clock } = options;
  const jobs = informers.for(JOBS);
  const pods = informers.for(PODS);
  const children = indexChildren(pods);
  const { actors, tell } = createTeller(options, 'job-controller');
  const control = createPodControl<Job>({ client, tell, named: (job) => withType(JOBS, job) });
  const owners = createOwners<Job, JobOwner>((key, job) => ({
    ...newPodOwner(key, job, createOverlay<Pod>(pods)),
    backoff: NO_BACKOFF,
  }));
  const isTaken = (name: string, namespace: string): boolean => pods.lister.get(name, namespace) !== undefined;
  const sync = createJobSync({ client, clock, tell, control, children, isTaken });
  const controller = createOwnerLoop(options, {
    name: 'job',
    informer: jobs,
    owners,
    children: ({ uid }) => children.of(uid).size,
    sync,
  });
  const selects = ({ spec }: Job) => selectsWith(spec.selector);
  createFeed({ controller, clock, resource: JOBS, informer: jobs, owners, selects }).follow(pods, true);

  /** Whether somebody still counts this pod. */
  function isCounted(pod: Pod): boolean {
    const reference = controllerOf(pod);
    if (reference?.kind !== 'Job') return false;
    const job = jobs.lister.get(reference.name, pod.metadata.namespace);
    return job !== undefined && job.metadata.uid === reference.uid && (!isFinished(job) || isManagedElsewhere(job));
  }

  const releaser = createController<ObjectKey>({
    ...loopOptions(options, 'job-orphan-pods'),
    async reconcile(key) {
      const pod = pods.lister.get(key.name, key.namespace);
      if (pod === undefined || !isTracked(pod) || isCounted(pod)) return;
      const body = { metadata: { uid: pod.metadata.uid, '$deleteFromPrimitiveList/finalizers': [TRACKING] } };
      await unlessGone(client.patch(PODS, key, { type: 'strategic', body }));
    },
  });
  releaser.watch(pods, (pod, { type, object }) =>
    type !== 'delete' && pod === object && isTracked(pod) && !isCounted(pod) ? [keyOf(pod)] : [],
  );
  releaser.watch(jobs, (job, { type, object }) => {
    if (job !== object || (type !== 'delete' && !isFinished(job))) return [];
    return Array.from(children.of(job.metadata.uid))
      .filter(isTracked)
      .map((pod) => keyOf(pod));
  });
  return together('job-controller', [controller, releaser, ...actors]);
}
