/**
 * Random writes while watchers begin, end and resume wherever they like, with all sorts of selections. What each of
 * them saw must follow from the store's log: entering, changing and leaving its selection, in order, once; or a 410, and
 * that only where the log no longer reaches back. The log is kept here, from the first revision on.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOOPBACK } from '../../src/apiserver/contract/users.ts';
import type { ApiWatchEvent, WatchHandle } from '../../src/apiserver/contract/request.ts';
import type { StoreEvent } from '../../src/apiserver/store/store.ts';
import { createTestServer, type TestServer } from '../../src/apiserver/testing/test-server.ts';
import { CONFIG_MAPS, NAMESPACES } from '../../src/core/api/registry/resources.ts';
import type { Resource, Stored } from '../../src/core/kube/objects.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { createVirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import { definitionOf, resourceOf, specOf, versionOf } from '../custom/definitions.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { serveKind } from './support/serve-kind.ts';

const suite = cases('watches.test.ts');
const HISTORY = 6;

const definition = definitionOf(
  versionOf(specOf({ color: { type: 'string' } }), { selectableFields: [{ jsonPath: '.spec.color' }] }),
);

interface Selection {
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** What the selections above mean, said once more in plain words. */
const MEANING: { readonly [selector: string]: (object: Stored) => boolean } = {
  'on=yes': ({ metadata }) => metadata.labels?.['on'] === 'yes',
  'on!=yes': ({ metadata }) => metadata.labels?.['on'] !== 'yes',
  'on notin (no),on': ({ metadata }) => !['no', undefined].includes(metadata.labels?.['on']),
  '!on': ({ metadata }) => metadata.labels?.['on'] === undefined,
  'metadata.name=a': ({ metadata }) => metadata.name === 'a',
  'metadata.name!=a,metadata.namespace=one': ({ metadata }) => metadata.name !== 'a' && metadata.namespace === 'one',
  'spec.color=red': (object) => (object as { spec?: { color?: string } }).spec?.color === 'red',
};
const FIELDS = ['metadata.name=a', 'metadata.name!=a,metadata.namespace=one'];
const LABELS = ['on=yes', 'on!=yes', 'on notin (no),on', '!on'];

const isSelected = ({ fieldSelector, labelSelector, namespace }: Selection, object: Stored): boolean =>
  (namespace === '' || object.metadata.namespace === namespace) &&
  [fieldSelector, labelSelector].every((selector) => selector === undefined || MEANING[selector]?.(object) === true);

interface Write {
  readonly do: 'write';
  readonly how: 'create' | 'label' | 'change' | 'delete';
  readonly namespace: string;
  readonly name: string;
  readonly on: string | undefined;
  readonly color: string;
}

interface Watch {
  readonly do: 'watch';
  readonly namespace: string;
  readonly label: string | undefined;
  readonly field: string | undefined;
  /** Revisions back from the newest; `none` begins with what is there. */
  readonly back: number | 'none' | 'initial';
  readonly bookmarks: boolean;
}

type Step =
  | Write
  | Watch
  | { readonly do: 'stop'; readonly which: number }
  | { readonly do: 'resume'; readonly which: number }
  | { readonly do: 'settle' }
  | { readonly do: 'minute' };

const write: fc.Arbitrary<Write> = fc.record({
  do: fc.constant('write'),
  how: fc.constantFrom('create', 'create', 'label', 'label', 'change', 'delete'),
  namespace: fc.constantFrom('one', 'two'),
  name: fc.constantFrom('a', 'b', 'c'),
  on: fc.constantFrom('yes', 'no', undefined),
  color: fc.constantFrom('red', 'blue'),
});

const watchOf = (fields: readonly string[]): fc.Arbitrary<Watch> =>
  fc.record({
    do: fc.constant('watch'),
    namespace: fc.constantFrom('', '', 'one', 'two'),
    label: fc.constantFrom(undefined, undefined, ...LABELS),
    field: fc.constantFrom(undefined, undefined, undefined, ...fields),
    back: fc.oneof(fc.constantFrom<'none' | 'initial'>('none', 'initial'), fc.nat(40)),
    bookmarks: fc.boolean(),
  });

