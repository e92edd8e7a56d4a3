/** Common parts of the children: a client from a kubeconfig file, an end by signal, a word when ready. */
import { createHttpClient, type HttpClient } from '../../src/machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';

export const READY = 'everybody is here';

export async function clientFrom(path: string): Promise<HttpClient> {
  const config = await loadKubeconfig({ path, clock: realClock });
  return createHttpClient(config, { clock: realClock, random: realRandom });
}

/** Prints that the child is ready, and stays until a signal ends it. */
export async function stay(): Promise<void> {
  process.stderr.write(`${READY}\n`);
  // A pending signal handler keeps no process alive.
  const alive = setInterval(() => undefined, 60_000);
  await new Promise((resolve) => void process.once('SIGTERM', resolve).once('SIGINT', resolve));
  clearInterval(alive);
}
