import { describe, expect, it } from 'vitest';
import { PODS, REPLICA_SETS } from '../../core/api/registry/resources.ts';
import type { ReplicaSet } from '../../core/api/types/apps-v1.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { KubeObject, ObjectKey, Stored } from '../../core/kube/objects.ts';
import type { Informer } from '../cache/informer.ts';
import type { Change } from '../cache/object-store.ts';
import type { Controller } from '../controller/controller.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';
import { createFeed } from './feed.ts';
import { createOwners, newOwner } from './owners.ts';
import { selectsWith } from './selectors.ts';

const web: Stored<ReplicaSet> = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'default', uid: 'web', resourceVersion: '5', creationTimestamp: '' },
  spec: { selector: { matchLabels: { app: 'web' } } },
};
const key = { namespace: 'default', name: 'web' };
const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true };

const pod = (more: Partial<Stored['metadata']>): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: 'p', resourceVersion: '1', creationTimestamp: '', ...more },
  spec: { containers: [] },
});
const own = pod({ ownerReferences: [reference] });
const orphan = pod({ labels: { app: 'web' } });

/** A controller that lists the keys it was asked to reconcile. */
function setUp(echo = false) {
  const asked: string[] = [];
  const watches = new Map<string, (object: Stored, change: Change<KubeObject>) => Iterable<ObjectKey>>();
  const informer = (resource: string, items: readonly Stored[]) =>
    ({ resource: { resource }, lister: { list: () => items } }) as unknown as Informer<never>;
  const sets = informer(REPLICA_SETS.resource, [web]) as Informer<ReplicaSet>;
  const pods = informer(PODS.resource, []) as Informer<Pod>;
  const controller = {
    queue: { add: ({ name }: ObjectKey) => asked.push(name), addAfter: ({ name }: ObjectKey) => asked.push(name) },
    watch: (source: Informer<never>, keys: never) => watches.set(source.resource.resource, keys),
  } as unknown as Controller<ObjectKey>;
  const owners = createOwners<ReplicaSet, ReturnType<typeof newOwner<ReplicaSet>>>(newOwner);
  const selects = ({ spec }: ReplicaSet) => selectsWith(spec.selector);
  const clock = createVirtualClock();
  const feed = createFeed({ controller, clock, resource: REPLICA_SETS, informer: sets, owners, selects, echo });
  feed.follow(pods, true);
  const change = (resource: string, type: Change<KubeObject>['type'], object: Stored, old?: Stored): void => {
    const told = { type, object, old } as Change<KubeObject>;
    for (const each of old === undefined ? [object] : [object, old])
      for (const { name } of watches.get(resource)?.(each, told) ?? []) asked.push(name);
  };
  return { asked, owners, change };
}

describe('an owner is reconciled', () => {
  it('when it changes, but not by the answer to an own write unless it says so', () => {
    const quiet = setUp();
    quiet.change('replicasets', 'add', web);
    expect(quiet.asked).toEqual(['web']);
    quiet.owners.of(key, web);
    quiet.change('replicasets', 'update', web, web);
    expect(quiet.asked).toEqual(['web']);
    quiet.change('replicasets', 'delete', web);
    expect(quiet.asked).toEqual(['web', 'web']);
    const echoing = setUp(true);
    echoing.owners.of(key, web);
    echoing.change('replicasets', 'add', web);
    expect(echoing.asked).toEqual(['web']);
  });

  it('when a child comes, goes or leaves it', () => {
    const { asked, change } = setUp();
    change('pods', 'add', own);
    change('pods', 'delete', own);
    change('pods', 'update', pod({ ownerReferences: [{ ...reference, kind: 'Job', uid: 'job' }] }), own);
    expect(asked).toEqual(['web', 'web', 'web']);
  });

  it('when an orphan comes that it selects, or becomes one, and then looks for orphans', () => {
    const { asked, owners, change } = setUp();
    const owner = owners.of(key, web);
    owner.adopts = false;
    change('pods', 'add', pod({ labels: { app: 'other' } }));
    change('pods', 'update', pod({ labels: { app: 'web' }, resourceVersion: '2' }), orphan);
    change('pods', 'delete', orphan);
    expect(asked).toEqual([]);
    change('pods', 'add', orphan);
    expect(asked).toEqual(['web']);
    expect(owner.adopts).toBe(true);
  });

  it('not for children of another group’s kind of the same name', () => {
    const { asked, change } = setUp();
    change('pods', 'add', pod({ ownerReferences: [{ ...reference, apiVersion: 'example.com/v1' }] }));
    change('pods', 'add', pod({ ownerReferences: [{ ...reference, controller: false }] }));
    expect(asked).toEqual([]);
  });
});
