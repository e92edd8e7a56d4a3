/**
 * The store against a model that remembers every state it ever had: random writes that overlap, lists at random
 * revisions, watches from random points, restarts. After every step the two must agree, and every watcher must have
 * seen each change once and in order, or have been told that it cannot.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../machinery/time/real-clock.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { compareNamespaces } from './collection.ts';
import { NODES, PODS, dataOf, keyIn, objectOf, recordWatch } from './support.contract.ts';
import type { Recorder, StoreHarness } from './support.contract.ts';
import type { CollectionKey, Store } from './store.ts';

const HISTORY = 12;
const collections: readonly CollectionKey[] = [PODS, NODES];
const namespaces = ['a', 'a-b', 'b'];

interface ModelEvent {
  readonly collection: number;
  readonly namespace: string;
  readonly name: string;
  /** Undefined: removed. */
  readonly data: number | undefined;
}

interface Watched {
  readonly collection: number;
  readonly namespace: string | undefined;
  readonly since: number;
  readonly recorder: Recorder;
}

/** `events[r - 1]` is the change of revision r; everything else follows from the events. */
interface Model {
  readonly events: ModelEvent[];
  startRevision: number;
}

const stateAt = (model: Model, collection: number, revision: number): Map<string, number> => {
  const state = new Map<string, number>();
  for (const event of model.events.slice(0, revision)) {
    if (event.collection !== collection) continue;
    const key = `${event.namespace} ${event.name}`;
    if (event.data === undefined) state.delete(key);
    else state.set(key, event.data);
  }
  return state;
};

/** The newest event of the collection that the bounded history has dropped. */
const oldestHeld = (model: Model, collection: number): number => {
  const dropped = Math.max(model.startRevision, model.events.length - HISTORY);
  for (let revision = dropped; revision > model.startRevision; revision--) {
    if (model.events[revision - 1]?.collection === collection) return revision;
  }
  return model.startRevision;
};

const inOrder = (state: Map<string, number>): [string, number][] =>
  [...state].toSorted(([a], [b]) => {
    const [an = '', am = ''] = a.split(' ');
    const [bn = '', bm = ''] = b.split(' ');
    return compareNamespaces(an, bn) || (am < bm ? -1 : 1);
  });

type Step =
  | { readonly type: 'write'; readonly collection: number; readonly namespace: string; readonly name: string }
  | { readonly type: 'remove'; readonly collection: number; readonly namespace: string; readonly name: string }
  | { readonly type: 'settle' }
  | { readonly type: 'list'; readonly collection: number; readonly back: number }
  | {
      readonly type: 'watch';
      readonly collection: number;
      readonly back: number;
      readonly namespace: string | undefined;
    }
  | { readonly type: 'restart' };

const place = {
  collection: fc.nat({ max: collections.length - 1 }),
  namespace: fc.constantFrom(...namespaces),
  name: fc.constantFrom('p', 'q', 'r', 's'),
};
const back = fc.nat({ max: HISTORY + 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ type: fc.constant('write' as const), ...place }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('remove' as const), ...place }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('settle' as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('list' as const), collection: place.collection, back }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('watch' as const),
      collection: place.collection,
      back,
      namespace: fc.option(place.namespace, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const) }) },
);

export function describeStoreModel(
  name: string,
  harness: () => StoreHarness,
  { runs }: { readonly runs: number },
): void {
  describe(`${name}: the store against its model`, () => {
    it('agrees after every step', async () => {
      const played = fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 120 }), (steps) => play(harness(), steps)),
        { numRuns: runs },
      );
      await expect(played).resolves.toBeUndefined();
    }, 60_000);
  });
}

