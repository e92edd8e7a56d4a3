import { describe, expect, it } from 'vitest';
import { PODS } from '../../../core/api/registry/resources.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import type { WatchEvent } from '../../../machinery/client/client.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Commit } from '../commit.ts';
import { storeOrder } from './store-order.ts';

const VIEW = {} as ClusterView;

const stored = (name: string, revision: number): Stored => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'a', uid: name, resourceVersion: String(revision), creationTimestamp: '' },
});

const commit = (revision: number, name: string, type: Commit['type'] = 'ADDED'): Commit => ({
  revision,
  at: 0,
  by: 'user',
  type,
  key: { tenant: 'system', group: '', resource: 'pods', namespace: 'a', name },
  object: stored(name, revision),
  previous: undefined,
});

const event = (revision: number, name: string, type: 'ADDED' | 'DELETED' = 'ADDED'): WatchEvent<KubeObject> => ({
  type,
  object: stored(name, revision),
});
const bookmark = (revision: number, initialEventsEnd = false): WatchEvent<KubeObject> => ({
  type: 'BOOKMARK',
  resourceVersion: String(revision),
  initialEventsEnd,
});

function witness(
  options: { readonly resourceVersion?: string; readonly namespace?: string } = { resourceVersion: '1' },
) {
  const invariant = storeOrder();
  for (const each of [commit(2, 'x'), commit(4, 'y'), commit(5, 'x', 'DELETED')]) invariant.committed?.(each, VIEW);
  const hear = invariant.watched?.(PODS, options);
  return (...events: readonly WatchEvent<KubeObject>[]) => hear?.(events as never);
}

describe('store-order', () => {
  it('takes every change once, in order', () => {
    expect(witness()(event(2, 'x'), bookmark(3), event(4, 'y'), event(5, 'x', 'DELETED'))).toBeUndefined();
    expect(witness({ resourceVersion: '2' })(event(4, 'y'))).toBeUndefined();
  });

  it('sees a change that is missing', () => {
    expect(witness()(event(4, 'y'))).toContain('revision 4 where 2 was due');
  });

  it('sees a change that comes twice', () => {
    expect(witness()(event(2, 'x'), event(2, 'x'))).toContain('revision 2 was sent after 2');
  });

  it('sees a change that never was', () => {
    expect(witness()(event(2, 'x'), event(3, 'z'))).toContain('revision 3 where 4 was due');
  });

  it('sees a deletion told as something else', () => {
    expect(witness({ resourceVersion: '4' })(event(5, 'x'))).toContain('was DELETED and was sent as ADDED');
  });

  it('sees a bookmark that is ahead of what was sent', () => {
    const hear = witness({});
    expect(hear(event(2, 'x'), bookmark(4, true))).toBeUndefined();
    expect(hear(event(4, 'y'))).toContain('revision 4 was sent after 4');
  });

  it('sees revisions that go back', () => {
    const invariant = storeOrder();
    expect(invariant.committed?.(commit(3, 'x'), VIEW)).toBeUndefined();
    expect(invariant.committed?.(commit(3, 'y'), VIEW)).toContain('revision 3 came after 3');
  });

  it('sees an answer that was never written', () => {
    const invariant = storeOrder();
    invariant.committed?.(commit(3, 'x'), VIEW);
    expect(invariant.acknowledged?.(PODS, stored('x', 3))).toBeUndefined();
    expect(invariant.acknowledged?.(PODS, stored('x', 4))).toContain('never written');
    expect(invariant.acknowledged?.(PODS, stored('y', 3))).toContain('which wrote a/x');
  });
});
