/** A watch as an async iterable: batches wait here until they are asked for, within bounds. */
import type { KubeObject } from '../../core/kube/objects.ts';
import type { StatusError } from '../../core/kube/status-error.ts';
import type { WatchEvent, WatchStream } from '../../machinery/client/client.ts';
import type { ApiServer } from '../api-server.ts';
import type { ApiWatchEvent, WatchHandle, WatchRequest } from '../contract/request.ts';

/** A reader this many events behind (beyond its initial state) is cut off; it resumes from where it stands. */
const MOST_WAITING = 100_000;

export function openStream<T extends KubeObject>(server: ApiServer, request: WatchRequest): WatchStream<T> {
  return {
    [Symbol.asyncIterator]: () => iterate<T>(server, request),
  };
}

function iterate<T extends KubeObject>(
  server: ApiServer,
  request: WatchRequest,
): AsyncIterator<readonly WatchEvent<T>[]> {
  type Batch = readonly WatchEvent<T>[];
  type Reader = { resolve(result: IteratorResult<Batch>): void; reject(error: unknown): void };
  const waiting: Batch[] = [];
  let waitingEvents = 0;
  let initialDone = false;
  let reader: Reader | undefined;
  let handle: WatchHandle | undefined;
  let state: 'idle' | 'open' | 'ended' = 'idle';
  let failure: unknown;

  const finish = (error?: unknown): void => {
    if (state === 'ended') return;
    state = 'ended';
    failure = error;
    handle?.stop();
    request.signal?.removeEventListener('abort', abort);
    const asking = reader;
    reader = undefined;
    if (asking === undefined) return;
    failure = undefined;
    if (error === undefined) asking.resolve({ done: true, value: undefined });
    else asking.reject(error);
  };
  const abort = (): void => {
    waiting.length = 0;
    finish(request.signal?.reason);
  };

  const sink = {
    events(batch: readonly ApiWatchEvent[]): void {
      if (state === 'ended') return;
      const events = batch as Batch;
      const asking = reader;
      if (asking !== undefined) {
        reader = undefined;
        initialDone = true;
        asking.resolve({ done: false, value: events });
        return;
      }
      waiting.push(events);
      if (initialDone) waitingEvents += events.length;
      if (waitingEvents > MOST_WAITING) finish();
    },
    ended: (error?: StatusError): void => finish(error),
  };

  const open = (): void => {
    state = 'open';
    request.signal?.addEventListener('abort', abort, { once: true });
    try {
      handle = server.watch(request, sink);
    } catch (error) {
      finish(error);
    }
  };

  return {
    next() {
      if (request.signal?.aborted === true && state !== 'ended') abort();
      if (state === 'idle') open();
      const batch = waiting.shift();
      if (batch !== undefined) {
        initialDone = true;
        waitingEvents = Math.max(0, waitingEvents - batch.length);
        return Promise.resolve({ done: false, value: batch });
      }
      if (state === 'ended') {
        if (failure === undefined) return Promise.resolve({ done: true, value: undefined });
        const error = failure;
        failure = undefined;
        return Promise.reject(error);
      }
      return new Promise((resolve, reject) => {
        reader = { resolve, reject };
      });
    },
    return() {
      waiting.length = 0;
      finish();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
