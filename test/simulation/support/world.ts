/**
 * A small cluster in virtual time: the real API server over memory, its in-process client, informers and the actors a
 * test asks for. Nothing moves unless the test moves the clock, so every run is the same.
 */
import { createTestServer, type TestServer } from '../../../src/apiserver/testing/test-server.ts';
import { FLEET_ANNOTATIONS } from '../../../src/core/api/names.ts';
import { NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import type { Node, Pod } from '../../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import type { Actor } from '../../../src/machinery/actor.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { createInformers, type Informers } from '../../../src/machinery/cache/informers.ts';
import { rememberingLogger, type Logger, type LogLine } from '../../../src/machinery/logging/logger.ts';
import { createSeededRandom, type SeededRandom } from '../../../src/machinery/random/seeded-random.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/machinery/time/virtual-clock.ts';
import { createWriteLog, type WriteLog } from './write-log.ts';

interface Parts {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly logger: Logger;
}

export interface Running {
  stop(): Promise<void>;
}

export interface World {
  readonly clock: VirtualClock;
  /** For the test itself; not counted, never disturbed. */
  readonly client: Client;
  readonly server: TestServer;
  /** What the actors wrote, and how to make their writes fail. */
  readonly writes: WriteLog;
  readonly log: readonly LogLine[];
  /** Starts actors over informers of their own, as a process of its own would. */
  start(make: (parts: Parts) => readonly Actor[]): Promise<Running>;
  /** Lets `ms` pass. */
  pass(ms: number): Promise<void>;
  pod(name: string): Promise<Stored<Pod>>;
  node(name: string): Promise<Stored<Node>>;
  /** Resolves once the pod is as wanted; fails after `withinMs` of virtual time. */
  podWhen(name: string, isSo: (pod: Stored<Pod>) => boolean, withinMs?: number): Promise<Stored<Pod>>;
}

const STEP_MS = 10;

export async function createWorld(seed: string | number = 1): Promise<World> {
  const clock = createVirtualClock();
  const random = createSeededRandom(seed);
  const [server] = await settle(clock, createTestServer({ clock, random: random.fork('server') }));
  const { client } = server;
  const writes = createWriteLog(client);
  const { logger, lines } = rememberingLogger();
  const run = async <T>(work: Promise<T>): Promise<T> => (await settle(clock, work))[0];
  const pod = (name: string): Promise<Stored<Pod>> => run(client.get(PODS, { namespace: 'default', name }));

  return {
    clock,
    client: settling(client, clock),
    server,
    writes,
    log: lines,
    async start(make) {
      const informers = createInformers(writes.client, { clock, random: random.fork('informers'), logger });
      const actors = make({ client: writes.client, informers, clock, random, logger });
      const stopping = new AbortController();
      const runs = [informers, ...actors].map((actor) => actor.start(stopping.signal));
      for (const each of runs) each.catch(() => undefined);
      await clock.drain();
      return {
        async stop() {
          stopping.abort();
          await settle(clock, Promise.all(runs));
        },
      };
    },
    pass: (ms) => clock.advance(ms),
    pod,
    node: (name) => run(client.get(NODES, { name })),
    async podWhen(name, isSo, withinMs = 60_000) {
      for (let waited = 0; waited <= withinMs; waited += STEP_MS) {
        const found = await pod(name);
        if (isSo(found)) return found;
        await clock.advance(STEP_MS);
      }
      throw new Error(`after ${withinMs} ms: ${JSON.stringify((await pod(name)).status)}`);
    },
  };
}

/** Moves no time, but lets everything that is due run until the promise has settled. */
async function settle<T>(clock: VirtualClock, work: Promise<T>): Promise<readonly [T]> {
  const state = { done: false };
  const noted = work.finally(() => void (state.done = true));
  noted.catch(() => undefined);
  for (let i = 0; i < 1000 && !state.done; i += 1) await clock.drain();
  if (!state.done) throw new Error('did not settle without time passing');
  return [await noted];
}

/** A client whose calls bring the clock along, so that a test can simply await them. */
function settling(client: Client, clock: VirtualClock): Client {
  return new Proxy(client, {
    get(target, property, receiver) {
      const member: unknown = Reflect.get(target, property, receiver);
      if (typeof member !== 'function' || property === 'watch') return member;
      return async (...args: unknown[]) => (await settle(clock, member.apply(target, args) as Promise<unknown>))[0];
    },
  });
}

export const simulatedNode = (
  name: string,
  annotations: Record<string, string> = {},
  rest: Partial<Node> = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, annotations: { [FLEET_ANNOTATIONS.simulated]: 'true', ...annotations } },
  spec: {},
  ...rest,
});

export const podOn = (
  nodeName: string | undefined,
  name: string,
  spec: Partial<Pod['spec']> = {},
  metadata: Partial<Pod['metadata']> = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...metadata },
  spec: { containers: [{ name: 'main', image: 'agent:1' }], ...(nodeName === undefined ? {} : { nodeName }), ...spec },
});

export const isReadyPod = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
