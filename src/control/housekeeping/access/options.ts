/** The house-keepers of access: gathered roles, the authority's certificate in every namespace, signing requests. */
import type { Client } from '../../../machinery/client.ts';
import type { Clock } from '../../../machinery/clock.ts';
import type { Informers } from '../../../machinery/informers.ts';
import type { Logger } from '../../../machinery/logger.ts';
import type { Metrics } from '../../../machinery/metrics.ts';
import type { Random } from '../../../machinery/random.ts';

export interface AccessKeeperOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}
