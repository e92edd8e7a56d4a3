/** The scheduler with the part of claims in it: the two rooms meet here, over the port in core/placement/plugin.ts. */
import { whileDefined } from '../../control/reservation/served-definitions.ts';
import { createTicketClaims } from '../../control/reservation/claim/ticket-claims.ts';
import { createScheduler, type Scheduler, type SchedulerOptions } from '../../control/scheduler/scheduler.ts';
import { CLAIM_SCHEDULER } from '../../core/api/names.ts';
import type { Actor } from '../../machinery/actor.ts';

/** The scheduler of claimants alone, beside a kube-scheduler. */
export const createSchedulerOfClaimants = (options: SchedulerOptions): Actor =>
  whileDefined(CLAIM_SCHEDULER, { ...options, schedulerName: CLAIM_SCHEDULER }, createClaimScheduler);

export function createClaimScheduler(options: SchedulerOptions): Scheduler {
  const claims = createTicketClaims(options);
  const scheduler = createScheduler({ ...options, plugins: [...(options.plugins ?? []), claims.plugin] });
  return {
    ...scheduler,
    // Not copied: it is read anew each time.
    get counts() {
      return scheduler.counts;
    },
    async start(signal) {
      const registrations = claims.follow(() => scheduler.pluginChanged(claims.plugin.name));
      try {
        // No claim is decided before the Tickets are known: a claimant would go where there is none.
        await Promise.all(registrations.map((registration) => registration.synced(signal)));
        await scheduler.start(signal);
      } finally {
        for (const registration of registrations) registration.remove();
      }
    },
  };
}
