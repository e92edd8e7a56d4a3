import { createStoreOver, type StoreOptions } from '../store-over-engine.ts';
import type { Store } from '../store.ts';
import { createMemoryEngine } from './memory.ts';

/** A store that keeps nothing beyond the process. */
export const createStore = (options: StoreOptions): Store =>
  createStoreOver(createMemoryEngine(options.clock), options);