async function play(harness: StoreHarness, steps: readonly Step[]): Promise<void> {
  const options = { clock: realClock, history: { events: HISTORY, bytes: Infinity } };
  let store = await harness.open(options);
  const model: Model = { events: [], startRevision: 0 };
  let watches: Watched[] = [];
  let pending: Promise<unknown>[] = [];
  const settleAll = async (): Promise<void> => {
    await Promise.all(pending);
    pending = [];
    // Replays are short here: one more turn and every watcher has all committed events.
    await realClock.sleep(0);
    expect(store.revision).toBe(model.events.length);
    for (const watched of watches) checkWatch(model, watched);
  };
  try {
    for (const current of steps) {
      switch (current.type) {
        case 'write':
        case 'remove':
          pending.push(write(store, model, current));
          break;
        case 'settle':
          await settleAll();
          break;
        case 'list':
          checkList(store, model, current.collection, Math.max(0, store.revision - current.back));
          break;
        case 'watch': {
          const started = startWatch(store, model, current);
          if (started !== undefined) watches.push(started);
          break;
        }
        case 'restart':
          if (harness.reopen === undefined) break;
          await settleAll();
          store = await harness.reopen(store, options);
          checkAllClosed(watches);
          watches = [];
          model.startRevision = model.events.length;
          break;
      }
    }
    await settleAll();
    for (const [at] of collections.entries()) checkList(store, model, at, store.revision);
  } finally {
    await store.close();
    await harness.cleanUp();
  }
}

function write(store: Store, model: Model, step: Extract<Step, { type: 'write' | 'remove' }>): Promise<unknown> {
  const { collection, namespace, name } = step;
  const known = stateAt(model, collection, model.events.length).get(`${namespace} ${name}`);
  const removing = step.type === 'remove' && known !== undefined;
  const data = model.events.length + 1;
  const key = keyIn(collections[collection] as CollectionKey, namespace, name);
  const answer = store.write(key, (accepted, revision) => {
    expect(dataOf(accepted)).toBe(known);
    expect(revision).toBe(data);
    return removing && accepted !== undefined ? { remove: accepted } : { put: objectOf(namespace, name, data) };
  });
  model.events.push({ collection, namespace, name, data: removing ? undefined : data });
  return answer.then((object) => expect(object.metadata.resourceVersion).toBe(String(data)));
}

/** The history holds committed events only, so the model is asked as of the committed revision. */
const committedModel = (model: Model, store: Store): Model => ({
  events: model.events.slice(0, store.revision),
  startRevision: model.startRevision,
});

function checkList(store: Store, model: Model, collection: number, revision: number): void {
  const list = () =>
    Array.from(store.list(collections[collection] as CollectionKey, { revision }), (object) => [
      `${object.metadata.namespace} ${object.metadata.name}`,
      dataOf(object),
    ]);
  if (revision < oldestHeld(committedModel(model, store), collection)) expect(list).toThrow('too old resource version');
  else expect(list()).toEqual(inOrder(stateAt(model, collection, revision)));
}

function startWatch(store: Store, model: Model, step: Extract<Step, { type: 'watch' }>): Watched | undefined {
  const { collection, namespace } = step;
  const since = Math.max(0, store.revision - step.back);
  const start = () => recordWatch(store, collections[collection] as CollectionKey, since, namespace);
  if (since < oldestHeld(committedModel(model, store), collection)) {
    expect(start).toThrow('too old resource version');
    return undefined;
  }
  return { collection, namespace, since, recorder: start() };
}

function checkAllClosed(watches: readonly Watched[]): void {
  for (const { recorder } of watches) expect(recorder.closed).toHaveLength(1);
}

function checkWatch(model: Model, { collection, namespace, since, recorder }: Watched): void {
  const expected = model.events.flatMap((event, at) =>
    event.collection === collection && at + 1 > since && (namespace === undefined || event.namespace === namespace)
      ? [{ revision: at + 1, name: event.name, data: event.data }]
      : [],
  );
  const seen = recorder.events.map((e) => ({
    revision: e.revision,
    name: e.name,
    data: e.type === 'DELETED' ? undefined : dataOf(e.object),
  }));
  if (recorder.closed.length > 0) {
    // Compaction overtook its replay before it began: told so, and nothing wrong was handed over.
    expect(isStatus(recorder.closed[0], 'Expired')).toBe(true);
    expect(seen).toEqual(expected.slice(0, seen.length));
    return;
  }
  expect(seen).toEqual(expected);
}
