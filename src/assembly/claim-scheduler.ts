/** The scheduler with the part of claims in it: the two rooms meet here, over the port in core/placement/plugin.ts. */
import { createTicketClaims } from '../control/reservation/claim/ticket-claims.ts';
import { createScheduler, type Scheduler, type SchedulerOptions } from '../control/scheduler/scheduler.ts';

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
