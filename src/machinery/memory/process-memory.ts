/** The memory of this process, as Node.js and V8 tell of it. */
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ProcessMemory } from './memory-relief.ts';

/** V8's `gc`, with the options this file uses. */
type Collect = (options: { type: 'major'; flavor: 'last-resort'; execution: 'async' }) => Promise<void>;

export function createProcessMemory(): ProcessMemory {
  let last = performance.eventLoopUtilization();
  let collect: Collect | undefined;
  return {
    resident: () => process.memoryUsage.rss(),
    heapUsed: () => process.memoryUsage().heapUsed,
    busy() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    async release() {
      if (collect === undefined) {
        // The flag is wanted for one function of one context, which no other code gets to see.
        setFlagsFromString('--expose-gc');
        collect = runInNewContext('gc') as Collect;
        setFlagsFromString('--no-expose-gc');
      }
      await collect({ type: 'major', flavor: 'last-resort', execution: 'async' });
    },
  };
}
