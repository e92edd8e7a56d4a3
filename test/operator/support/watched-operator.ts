/** An operator in this process that is watched: what it logs, what it was refused, and faults on its way to the server. */
import { CATALOGUE } from '../../../src/assembly/catalogue/catalogue.ts';
import type { Catalogue } from '../../../src/assembly/catalogue/entry.ts';
import { startOperatorProcess, type OperatorProcessOptions } from '../../../src/assembly/operator/process.ts';
import { OPERATOR_LEASE } from '../../../src/assembly/catalogue/rights.ts';
import { StatusError } from '../../../src/core/kube/status-error.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { fixedCredentials, type RestConfig } from '../../../src/machinery/client/http/rest-config.ts';
import { rememberingLogger, type LogLine } from '../../../src/machinery/logging/logger.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../../src/machinery/random/real-random.ts';
import { NAMESPACE, type Right } from './account.ts';

export interface WatchedOperator {
  readonly lines: readonly LogLine[];
  readonly healthPort: number;
  readonly metricsPort: number;
  isLeading(): boolean;
  failure(): Error | undefined;
  /** What it was refused, in the server's words. */
  refusals(): readonly string[];
  stop(): Promise<void>;
}

export interface WatchedOptions extends Partial<OperatorProcessOptions> {
  readonly config: RestConfig;
  /** Stands between the controllers and the server. */
  readonly through?: (client: Client) => Client;
}

export const withToken = (config: RestConfig, token: string): RestConfig => ({
  server: config.server,
  ...(config.tls?.ca === undefined ? {} : { tls: { ca: config.tls.ca } }),
  credentials: fixedCredentials({ authorization: `Bearer ${token}` }),
});

/** Looks more often than is kind to a server, so that tests are quick. */
export const QUICK = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 300 };

let count = 0;

export async function startWatched(options: WatchedOptions): Promise<WatchedOperator> {
  const { logger, lines } = rememberingLogger();
  const refused: string[] = [];
  const note = (error: unknown): void => {
    for (let each = error; each instanceof Error; each = each.cause)
      if (each instanceof StatusError && each.code === 403) refused.push(each.message);
  };
  count += 1;
  const identity = `operator-${count}`;
  const through = options.through ?? ((client) => client);
  const operator = await startOperatorProcess({
    clock: realClock,
    random: realRandom,
    logger,
    controllers: ['*'],
    instance: identity,
    election: { namespace: NAMESPACE, name: OPERATOR_LEASE, identity, ...QUICK },
    health: { bind: '127.0.0.1', port: 0 },
    metrics: { bind: '127.0.0.1', port: 0 },
    ...options,
    catalogue: actingThrough(options.catalogue ?? CATALOGUE, (client) => noting(through(client), note)),
  });
  let failure: Error | undefined;
  void operator.failed.then((error) => {
    failure = error;
    note(error);
  });
  return {
    lines,
    healthPort: operator.healthPort ?? 0,
    metricsPort: operator.metricsPort ?? 0,
    isLeading: () => operator.isLeading(),
    failure: () => failure,
    refusals() {
      for (const { fields } of lines) note(fields.error);
      return [...new Set(refused)];
    },
    stop: () => operator.stop(),
  };
}

/** The same controllers, each with its client changed. */
const actingThrough = (catalogue: Catalogue, change: (client: Client) => Client): Catalogue =>
  catalogue.map((row) => {
    const { operator } = row.profiles;
    if (operator === undefined) return row;
    const create: typeof operator.create = (around) => operator.create({ ...around, client: change(around.client) });
    return { ...row, profiles: { ...row.profiles, operator: { ...operator, create } } };
  });

export const saysRefused = (refusal: string, { verb, resource, group }: Right): boolean =>
  refusal.includes(`cannot ${verb} resource "${resource}" in API group "${group}"`);

/** Hears of every failure, whatever becomes of it. */
function noting(client: Client, note: (error: unknown) => void): Client {
  const heard = <T>(answer: Promise<T>): Promise<T> => {
    answer.catch(note);
    return answer;
  };
  return {
    get: (...args) => heard(client.get(...args)),
    list: (...args) => heard(client.list(...args)),
    watch: (...args) => client.watch(...args),
    create: (...args) => heard(client.create(...args)),
    update: (...args) => heard(client.update(...args)),
    patch: (...args) => heard(client.patch(...args)),
    apply: (...args) => heard(client.apply(...args)),
    delete: (...args) => heard(client.delete(...args)),
    deleteCollection: (...args) => heard(client.deleteCollection(...args)),
    bind: (...args) => heard(client.bind(...args)),
    evict: (...args) => heard(client.evict(...args)),
  };
}

/** The first call is done, and its answer is lost: what the caller hears instead. */
export function losesFirst<A extends readonly unknown[], R>(
  call: (...args: A) => Promise<R>,
  isMeant: (...args: A) => boolean,
  instead: StatusError,
): (...args: A) => Promise<R> {
  let isDone = false;
  return async (...args) => {
    const answer = await call(...args);
    if (isDone || !isMeant(...args)) return answer;
    isDone = true;
    throw instead;
  };
}
