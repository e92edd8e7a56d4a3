/**
 * job/ — runs pods to completion. `judge.ts` says what a Job's state amounts to and which pods it needs, `job-status.ts` counts
 * so that no pod is counted twice or lost, `job-sync.ts` reconciles, `job-run.ts` writes pods. A pod keeps a finalizer until it
 * is counted; a second loop here takes it off pods of Jobs that are gone or finished.
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
import { indexPods } from '../../../../machinery/children/child-index.ts';
import { unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import { Overlay } from '../../../../machinery/children/overlay.ts';
import { createOwners, newPodOwner } from '../../../../machinery/children/owners.ts';
import { createChildWriter } from '../../../../machinery/children/child-writer.ts';
import { selectsWith } from '../../../../machinery/children/selectors.ts';
import { createOwnerLoop, createTeller, loopOptions, type WorkloadOptions } from '../common/surroundings.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { podEvents } from '../common/tell.ts';
import { together } from '../../keeper.ts';
import { NO_BACKOFF } from './backoff.ts';
import { isTracked, TRACKING } from './job-pods.ts';
import type { JobOwner } from './job-run.ts';
import { createJobSync, isManagedElsewhere } from './job-sync.ts';
import { isFinished } from './judge.ts';

export function createJobController(options: WorkloadOptions): Actor {
  const { client, informers, clock } = options;
  const jobs = informers.for(JOBS);
  const pods = informers.for(PODS);
  const index = indexPods(pods);
  const { actors, tell } = createTeller(options, 'job-controller');
  const events = podEvents<Job>(tell, (job) => withType(JOBS, job));
  const writer = createChildWriter({ client, resource: PODS, events });
  const owners = createOwners<Job, JobOwner>((key, job) => ({
    ...newPodOwner(key, job, new Overlay<Pod>(pods)),
    backoff: NO_BACKOFF,
  }));
  const isTaken = (name: string, namespace: string): boolean => pods.lister.get(name, namespace) !== undefined;
  const sync = createJobSync({ client, clock, tell, writer, index, isTaken });
  const controller = createOwnerLoop(options, {
    name: 'job',
    informer: jobs,
    owners,
    children: ({ uid }) => index.of(uid).size,
    sync,
  });
  const selects = ({ spec }: Job) => selectsWith(spec.selector);
  createFeed({ controller, clock, resource: JOBS, informer: jobs, owners, selects }).follow(pods, true);

  /** Whether a Job that goes on, or another controller, still counts this pod. */
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
    return Array.from(index.of(job.metadata.uid))
      .filter(isTracked)
      .map((pod) => keyOf(pod));
  });
  return together('job-controller', [controller, releaser, ...actors]);
}
