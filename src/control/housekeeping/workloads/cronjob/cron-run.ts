/** One reconcile of one CronJob as a record. */
import { CRON_JOBS } from '../../../../core/api/registry/resources.ts';
import type { CronJob, Job } from '../../../../core/api/types/batch-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import type { ChildIndex } from '../../../../machinery/children/child-index.ts';
import type { Overlay } from '../../../../machinery/children/overlay.ts';
import type { Owner } from '../../../../machinery/children/owners.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import type { Client } from '../../../../machinery/client/client.ts';
import type { Clock } from '../../../../machinery/time/clock.ts';
import type { Severity, Tell } from '../common/tell.ts';
import type { ReadSchedule } from '../../../../core/kube/cron/schedule.ts';

export interface CronOwner extends Owner<CronJob> {
  readonly jobs: Overlay<Job>;
  /** The schedule as last parsed, with the text and zone it was parsed from. */
  read: { readonly text: string; readonly zone: string | undefined; readonly result: ReadSchedule } | undefined;
  /** The note of the last warning, so that no reconcile repeats it. */
  told: string;
}

export interface CronSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly index: ChildIndex<Job>;
}

/** One reconcile of one CronJob. */
export interface CronRun extends CronSyncOptions {
  readonly owner: CronOwner;
  /** The CronJob's Jobs, before this reconcile creates or deletes any. */
  readonly jobs: readonly Stored<Job>[];
}

/** The CronJob with kind and apiVersion. */
export const named = ({ owner }: CronRun): Stored<CronJob> => withType(CRON_JOBS, owner.object) as Stored<CronJob>;

export const emit = (run: CronRun, type: Severity, reason: string, note: string): void =>
  run.tell(named(run), type, reason, note);

/** Emits a warning unless it was the last one. */
export function warnOnce(run: CronRun, reason: string, note: string): void {
  if (run.owner.told === note) return;
  run.owner.told = note;
  emit(run, 'Warning', reason, note);
}
