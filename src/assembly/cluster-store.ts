/** The store of an embedded cluster: a durable log under the data directory, or memory alone. */
import { join } from 'node:path';
import { createLogEngine } from '../apiserver/store/engines/log/log-engine.ts';
import type { HistoryLimits } from '../apiserver/store/history.ts';
import { createStore, openStore } from '../apiserver/store/memory-store.ts';
import type { Store } from '../apiserver/store/store.ts';
import type { Clock } from '../machinery/clock.ts';
import type { Logger } from '../machinery/logger.ts';

export async function openClusterStore(
  dataDir: string | undefined,
  clock: Clock,
  logger: Logger,
  history: Partial<HistoryLimits> = {},
): Promise<Store> {
  if (dataDir === undefined) return createStore({ clock, history });
  const notice = (message: string): void => logger.warn(message, { controller: 'store' });
  const engine = await createLogEngine({ directory: join(dataDir, 'store'), notice });
  return openStore({ clock, history, engine, notice });
}
