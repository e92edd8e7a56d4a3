import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import { createObjectStore } from '../../../machinery/cache/object-store.ts';
import { GuardianCache } from './guardian-cache.ts';

function setUp() {
  const store = createObjectStore<Pod>();
  let resourceVersion = '1';
  const informer = {
    lister: store,
    addIndex: store.addIndex,
    get resourceVersion() {
      return resourceVersion;
    },
  } as unknown as Informer<Pod>;
  const guardians = new GuardianCache(informer);
  return {
    guardians,
    shows(pod: Stored<Pod>): void {
      resourceVersion = pod.metadata.resourceVersion;
      store.apply([{ type: 'MODIFIED', object: pod }]);
      guardians.seen(pod);
    },
    showsEnd(pod: Stored<Pod>, version: string): void {
      resourceVersion = version;
      store.apply([{ type: 'DELETED', object: pod }]);
      guardians.forget(pod);
    },
    passes(version: string): void {
      resourceVersion = version;
    },
    names: (ticket: string) =>
      guardians.of(ticket).map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`),
  };
}

const pod = (name: string, version: number, owner = 'ticket'): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'team',
    uid: `uid-${name}`,
    resourceVersion: String(version),
    creationTimestamp: '2026-01-01T00:00:00Z',
    ownerReferences: [
      { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Ticket', name: owner, uid: owner, controller: true },
    ],
  },
  spec: { containers: [] },
});

describe('the guardians of a Ticket', () => {
  it('are known from the answer to their creation on, and once', () => {
    const { guardians, shows, names } = setUp();
    guardians.wrote(pod('a', 5));
    expect(names('ticket')).toEqual(['a@5']);
    expect(guardians.isOwnWrite(pod('a', 5))).toBe(true);
    shows(pod('a', 5));
    expect(names('ticket')).toEqual(['a@5']);
    expect(guardians.isOwnWrite(pod('a', 5))).toBe(false);
    shows(pod('a', 7));
    expect(names('ticket')).toEqual(['a@7']);
  });

  it('are gone from the answer to their deletion on, although the cache lags', () => {
    const { guardians, shows, showsEnd, names } = setUp();
    shows(pod('a', 5));
    guardians.gone(pod('a', 5));
    expect(names('ticket')).toEqual([]);
    shows(pod('a', 6));
    expect(names('ticket')).toEqual([]);
    showsEnd(pod('a', 6), '7');
    expect(names('ticket')).toEqual([]);
  });

  it('count for another Ticket from the moment on in which they are passed on', () => {
    const { guardians, shows, names } = setUp();
    shows(pod('a', 5));
    guardians.wrote(pod('a', 8, 'heir'));
    expect([names('ticket'), names('heir')]).toEqual([[], ['a@8']]);
    // An older state arrives late.
    shows(pod('a', 6));
    expect([names('ticket'), names('heir')]).toEqual([[], ['a@8']]);
    shows(pod('a', 9, 'heir'));
    expect([names('ticket'), names('heir')]).toEqual([[], ['a@9']]);
  });

  it('are forgotten where the cache is past an answer and does not show them', () => {
    const { guardians, passes, names } = setUp();
    guardians.wrote(pod('a', 5));
    passes('9');
    expect(names('ticket')).toEqual([]);
  });
});
