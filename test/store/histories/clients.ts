/** Clients that fight over a few objects, and watchers that follow them. */
import { CONFIG_MAPS } from '../../../src/core/api/registry/resources.ts';
import { isStatus } from '../../../src/core/kube/status-error.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import type { SeededRandom } from '../../../src/machinery/random/seeded-random.ts';
import { NAMESPACE, SELECTOR, sightOf, type Call, type Recorder, type Sight } from './recorder.ts';

export const NAMES: readonly string[] = ['h0', 'h1', 'h2', 'h3'];

export interface ClientOptions {
  readonly random: SeededRandom;
  /** Tells the values of this client from all others. */
  readonly id: string;
  readonly calls: number;
}

/** Asks one thing after the other; ends early when it is no longer answered. */
export async function act(client: Client, recorder: Recorder, { random, id, calls }: ClientOptions): Promise<void> {
  /** What it last saw of each object, which may long be out of date: that is what makes conflicts. */
  const known = new Map<string, Sight>();
  for (let i = 0; i < calls; i += 1) {
    const name = NAMES[random.integer(NAMES.length)] as string;
    const call = drawCall(random, name, `${id}.${i}`, known.get(name));
    const answer = await recorder.ask(client, call);
    if (answer.type === 'unknown') return;
    if (answer.type === 'ok' && answer.seen !== undefined) known.set(name, answer.seen);
    if (answer.type === 'list') for (const item of answer.items) known.set(item.name, item);
    if (answer.type === 'absent') known.delete(name);
  }
}

function drawCall(random: SeededRandom, name: string, value: string, known: Sight | undefined): Call {
  const draw = random.next();
  if (draw < 0.15) return { verb: 'get', name };
  if (draw < 0.25) return { verb: 'list' };
  if (draw < 0.4) return { verb: 'delete', name, expected: random.next() < 0.5 ? known : undefined };
  if (known === undefined || draw < 0.6) return { verb: 'create', name, value };
  return { verb: 'update', name, value, expected: known };
}

export interface Seen {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly sight: Sight;
}

/** What a watcher saw without being told that it missed something: a list, and all events since. */
export interface Stretch {
  readonly since: number;
  readonly listed: readonly Sight[];
  readonly events: Seen[];
  /** The last revision it has seen. */
  reached: number;
}

export interface Watched {
  readonly stretches: Stretch[];
  /** It has not listed yet, or was told to list again. */
  mustList: boolean;
  /** How often it was told that the history is gone. */
  expired: number;
  /** How often it went on where it had been cut off. */
  resumed: number;
}

export const emptyWatch = (): Watched => ({ stretches: [], mustList: true, expired: 0, resumed: 0 });

/** Follows until the signal; with chance, stops now and then, sleeps, and goes on from where it was. */
export async function follow(
  client: Client,
  watched: Watched,
  random: SeededRandom | undefined,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const patience = new AbortController();
    const leave = realClock.after((random?.next() ?? 1_000) * 150, () => patience.abort());
    try {
      if (watched.mustList) await beginStretch(client, watched);
      await watchOn(client, watched.stretches.at(-1) as Stretch, AbortSignal.any([signal, patience.signal]));
    } catch (error) {
      watched.mustList ||= isStatus(error, 'Expired');
      if (isStatus(error, 'Expired')) watched.expired += 1;
      else if (!patience.signal.aborted) return;
    } finally {
      leave.cancel();
    }
    if (!signal.aborted && random !== undefined) await realClock.sleep(random.next() < 0.3 ? random.next() * 200 : 0);
    watched.resumed += 1;
  }
}

async function beginStretch(client: Client, watched: Watched): Promise<void> {
  const list = await client.list(CONFIG_MAPS, { namespace: NAMESPACE, labelSelector: SELECTOR });
  const since = Number(list.resourceVersion);
  watched.stretches.push({ since, listed: list.items.map(sightOf), events: [], reached: since });
  watched.mustList = false;
}

async function watchOn(client: Client, stretch: Stretch, signal: AbortSignal): Promise<void> {
  const from = { resourceVersion: String(stretch.reached), allowWatchBookmarks: true };
  const stream = client.watch(CONFIG_MAPS, { namespace: NAMESPACE, labelSelector: SELECTOR, ...from, signal });
  for await (const events of stream) {
    for (const event of events) {
      if (event.type === 'BOOKMARK') {
        stretch.reached = Math.max(stretch.reached, Number(event.resourceVersion));
        continue;
      }
      const sight = sightOf(event.object);
      stretch.events.push({ type: event.type, sight });
      stretch.reached = sight.revision;
    }
  }
}
