/**
 * A fence around a leader's client: reads always pass, writes only while the lead is ours. When the lead is lost, writes on
 * their way are given up, also those that wait for the client's own rate limit or for a retry, and none begins. So
 * controllers need not pass a signal along for this to hold.
 */
import { linkAbort } from '../time/abort.ts';
import type { Client, RequestOptions } from '../client/client.ts';
import { MachineryError } from '../errors.ts';

export function fencedClient(client: Client, lost: AbortSignal): Client {
  async function write<O extends RequestOptions, R>(
    options: O | undefined,
    send: (options: O) => Promise<R>,
  ): Promise<R> {
    if (lost.aborted) throw fenced(lost);
    const own = options?.signal;
    try {
      if (own === undefined) return await send({ ...options, signal: lost } as O);
      using link = linkAbort(own);
      const cut = (): void => link.abort(lost.reason);
      lost.addEventListener('abort', cut, { once: true });
      try {
        return await send({ ...options, signal: link.signal } as O);
      } finally {
        lost.removeEventListener('abort', cut);
      }
    } catch (error) {
      throw lost.aborted && error === lost.reason ? fenced(lost) : error;
    }
  }

  return {
    get: (resource, key, options) => client.get(resource, key, options),
    list: (resource, options) => client.list(resource, options),
    watch: (resource, options) => client.watch(resource, options),
    create: (resource, object, options) => write(options, (cut) => client.create(resource, object, cut)),
    update: (resource, object, options) => write(options, (cut) => client.update(resource, object, cut)),
    patch: (resource, key, patch, options) => write(options, (cut) => client.patch(resource, key, patch, cut)),
    apply: (resource, object, options) => write(options, (cut) => client.apply(resource, object, cut)),
    delete: (resource, key, options) => write(options, (cut) => client.delete(resource, key, cut)),
    deleteCollection: (resource, options) => write(options, (cut) => client.deleteCollection(resource, cut)),
    bind: (pod, nodeName, options) => write(options, (cut) => client.bind(pod, nodeName, cut)),
    evict: (pod, options) => write(options, (cut) => client.evict(pod, cut)),
  };
}

const fenced = ({ reason }: AbortSignal): MachineryError =>
  new MachineryError('EN_MACHINERY_NOT_LEADER', 'nothing is written any more, because the lead was lost', {
    cause: reason,
  });
