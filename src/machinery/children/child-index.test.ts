import { describe, expect, it } from 'vitest';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { Informer } from '../cache/informer.ts';
import type { IndexFunction } from '../cache/object-store.ts';
import { indexChildren, indexPods } from './child-index.ts';

const pod = (name: string, kind?: string, labels: Stored['metadata']['labels'] = { app: 'x' }): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '',
    ...(labels === undefined ? {} : { labels }),
    ...(kind === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'owner', uid: `uid-${kind}`, controller: true }] }),
  },
  spec: { containers: [] },
});

/** A cache of these pods that indexes by looking at each. */
function cacheOf(pods: readonly Stored<Pod>[]): Informer<Pod> {
  const indexes = new Map<string, IndexFunction<Pod>>();
  const lister = {
    byIndex: (name: string, value: string) => new Set(pods.filter((each) => indexes.get(name)?.(each).includes(value))),
  };
  return {
    lister,
    addIndex: (name: string, keys: IndexFunction<Pod>) => indexes.set(name, keys),
  } as unknown as Informer<Pod>;
}

const {
  metadata: { labels: _, ...bare },
  ...rest
} = pod('bare');
const unlabelled: Stored<Pod> = { ...rest, metadata: bare };
const all = [pod('of-set', 'ReplicaSet'), pod('of-daemon', 'DaemonSet'), pod('orphan'), unlabelled];
const names = (pods: Iterable<Stored<Pod>>): readonly string[] => [...pods].map(({ metadata }) => metadata.name);

describe('the index of children', () => {
  it('finds them by their controller, and orphans that a selector could match by namespace', () => {
    const index = indexChildren(cacheOf(all));
    expect(names(index.of('uid-ReplicaSet'))).toEqual(['of-set']);
    expect(names(index.of('uid-DaemonSet'))).toEqual(['of-daemon']);
    expect(names(index.orphansIn('default'))).toEqual(['orphan']);
    expect(names(index.orphansIn('other'))).toEqual([]);
  });

  it('leaves pods of DaemonSets out of the index of pods', () => {
    const index = indexPods(cacheOf(all));
    expect(names(index.of('uid-ReplicaSet'))).toEqual(['of-set']);
    expect(names(index.of('uid-DaemonSet'))).toEqual([]);
  });
});
