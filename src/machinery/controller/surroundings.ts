/**
 * The surroundings of a controller: everything of the process that it may touch. Profiles hand out one record of this type, and
 * the option types of controllers extend it, so that a controller is created the same way wherever it runs.
 */
import type { Informers } from '../cache/informers.ts';
import type { Client } from '../client/client.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Random } from '../random/random.ts';
import type { Clock } from '../time/clock.ts';

export interface Surroundings {
  /** Acts with the rights of one identity; several controllers of a process may share it. */
  readonly client: Client;
  /** Caches of the process. The controller registers handlers before it is started. */
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: nothing is logged. */
  readonly logger?: Logger;
  /** Absent: nothing is measured. */
  readonly metrics?: Metrics;
  /** Name of this process among several, in the events that the controller emits; `everynode` unless given. */
  readonly instance?: string;
}
