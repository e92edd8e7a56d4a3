/** A client that loses answers, refuses writes and lags behind, by plan. */
import type { KubeObject, Resource } from '../../src/core/kube/objects.ts';
import { serverTimeout, timeout } from '../../src/core/kube/status-error.ts';
import type { Client, WatchOptions, WatchStream } from '../../src/machinery/client/client.ts';
import type { Clock } from '../../src/machinery/time/clock.ts';

type Verb = 'get' | 'create' | 'update' | 'patch' | 'delete';
/** `lost`: the write takes effect and its answer does not come. `refused`: it does not take effect. */
type Fate = 'fine' | 'lost' | 'refused' | Error;

export interface Weather {
  fate(verb: Verb, resource: Resource, object: KubeObject | undefined): Fate;
  /** How much later than the server a watch tells of a change. */
  lagMs?(resource: Resource): number;
}

export function inWeather(client: Client, clock: Clock, weather: Weather): Client {
  async function go<T>(
    verb: Verb,
    resource: Resource,
    object: KubeObject | undefined,
    send: () => Promise<T>,
  ): Promise<T> {
    const fate = weather.fate(verb, resource, object);
    if (fate instanceof Error) throw fate;
    if (fate === 'refused') throw serverTimeout(resource, verb);
    const answer = await send();
    if (fate === 'lost') throw timeout('request did not complete within the allotted timeout');
    return answer;
  }
  async function* late<T extends KubeObject>(
    stream: WatchStream<T>,
    lagMs: number,
    signal?: AbortSignal,
  ): WatchStream<T> {
    for await (const events of stream) {
      await clock.sleep(lagMs, signal);
      yield events;
    }
  }
  return {
    ...client,
    get: (resource, key, options) => go('get', resource, undefined, () => client.get(resource, key, options)),
    create: (resource, object, options) =>
      go('create', resource, object, () => client.create(resource, object, options)),
    update: (resource, object, options) =>
      go('update', resource, object, () => client.update(resource, object, options)),
    patch: (resource, key, patch, options) =>
      go('patch', resource, undefined, () => client.patch(resource, key, patch, options)),
    delete: (resource, key, options) => go('delete', resource, undefined, () => client.delete(resource, key, options)),
    watch<T extends KubeObject>(resource: Resource<T>, options?: WatchOptions): WatchStream<T> {
      const stream = client.watch(resource, options);
      const lagMs = weather.lagMs?.(resource) ?? 0;
      return lagMs === 0 ? stream : late(stream, lagMs, options?.signal);
    },
  };
}
