/** The house-keepers of access: gathered roles, the authority's certificate in every namespace, signing requests. */
import type { Client } from '../../../machinery/client/client.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { Informers } from '../../../machinery/cache/informers.ts';
import type { Logger } from '../../../machinery/logging/logger.ts';
import type { Metrics } from '../../../machinery/metrics/metrics.ts';
import type { Random } from '../../../machinery/random/random.ts';

export interface AccessKeeperOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}
