/**
 * cronjob/ — creates a Job at each scheduled time. The Job is named after the scheduled minute, so one minute is one Job, also
 * where a create is repeated or two controllers are at work. `cron-sync.ts` reconciles, `cron-jobs.ts` reads and writes the Jobs.
 */
import { CRON_JOBS, JOBS } from '../../../../core/api/registry/resources.ts';
import type { CronJob, Job } from '../../../../core/api/types/batch-v1.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import { createFeed } from '../../../../machinery/children/feed.ts';
import { indexChildren } from '../../../../machinery/children/child-index.ts';
import { Overlay } from '../../../../machinery/children/overlay.ts';
import { createOwners, newOwner } from '../../../../machinery/children/owners.ts';
import { createOwnerLoop, createTeller, type WorkloadOptions } from '../common/surroundings.ts';
import { together } from '../../keeper.ts';
import type { CronOwner } from './cron-run.ts';
import { createCronSync } from './cron-sync.ts';

export function createCronJobController(options: WorkloadOptions): Actor {
  const { client, informers, clock } = options;
  const crons = informers.for(CRON_JOBS);
  const jobs = informers.for(JOBS);
  const { actors, tell } = createTeller(options, 'cronjob-controller');
  const owners = createOwners<CronJob, CronOwner>((key, cron) => ({
    ...newOwner(key, cron),
    jobs: new Overlay<Job>(jobs),
    read: undefined,
    told: '',
  }));
  const sync = createCronSync({ client, clock, tell, index: indexChildren(jobs) });
  const controller = createOwnerLoop(options, { name: 'cronjob', informer: crons, owners, sync });
  // Jobs are never adopted: those made by hand stay without a controller.
  const selects = () => () => false;
  createFeed({ controller, clock, resource: CRON_JOBS, informer: crons, owners, selects }).follow(jobs, false);
  return together('cronjob-controller', [controller, ...actors]);
}
