/**
 * cronjob/ — makes a Job whenever its time has come. The Job is named after the scheduled minute, so one minute is one Job,
 * whoever makes it and however often.
 */
import { CRON_JOBS, JOBS } from '../../../../core/api/registry/resources.ts';
import type { CronJob, Job } from '../../../../core/api/types/batch-v1.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import { createFeed } from '../../../../machinery/children/feed.ts';
import { indexChildren } from '../../../../machinery/children/child-index.ts';
import { createOverlay } from '../../../../machinery/children/overlay.ts';
import { createOwners, newOwner } from '../../../../machinery/children/owners.ts';
import { createOwnerLoop, createTeller, type WorkloadOptions } from '../common/surroundings.ts';
import { together } from '../../keeper.ts';
import { createCronSync, type CronOwner } from './cron-sync.ts';

export function createCronJobController(options: WorkloadOptions): Actor {
  const { client, informers, clock } = options;
  const crons = informers.for(CRON_JOBS);
  const jobs = informers.for(JOBS);
  const { actors, tell } = createTeller(options, 'cronjob-controller');
  const owners = createOwners<CronJob, CronOwner>((key, cron) => ({
    ...newOwner(key, cron),
    jobs: createOverlay<Job>(jobs),
    read: undefined,
    told: '',
  }));
  const sync = createCronSync({ client, clock, tell, children: indexChildren(jobs) });
  const controller = createOwnerLoop(options, { name: 'cronjob', informer: crons, owners, sync });
  // Jobs are never adopted: whoever made one by hand keeps it.
  const selects = () => () => false;
  createFeed({ controller, clock, resource: CRON_JOBS, informer: crons, owners, selects }).follow(jobs, false);
  return together('cronjob-controller', [controller, ...actors]);
}
