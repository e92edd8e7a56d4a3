/** The store of an embedded cluster: a durable log under the data directory, or memory alone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createLogEngine } from '../apiserver/store/engines/log/log-engine.ts';
import type { HistoryLimits } from '../apiserver/store/history.ts';
import { createStore } from '../apiserver/store/engines/ephemeral-store.ts';
import { openStore } from '../apiserver/store/store-over-engine.ts';
import type { Store } from '../apiserver/store/store.ts';
import type { Clock } from '../machinery/time/clock.ts';
import type { Logger } from '../machinery/logging/logger.ts';

export interface ClusterStore {
  /** Reads everything, then serves. */
  open(): Promise<Store>;
}

/**
 * Takes the data directory, or makes one. Keys are made only after this: where there are keys there was a store, and an
 * empty one beside them is never taken for it.
 */
export async function beginClusterStore(
  dataDir: string | undefined,
  clock: Clock,
  logger: Logger,
  history: Partial<HistoryLimits> = {},
  /** See `StoreOptions.halt`. */
  halt?: (error: Error) => void,
): Promise<ClusterStore> {
  if (dataDir === undefined) return { open: () => Promise.resolve(createStore({ clock, history })) };
  const notice = (message: string): void => logger.warn(message, { controller: 'store' });
  const isExpected = existsSync(join(dataDir, 'pki', 'ca.key'));
  const engine = await createLogEngine({ directory: join(dataDir, 'store'), notice, isExpected });
  const ending = halt === undefined ? {} : { halt };
  return { open: () => openStore({ clock, history, engine, notice, ...ending }) };
}

export const openClusterStore = async (...given: Parameters<typeof beginClusterStore>): Promise<Store> =>
  (await beginClusterStore(...given)).open();
