import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTROLLER_REVISIONS } from '../../core/api/registry/resources.ts';
import type { ControllerRevision } from '../../core/api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient } from '../testing/fake-client.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';
import { Overlay } from './overlay.ts';
import { isSnapshotOf, templateOf } from './revision-data.ts';
import {
  byRevision,
  createRevisionWriter,
  newRevision,
  type NewRevision,
  nextRevision,
  oldestUnused,
  type Revision,
} from './revisions.ts';

const owner: Stored = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: 'agent',
    namespace: 'default',
    uid: 'owner',
    resourceVersion: '1',
    creationTimestamp: '',
    annotations: { note: 'kept' },
  },
};
const template = (image: string): PodTemplateSpec => ({
  metadata: { name: '', labels: { app: 'agent' } },
  spec: { containers: [{ name: 'main', image }] },
});
const snapshotOf = (image: string, revision: number): NewRevision => ({
  owner,
  template: template(image),
  name: 'agent-hash',
  labels: { hash: 'hash' },
  revision,
});
const stored = (name: string, revision: number, created = ''): Revision => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: created },
  revision,
});

describe('a new revision', () => {
  it('belongs to its owner, carries its annotations and gives the template back', () => {
    const made = newRevision(snapshotOf('a', 3));
    expect(made.metadata).toMatchObject({
      namespace: 'default',
      labels: { app: 'agent', hash: 'hash' },
      annotations: { note: 'kept' },
      ownerReferences: [{ kind: 'DaemonSet', uid: 'owner', controller: true }],
    });
    expect(isSnapshotOf(made, template('a'))).toBe(true);
    expect(isSnapshotOf(made, template('b'))).toBe(false);
    expect(templateOf(made)).toEqual(template('a'));
    expect(templateOf(made)).toBe(templateOf(made));
    expect(templateOf(stored('empty', 1))).toBeUndefined();
  });
});

describe('the order of revisions', () => {
  const any = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    revision: fc.nat({ max: 3 }),
    created: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'),
  });
  const list = fc
    .uniqueArray(any, { selector: ({ name }) => name })
    .map((each) => each.map(({ name, revision, created }) => stored(name, revision, created)));

  it('is one order whatever the cache’s is, and the next number comes after all', () => {
    fc.assert(
      fc.property(list, (revisions) => {
        const sorted = revisions.toSorted(byRevision);
        expect(revisions.toReversed().toSorted(byRevision)).toEqual(sorted);
        for (const { revision } of revisions) expect(nextRevision(sorted)).toBeGreaterThan(revision);
      }),
    );
  });

  it('decides which unused ones go: the oldest, and no more than the surplus', () => {
    fc.assert(
      fc.property(list, fc.integer({ min: -2, max: 5 }), fc.func(fc.boolean()), (revisions, surplus, use) => {
        const sorted = revisions.toSorted(byRevision);
        const isUsed = ({ metadata }: Revision): boolean => use(metadata.name);
        const going = oldestUnused(sorted, surplus, isUsed);
        const unused = sorted.filter((each) => !isUsed(each));
        expect(going).toEqual(unused.slice(0, Math.max(0, surplus)));
      }),
    );
  });
});

describe('writing revisions', () => {
  function setUp() {
    const client = createFakeClient({ clock: createVirtualClock(), random: createSeededRandom(1) });
    const overlay = new Overlay<ControllerRevision>({ resourceVersion: client.revision });
    return { client, overlay, writer: createRevisionWriter(client, overlay) };
  }

  it('finds the one that an earlier attempt made', async () => {
    const { client, overlay, writer } = setUp();
    client.after = () => {
      throw new Error('socket hang up');
    };
    await expect(writer.create(snapshotOf('a', 1))).rejects.toThrow('socket hang up');
    client.after = undefined;
    const outcome = await writer.create(snapshotOf('a', 1));
    expect(outcome).toMatchObject({ revision: { metadata: { name: 'agent-hash' } } });
    expect(overlay.over([])).toHaveLength(1);
  });

  it('tells of another template under the same name', async () => {
    const { writer, overlay } = setUp();
    await writer.create(snapshotOf('a', 1));
    const outcome = await writer.create(snapshotOf('b', 2));
    expect(outcome).toMatchObject({ collision: true, error: { reason: 'AlreadyExists' } });
    expect(overlay.over([]).map(({ revision }) => revision)).toEqual([1]);
  });

  it('renumbers and deletes, and reads its own writes', async () => {
    const { client, writer, overlay } = setUp();
    const outcome = await writer.create(snapshotOf('a', 1));
    if (!('revision' in outcome)) throw new Error('no revision');
    const renumbered = await writer.update({ ...outcome.revision, revision: 5 });
    expect(overlay.over([outcome.revision]).map(({ revision }) => revision)).toEqual([5]);
    await client.delete(CONTROLLER_REVISIONS, { namespace: 'default', name: 'agent-hash' });
    await writer.remove([renumbered]);
    expect(overlay.over([outcome.revision])).toEqual([]);
  });

  it('trims the oldest unused ones and says which are left', async () => {
    const { client, writer, overlay } = setUp();
    const all: Revision[] = [];
    for (const number of [1, 2, 3, 4]) {
      const { labels, ...rest } = snapshotOf('a', number);
      const outcome = await writer.create({ ...rest, labels, name: `agent-${number}` });
      if ('revision' in outcome) all.push(outcome.revision);
    }
    const left = await writer.trim(all, 2, ({ revision }) => revision === 1);
    expect(left.map(({ revision }) => revision)).toEqual([1, 4]);
    expect(overlay.over(all)).toEqual(left);
    expect((await client.list(CONTROLLER_REVISIONS, {})).items).toHaveLength(2);
    expect(await writer.trim(left, 0, () => false)).toBe(left);
  });
});
