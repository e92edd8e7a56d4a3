/** The operator's connections to the API server, and the first question it asks there. */
import { VERSION } from '../../core/api/version.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { createHttpClient, type HttpClient } from '../../machinery/client/http/http-client.ts';
import type { RestConfig } from '../../machinery/client/http/rest-config.ts';
import type { TransportOptions } from '../../machinery/client/http/transport.ts';
import { abortAfter } from '../../machinery/time/abort.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { runsIn } from '../catalogue/embedded-runs.ts';
import { AssemblyError } from '../common/errors.ts';
import type { Undo } from '../common/start-actors.ts';

/** Servers take the part before the first slash for the manager of the fields we write, and can tell flows apart by it. */
const USER_AGENT = `everynode-operator/${VERSION.product} (${process.platform}/${process.arch})`;
/** Patience with a busy server; a refused connection is reported at once. */
const FIRST_ANSWER_MS = 20_000;

/** A client with connections of its own, closed with the process. */
export function connect(config: RestConfig, purpose: string, options: TransportOptions, undo: Undo): HttpClient {
  const client = createHttpClient({ ...config, userAgent: `${config.userAgent ?? USER_AGENT}${purpose}` }, options);
  undo.push(() => client.close());
  return client;
}

/** Requests `/version` once, so that a wrong address or credential is reported at once and in plain words. */
export async function reach(
  client: HttpClient,
  server: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  using limit = abortAfter(clock, FIRST_ANSWER_MS, signal);
  try {
    await client.raw('/version', { signal: limit.signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.signal.aborted)
      throw new AssemblyError('EN_ASSEMBLY_UNREACHABLE', `${server} did not answer within ${FIRST_ANSWER_MS / 1000} s`);
    if (!(error instanceof StatusError)) throw error;
    if (error.code === 401)
      throw new AssemblyError('EN_ASSEMBLY_UNREACHABLE', `${server} does not accept the credentials`, { cause: error });
    if (error.code < 500) return;
    throw new AssemblyError('EN_ASSEMBLY_UNREACHABLE', `${server}: ${error.message}`, { cause: error });
  }
}

/** Controllers that run inside the server, where that is an embedded cluster; undefined for any other server. */
export const runsInServer =
  (client: HttpClient) =>
  async (signal: AbortSignal): Promise<readonly string[] | undefined> =>
    runsIn(await client.raw('/version', { signal }).catch(unlessAway));

/** A server that refuses to show its version runs no controllers that we could know of; one that is away may yet answer. */
function unlessAway(error: unknown): undefined {
  if (error instanceof StatusError && error.code < 500 && error.code !== 429) return undefined;
  throw error;
}
