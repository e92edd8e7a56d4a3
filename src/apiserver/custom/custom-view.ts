/**
 * The store as one version of a custom kind sees it. Objects may be stored in any version, and by an older schema; every
 * read prunes and fills them as the stored version's schema says today and then shows what this version knows of them,
 * and every write is turned into what is stored. Handlers work on the view and know nothing of versions.
 */
import type { CustomForm, KindDefinition } from '../../core/api/kind/kind-definition.ts';
import { apiVersionOf, type KubeObject, type Stored, type StoredMeta } from '../../core/kube/objects.ts';
import type {
  CollectionKey,
  Decision,
  Store,
  StoreEvent,
  StoreKey,
  StoreListOptions,
  StoreWatcher,
  StoreWatchOptions,
} from '../store/store.ts';
import { RetiredKindError } from './errors.ts';
import { ConversionPending, type ConvertObjects, withConversions } from './conversion.ts';

export interface CustomView {
  readonly store: Store;
  /** The kind is gone or another: its watches end in good order, so that clients look again. */
  retire(): void;
}

/** Objects sent to a webhook in one call. */
const BATCH = 500;

export function createCustomView(base: Store, kind: KindDefinition, convert: ConvertObjects): CustomView {
  const custom = customFormOf(kind);
  const apiVersion = apiVersionOf(kind);
  const storedApiVersion = apiVersionOf({ group: kind.group, version: kind.storage.version });
  const shown = new WeakMap<Stored, Stored>();
  const watches = new Set<StoreWatcher>();
  let retired = false;

  /** Handlers also read namespaces and other kinds, which the view passes through unchanged. */
  const isOwn = ({ group, resource }: CollectionKey): boolean => group === kind.group && resource === kind.resource;

  const needsWebhook = (object: Stored): boolean =>
    custom.conversion === 'Webhook' && object.apiVersion !== apiVersion && !shown.has(object);

  /** Asks the webhook for many objects at once and remembers the answers. */
  const fetch = async (objects: readonly Stored[]): Promise<void> => {
    for (const [version, group] of Map.groupBy(objects, (object) => object.apiVersion)) {
      void version;
      const answers = await convert(kind, group.map(custom.readStored), apiVersion);
      for (const [i, object] of group.entries()) {
        const answer = answers[i];
        if (answer !== undefined) shown.set(object, freeze(custom.converted(answer)));
      }
    }
  };

  const show = (object: Stored): Stored => {
    const known = shown.get(object);
    if (known !== undefined) return known;
    if (needsWebhook(object)) throw new ConversionPending(fetch([object]));
    const form = freeze(custom.fromStored(object));
    shown.set(object, form);
    return form;
  };
  const showMaybe = (object: Stored | undefined): Stored | undefined =>
    object === undefined ? undefined : show(object);

  function* list(collection: CollectionKey, options?: StoreListOptions): Iterable<Stored> {
    const objects = base.list(collection, options)[Symbol.iterator]();
    for (let next = objects.next(); next.done !== true; next = objects.next()) {
      if (needsWebhook(next.value)) {
        const batch = [next.value];
        for (let more = objects.next(); more.done !== true && batch.length < BATCH; more = objects.next()) {
          if (needsWebhook(more.value)) batch.push(more.value);
        }
        throw new ConversionPending(fetch(batch));
      }
      yield show(next.value);
    }
  }

  async function write(
    key: StoreKey,
    decide: (accepted: Stored | undefined, revision: number) => Decision,
  ): Promise<Stored> {
    /**
     * The webhook's conversion of the object that this decision puts, valid while the decision is about the same stored
     * object.
     */
    let converted: { readonly judged: Stored | undefined; readonly object: KubeObject } | undefined;
    const toStored = (object: Stored, judged: Stored | undefined): Stored => {
      if (custom.conversion === 'None' || apiVersion === storedApiVersion)
        return freeze(custom.toStored(object) as Stored);
      if (converted === undefined || converted.judged !== judged) {
        const asking = convert(kind, [object], storedApiVersion).then(([answer]) => {
          converted = { judged, object: answer ?? object };
        });
        throw new ConversionPending(asking);
      }
      const { metadata } = object;
      const { annotations, labels } = converted.object.metadata;
      return freeze(
        custom.toStored({ ...converted.object, metadata: withTexts(metadata, labels, annotations) }) as Stored,
      );
    };
    const stored = await withConversions(() =>
      base.write(key, (accepted, revision) => {
        const decision = decide(showMaybe(accepted), revision);
        if ('put' in decision) return { put: toStored(decision.put, accepted) };
        // A removed object is passed on in its stored form; only its metadata is new.
        if ('remove' in decision)
          return { remove: freeze({ ...(accepted ?? decision.remove), metadata: decision.remove.metadata }) };
        return accepted === undefined ? decision : { keep: accepted };
      }),
    );
    return withConversions(() => show(stored));
  }

  function watch(collection: CollectionKey, options: StoreWatchOptions, watcher: StoreWatcher): { stop(): void } {
    let stopped = false;
    const finish = (reason: Error): void => {
      if (stopped) return;
      stopped = true;
      watches.delete(ending);
      watcher.closed(reason);
    };
    const deliver = (events: readonly StoreEvent[]): void => {
      if (!stopped) watcher.events(events.map(showEvent));
    };
    /** Work that must stay in order while a webhook is asked; undefined when nothing waits. */
    let waiting: Promise<void> | undefined;
    const inOrder = (work: () => void | Promise<void>): void => {
      const next = (waiting ?? Promise.resolve()).then(work).catch((error: unknown) => finish(error as Error));
      waiting = next;
      void next.then(() => {
        if (waiting === next) waiting = undefined;
      });
    };
    const ending: StoreWatcher = { events: () => undefined, closed: finish };
    const subscription = base.watch(collection, options, {
      events(events) {
        const unknown = events
          .flatMap(({ object, previous }) => [object, previous])
          .filter((each) => each !== undefined);
        const missing = unknown.filter(needsWebhook);
        if (missing.length === 0 && waiting === undefined) return deliver(events);
        inOrder(async () => {
          const still = [...new Set(missing)].filter(needsWebhook);
          if (still.length > 0) await fetch(still);
          deliver(events);
        });
      },
      progress: (revision) => {
        if (waiting === undefined) watcher.progress?.(revision);
        else inOrder(() => (stopped ? undefined : watcher.progress?.(revision)));
      },
      closed: (reason) => (waiting === undefined ? finish(reason) : inOrder(() => finish(reason))),
    });
    watches.add(ending);
    if (retired) queueMicrotask(() => finish(new RetiredKindError(kind.resource)));
    return {
      stop() {
        stopped = true;
        watches.delete(ending);
        subscription.stop();
      },
    };
  }

  const shownEvents = new WeakMap<StoreEvent, StoreEvent>();
  /** All watchers of a version get the very same event, so that it is encoded once. */
  const showEvent = (event: StoreEvent): StoreEvent => {
    const known = shownEvents.get(event);
    if (known !== undefined) return known;
    const object = show(event.object);
    const previous = showMaybe(event.previous);
    const same = object === event.object && previous === event.previous;
    const next = same ? event : { ...event, object, previous };
    shownEvents.set(event, next);
    return next;
  };

  return {
    store: {
      get revision() {
        return base.revision;
      },
      get trouble() {
        return base.trouble;
      },
      get compactedRevision() {
        return base.compactedRevision;
      },
      trimHistory: (through, keepBytes) => base.trimHistory(through, keepBytes),
      get: (key) => (isOwn(key) ? showMaybe(base.get(key)) : base.get(key)),
      list: (collection, how) => (isOwn(collection) ? list(collection, how) : base.list(collection, how)),
      count: (collection, namespace) => base.count(collection, namespace),
      collections: () => base.collections(),
      watch: (collection, how, watcher) =>
        isOwn(collection) ? watch(collection, how, watcher) : base.watch(collection, how, watcher),
      write: (key, decide) => (isOwn(key) ? write(key, decide) : base.write(key, decide)),
      accepted: (key) => (isOwn(key) ? showMaybe(base.accepted(key)) : base.accepted(key)),
      close: () => base.close(),
    },
    retire() {
      retired = true;
      for (const watcher of [...watches]) watcher.closed(new RetiredKindError(kind.resource));
    },
  };
}

function customFormOf({ custom, resource }: KindDefinition): CustomForm {
  if (custom === undefined) throw new Error(`${resource} is no custom kind`);
  return custom;
}

const freeze = <T extends KubeObject>(object: T): Stored => Object.freeze(object) as unknown as Stored;

/** Of metadata a webhook may only change labels and annotations. */
function withTexts(
  metadata: StoredMeta,
  labels: StoredMeta['labels'],
  annotations: StoredMeta['annotations'],
): StoredMeta {
  const { annotations: _annotations, labels: _labels, ...rest } = metadata;
  return {
    ...rest,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
