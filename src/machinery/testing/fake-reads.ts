/** Lists in pages and watches of the fake API server. */
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { expired } from '../../core/kube/status-error.ts';
import type { ListOptions, ListResult, WatchEvent, WatchOptions } from '../client/client.ts';
import { matching, seenAs } from './fake-rules.ts';
import type { FakeServer, OpenWatch } from './fake-server.ts';
import type { FakeEvent } from './fake-store.ts';
import { createPushStream, type PushStream } from './push-stream.ts';

export function listPage<T extends KubeObject>(
  { store, pages, random }: FakeServer,
  resource: Resource<T>,
  options: ListOptions | undefined,
): ListResult<T> {
  const { collection, inScope } = matching(resource, options);
  const page =
    options?.continue === undefined
      ? { items: store.list(collection).filter(inScope), resourceVersion: String(store.revision) }
      : pages.get(options.continue);
  if (page === undefined) {
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    );
  }
  const items = page.items as readonly KubeObject[] as readonly Stored<T>[];
  const { resourceVersion } = page;
  const limit = options?.limit ?? 0;
  if (limit === 0 || items.length <= limit) return { items, resourceVersion };
  const token = random.uuid();
  pages.set(token, { items: page.items.slice(limit), resourceVersion });
  return {
    items: items.slice(0, limit),
    resourceVersion,
    continue: token,
    remainingItemCount: items.length - limit,
  };
}

/** Opens a watch: the initial state or the events after a version, then every change until its reader leaves. */
export function openWatch(
  { store, watches, clock }: FakeServer,
  resource: Resource,
  options: WatchOptions,
): PushStream<WatchEvent<KubeObject>> {
  const { signal } = options;
  const { collection, inScope } = matching(resource, options);
  const from = options.resourceVersion ?? '';
  const fresh = options.sendInitialEvents === true || from === '' || from === '0';
  const past = fresh ? [] : store.since(Number(from));
  const stream = createPushStream<WatchEvent<KubeObject>>(() => {
    unsubscribe();
    watches.delete(open);
    timer?.cancel();
    signal?.removeEventListener('abort', onAbort);
  });
  const deliver = (event: FakeEvent): void => {
    if (event.collection !== collection) return;
    const seen = seenAs(event, inScope);
    if (seen !== undefined) stream.push(seen);
  };
  if (fresh) {
    for (const object of store.list(collection).filter(inScope)) stream.push({ type: 'ADDED', object });
    if (options.sendInitialEvents === true) {
      stream.push({ type: 'BOOKMARK', resourceVersion: String(store.revision), initialEventsEnd: true });
    }
  }
  past.forEach(deliver);
  const unsubscribe = store.subscribe(deliver);
  const open: OpenWatch = { stream, bookmarks: options.allowWatchBookmarks === true };
  watches.add(open);
  const onAbort = (): void => stream.fail(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const seconds = options.timeoutSeconds ?? 0;
  const timer = seconds > 0 ? clock.after(seconds * 1000, () => stream.end()) : undefined;
  return stream;
}
