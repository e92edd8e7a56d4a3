/**
 * Histories of concurrent clients over `kill -9`: a write that was not answered happened before the server died, or
 * never. Everything else has one order, before and after; watchers miss nothing, or are told to list again.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../src/machinery/client/http/http-client.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../../src/machinery/random/real-random.ts';
import { createSeededRandom } from '../../../src/machinery/random/seeded-random.ts';
import { act, emptyWatch, follow, NAMES } from '../../store/histories/clients.ts';
import { Recorder } from '../../store/histories/recorder.ts';
import { problemsIn } from '../../store/histories/verdict.ts';
import { build, start, temporaryDataDir } from './server-process.ts';

const KILLS = Number(process.env['EVERYNODE_KILLS'] ?? 12);
const CLIENTS = 8;
const WATCHERS = 3;
/** More than a client comes to ask before the kill. */
const CALLS = 100_000;

const { dataDir, remove } = temporaryDataDir();
beforeAll(build, 120_000);
afterAll(remove);

describe('clients of a server that is killed', () => {
  it(
    `see one order of everything, over ${KILLS} kills`,
    async () => {
      const recorder = new Recorder();
      const random = createSeededRandom('killed');
      const watchers = Array.from({ length: WATCHERS }, emptyWatch);
      for (let kill = 0; kill <= KILLS; kill += 1) {
        const server = await start(dataDir);
        const options = { clock: realClock, random: realRandom, maxRetries: 0 };
        const client = createHttpClient({ server: server.server, tls: server.credentials }, options);
        // What is there now is what was answered, and of what was not answered, some.
        await recorder.ask(client, { verb: 'list' });
        for (const name of NAMES) await recorder.ask(client, { verb: 'get', name });
        const stop = new AbortController();
        const following = watchers.map((watched) => follow(client, watched, undefined, stop.signal));
        const asked = recorder.calls.length;
        const acting = Array.from({ length: kill < KILLS ? CLIENTS : 0 }, (_, i) =>
          act(client, recorder, { random: random.fork(`${kill}/${i}`), id: `k${kill}c${i}`, calls: CALLS }),
        );
        while (kill < KILLS && recorder.calls.length < asked + 2 * CLIENTS) await realClock.sleep(2);
        await realClock.sleep(random.next() * 100);
        await server.kill('SIGKILL');
        await Promise.all(acting);
        recorder.endOfServer();
        stop.abort();
        await Promise.all(following);
        await client.close();
      }
      const { calls } = recorder;
      const unanswered = calls.filter(({ answer }) => answer.type === 'unknown').length;
      expect(problemsIn(calls, watchers)).toEqual([]);
      expect(unanswered).toBeGreaterThan(KILLS);
      const sum = (of: 'resumed' | 'expired'): number => watchers.reduce((total, watched) => total + watched[of], 0);
      process.stderr.write(
        `${KILLS} kills: ${calls.length} calls, ${unanswered} of them unanswered; ${WATCHERS} watchers went on ` +
          `${sum('resumed')} times, and were told to list again ${sum('expired')} times\n`,
      );
    },
    120_000 + KILLS * 30_000,
  );
});