const stepsWith = (fields: readonly string[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 12, arbitrary: write },
      { weight: 4, arbitrary: watchOf(fields) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constantFrom<'stop' | 'resume'>('stop', 'resume'), which: fc.nat(20) }),
      },
      { weight: 4, arbitrary: fc.record({ do: fc.constantFrom<'settle' | 'minute'>('settle', 'settle', 'minute') }) },
    ),
    { minLength: 20, maxLength: 70, size: 'max' },
  );

interface Watcher {
  readonly selection: Selection;
  readonly initial: boolean;
  readonly since: number;
  readonly seen: string[];
  last: number;
  stopped: boolean;
  error: StatusError | undefined;
  handle: WatchHandle | undefined;
}

const spell = (type: string, { metadata }: Stored, revision: number): string =>
  `${type} ${metadata.namespace}/${metadata.name}@${revision} on=${metadata.labels?.['on'] ?? ''}`;

/** All that a watcher may see, from the log alone. */
function expected(log: readonly StoreEvent[], { initial, selection, since }: Watcher): string[] {
  const state = new Map<string, Stored>();
  const seen: string[] = [];
  for (const { name, namespace, object, revision, type } of log) {
    const key = `${namespace}/${name}`;
    const before = state.get(key);
    if (type === 'DELETED') state.delete(key);
    else state.set(key, object);
    if (revision <= since) continue;
    const was = before !== undefined && isSelected(selection, before);
    const is = type !== 'DELETED' && isSelected(selection, object);
    if (is) seen.push(spell(was ? 'MODIFIED' : 'ADDED', object, revision));
    else if (was) seen.push(spell('DELETED', type === 'DELETED' ? object : before, revision));
  }
  if (!initial) return seen;
  return [...stateAt(log, since, selection), ...seen];
}

function stateAt(log: readonly StoreEvent[], revision: number, selection: Selection): string[] {
  const state = new Map<string, Stored>();
  for (const event of log.filter((each) => each.revision <= revision)) {
    const key = `${event.namespace} ${event.name}`;
    if (event.type === 'DELETED') state.delete(key);
    else state.set(key, event.object);
  }
  return [...state]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([, object]) => isSelected(selection, object))
    .map(([, object]) => spell('ADDED', object, Number(object.metadata.resourceVersion)));
}

interface World {
  readonly server: TestServer;
  readonly resource: Resource;
  readonly log: StoreEvent[];
  readonly watchers: Watcher[];
}

function open(
  { log, resource, server, watchers }: World,
  { back, bookmarks, field, label, namespace }: Watch,
  from?: number,
): void {
  const current = server.store.revision;
  const since = from ?? (typeof back === 'number' ? Math.max(1, current - back) : current);
  const initial = from === undefined && typeof back !== 'number';
  const selection = {
    namespace,
    ...(label === undefined ? {} : { labelSelector: label }),
    ...(field === undefined ? {} : { fieldSelector: field }),
  };
  const watcher: Watcher = {
    ...{ selection, initial, since, seen: [], last: since, stopped: false, error: undefined, handle: undefined },
  };
  watchers.push(watcher);
  const see = (event: ApiWatchEvent): void => {
    expect(watcher.stopped).toBe(false);
    if (event.type === 'BOOKMARK') {
      const revision = Number(event.resourceVersion);
      expect(revision).toBeGreaterThanOrEqual(watcher.last);
      watcher.last = revision;
      // Whoever says "up to here" has told everything up to there.
      const due = expected(
        log.filter((each) => each.revision <= revision),
        watcher,
      );
      expect(watcher.seen).toEqual(due);
      return;
    }
    const revision = Number(event.object.metadata.resourceVersion);
    watcher.seen.push(spell(event.type, event.object, revision));
    watcher.last = Math.max(watcher.last, revision);
  };
  const options = {
    ...selection,
    allowWatchBookmarks: bookmarks,
    ...(initial ? {} : { resourceVersion: String(since) }),
    ...(from === undefined && back === 'initial'
      ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true }
      : {}),
  };
  const { group, resource: plural, version } = resource;
  const target = { tenant: 'system', group, version, resource: plural, namespace, name: '', subresource: '' };
  watcher.handle = server.server.watch(
    { verb: 'watch', target, user: LOOPBACK, options },
    {
      events: (batch) => batch.forEach(see),
      ended(error) {
        watcher.error = error;
        watcher.stopped = true;
      },
    },
  );
}

