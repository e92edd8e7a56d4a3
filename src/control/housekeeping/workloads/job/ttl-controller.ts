/** Deletes Jobs some time after they have finished, where they say so. */
import { JOBS } from '../../../../core/api/registry/resources.ts';
import type { Job } from '../../../../core/api/types/batch-v1.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import type { ObjectKey } from '../../../../core/kube/objects.ts';
import { parseTime } from '../../../../core/kube/time.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import { createController } from '../../../../machinery/controller/controller.ts';
import { keyOf } from '../../../../machinery/cache/object-keys.ts';
import { unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import { loopOptions, type WorkloadOptions } from '../common/surroundings.ts';

/** When the Job is to go (epoch ms); undefined: not at all, or not yet known. */
function expiresAt({ spec, status }: Job): number | undefined {
  if (spec.ttlSecondsAfterFinished === undefined) return undefined;
  for (const { type, status: state, lastTransitionTime = '' } of status?.conditions ?? []) {
    if ((type !== 'Complete' && type !== 'Failed') || state !== 'True') continue;
    const finished = parseTime(lastTransitionTime);
    if (finished !== undefined) return finished + spec.ttlSecondsAfterFinished * 1000;
  }
  return undefined;
}

export function createTtlController(options: WorkloadOptions): Actor {
  const { client, informers, clock } = options;
  const jobs = informers.for(JOBS);
  const left = (job: Job): number | undefined => {
    const at = isBeingDeleted(job) ? undefined : expiresAt(job);
    return at === undefined ? undefined : at - clock.now();
  };
  const controller = createController<ObjectKey>({
    ...loopOptions(options, 'ttl-after-finished'),
    async reconcile(key) {
      const cached = jobs.lister.get(key.name, key.namespace);
      const soon = cached === undefined ? undefined : left(cached);
      if (soon === undefined) return undefined;
      if (soon > 0) return { requeueAfterMs: soon };
      // Read from the server: a user may have extended the TTL.
      const job = await unlessGone(client.get(JOBS, key));
      const rest = job === undefined ? undefined : left(job);
      if (job === undefined || rest === undefined) return undefined;
      if (rest > 0) return { requeueAfterMs: rest };
      const { uid } = job.metadata;
      await unlessGone(client.delete(JOBS, key, { propagationPolicy: 'Foreground', preconditions: { uid } }));
      return undefined;
    },
  });
  return controller.watch(jobs, (job, { type, object }) =>
    type !== 'delete' && job === object && left(job) !== undefined ? [keyOf(job)] : [],
  );
}