async function perform({ resource, server: { client } }: World, step: Write): Promise<void> {
  const { color, how, name, namespace, on } = step;
  const labels = on === undefined ? null : { on };
  const key = { namespace, name };
  const object = {
    apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: { ...key, ...(labels === null ? {} : { labels }) },
    ...(resource.group === '' ? { data: { color } } : { spec: { color } }),
  };
  try {
    if (how === 'create') await client.create(resource, object);
    else if (how === 'delete') await client.delete(resource, key);
    else {
      const body =
        how === 'label' ? { metadata: { labels } } : resource.group === '' ? { data: { color } } : { spec: { color } };
      await client.patch(resource, key, { type: 'merge', body });
    }
  } catch (error) {
    if (!(error instanceof StatusError) || error.code >= 500) throw error;
  }
}

async function live(resource: Resource, steps: readonly Step[]): Promise<void> {
  const clock = createVirtualClock();
  const drained = async <T>(work: Promise<T>): Promise<T> => {
    let done = false;
    void work.finally(() => (done = true)).catch(() => {});
    while (!done) await clock.drain();
    return work;
  };
  const server = await drained(
    createTestServer({ clock, random: createSeededRandom('w'), history: { events: HISTORY } }),
  );
  if (resource.group !== '') await drained(serveKind(server, definition));
  for (const name of ['one', 'two']) {
    await drained(
      server.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} }),
    );
  }
  const world: World = { server, resource, log: [], watchers: [] };
  const { group, resource: plural } = resource;
  server.store.watch(
    { tenant: 'system', group, resource: plural },
    { since: server.store.revision },
    { events: (events) => void world.log.push(...events), closed: (reason) => expect(reason).toBeUndefined() },
  );
  await clock.drain();
  let pending: Promise<void>[] = [];
  const settle = async (): Promise<void> => {
    await drained(Promise.all(pending));
    pending = [];
    await clock.drain();
  };
  for (const step of steps) {
    if (step.do === 'write') pending.push(perform(world, step));
    else if (step.do === 'watch') open(world, step);
    else if (step.do === 'settle') await settle();
    else if (step.do === 'minute') {
      await settle();
      await clock.advance(61_000);
    } else {
      const watcher = world.watchers[step.which % Math.max(1, world.watchers.length)];
      if (watcher === undefined) continue;
      watcher.handle?.stop();
      watcher.stopped = true;
      const { fieldSelector, labelSelector, namespace } = watcher.selection;
      const again = { namespace, label: labelSelector, field: fieldSelector, back: 0, bookmarks: true };
      if (step.do === 'resume') open(world, { do: 'watch', ...again }, watcher.last);
    }
  }
  await settle();
  for (const watcher of world.watchers) judge(world, watcher);
  for (const { handle } of world.watchers) handle?.stop();
  await clock.drain();
}

/** That there was something to judge. */
const told = { events: 0, expired: 0 };

function judge({ log, server }: World, watcher: Watcher): void {
  suite.count();
  told.events += watcher.seen.length;
  if (watcher.error !== undefined) told.expired += 1;
  const all = expected(log, watcher);
  if (watcher.error !== undefined) {
    expect(watcher.error.code).toBe(410);
    expect(watcher.since).toBeLessThan(server.store.compactedRevision);
    expect(watcher.seen).toEqual([]);
  } else if (watcher.stopped) expect(watcher.seen).toEqual(all.slice(0, watcher.seen.length));
  else expect(watcher.seen).toEqual(all);
}

describe('what watchers see', () => {
  it('follows from the log, for a built-in kind', { timeout: TIMEOUT }, async () => {
    await fc.assert(
      fc.asyncProperty(stepsWith(FIELDS), (steps) => live(CONFIG_MAPS as Resource, steps)),
      suite.settings(0.6, 7),
    );
  });

  it('follows from the log, for a custom kind', { timeout: TIMEOUT }, async () => {
    await fc.assert(
      fc.asyncProperty(stepsWith([...FIELDS, 'spec.color=red', 'spec.color=red']), (steps) =>
        live(resourceOf(definition) as Resource, steps),
      ),
      suite.settings(0.6, 7),
    );
    expect([told, told.events > 100 && told.expired > 0]).toEqual([told, true]);
  });
});
