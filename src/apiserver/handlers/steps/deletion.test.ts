import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../../core/api/registry/registry.ts';
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { createVirtualClock } from '../../../machinery/time/virtual-clock.ts';
import type { DeleteRequest } from '../../contract/request.ts';
import { thrown } from '../../testing/samples.ts';
import { checkDeleteOptions, checkPreconditions, decideDeletion, isFinalized } from './deletion.ts';
import { createTimestamps } from './timestamps.ts';

type Options = DeleteRequest['options'];

const registry = createRegistry();
const kindNamed = (group: string, version: string, kind: string): KindDefinition => {
  const found = registry.byKind(group, version, kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
};
const CONFIG_MAP = kindNamed('', 'v1', 'ConfigMap');
const DAEMON_SET = kindNamed('apps', 'v1', 'DaemonSet');
const NAMESPACE = kindNamed('', 'v1', 'Namespace');
const EVENT = kindNamed('', 'v1', 'Event');
/** A kind whose deletion waits, whatever rules pods have. */
const GRACEFUL: KindDefinition = {
  ...CONFIG_MAP,
  strategy: { ...CONFIG_MAP.strategy, gracePeriod: (_, requested) => requested ?? 30 },
};
const clock = createVirtualClock(Date.UTC(2026, 0, 1));
const times = createTimestamps(clock);
const NOW = '2026-01-01T00:00:00Z';

const stored = (metadata: Partial<Stored['metadata']> = {}, rest = {}): Stored => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '5', creationTimestamp: NOW, ...metadata },
  ...rest,
});
const decide = (kind: KindDefinition, object: Stored, options: Options = {}) =>
  decideDeletion(kind, object, options, times);

describe('deleting an object that nothing holds', () => {
  it('removes it', () => {
    const object = stored();
    expect(decide(CONFIG_MAP, object)).toEqual({ outcome: 'remove', object });
  });

  it('removes it at once however much grace is asked for, where the kind knows no grace', () => {
    expect(decide(CONFIG_MAP, stored(), { gracePeriodSeconds: 60 }).outcome).toBe('remove');
  });
});

describe('finalizers', () => {
  it('keep the object, marked', () => {
    const { object, outcome } = decide(CONFIG_MAP, stored({ finalizers: ['x/y'] }));
    expect(outcome).toBe('mark');
    expect(object.metadata).toMatchObject({
      deletionTimestamp: NOW,
      deletionGracePeriodSeconds: 0,
      finalizers: ['x/y'],
    });
  });

  it('count as a new generation when deletion begins, and only then', () => {
    const first = decide(DAEMON_SET, stored({ finalizers: ['x/y'], generation: 3 }));
    expect(first.object.metadata.generation).toBe(4);
    expect(decide(DAEMON_SET, first.object)).toEqual({ outcome: 'pending', object: first.object });
  });

  it.each<[Options, readonly string[], readonly string[]]>([
    [{ propagationPolicy: 'Foreground' }, [], ['foregroundDeletion']],
    [{ propagationPolicy: 'Orphan' }, [], ['orphan']],
    [{ propagationPolicy: 'Background' }, ['x/y', 'orphan'], ['x/y']],
    [{ propagationPolicy: 'Foreground' }, ['orphan', 'x/y'], ['x/y', 'foregroundDeletion']],
    [{ orphanDependents: true }, [], ['orphan']],
    [{ orphanDependents: false }, ['foregroundDeletion', 'x/y'], ['x/y']],
    [{}, ['foregroundDeletion'], ['foregroundDeletion']],
  ])('follow %o: %j becomes %j', (options, before, after) => {
    expect(decide(DAEMON_SET, stored({ finalizers: before }), options).object.metadata.finalizers).toEqual(after);
  });

  it('that garbage collection left behind go, and the object with them', () => {
    const object = stored({ finalizers: ['foregroundDeletion'] });
    expect(decide(DAEMON_SET, object, { propagationPolicy: 'Background' }).outcome).toBe('remove');
  });

  it('keep the pods of kinds that always kept them, unless the request says otherwise', () => {
    const held = (options: Options, finalizers?: readonly string[]): readonly (readonly string[])[] =>
      [kindNamed('batch', 'v1', 'Job'), kindNamed('', 'v1', 'ReplicationController')].map(
        (kind) => decide(kind, stored(finalizers && { finalizers }), options).object.metadata.finalizers ?? [],
      );
    expect(held({})).toEqual([['orphan'], ['orphan']]);
    expect(held({ propagationPolicy: 'Background' })).toEqual([[], []]);
    expect(held({ orphanDependents: false })).toEqual([[], []]);
    expect(held({ propagationPolicy: 'Foreground' })).toEqual([['foregroundDeletion'], ['foregroundDeletion']]);
    expect(held({}, ['foregroundDeletion'])).toEqual([['foregroundDeletion'], ['foregroundDeletion']]);
  });

  it('are never set on events, which have no dependents', () => {
    expect(decide(EVENT, stored(), { propagationPolicy: 'Foreground' }).outcome).toBe('remove');
  });
});

describe('graceful deletion', () => {
  it('sets the end and keeps the object until then', () => {
    const { object, outcome } = decide(GRACEFUL, stored({ generation: 1 }));
    expect(outcome).toBe('mark');
    expect(object.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
  });

  it('is over at once without grace, and the last state tells when', () => {
    const { object, outcome } = decide(GRACEFUL, stored(), { gracePeriodSeconds: 0 });
    expect(outcome).toBe('remove');
    expect(object.metadata).toMatchObject({ deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 });
  });

  it('takes a negative grace for one second', () => {
    expect(decide(GRACEFUL, stored(), { gracePeriodSeconds: -5 }).object.metadata.deletionGracePeriodSeconds).toBe(1);
  });

  const dying = stored({ deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 });

  it('is not prolonged by a second request', () => {
    expect(decide(GRACEFUL, dying, { gracePeriodSeconds: 60 })).toEqual({ outcome: 'pending', object: dying });
    expect(decide(GRACEFUL, dying)).toEqual({ outcome: 'pending', object: dying });
  });

  it('is shortened by a second request', () => {
    const { object, outcome } = decide(GRACEFUL, dying, { gracePeriodSeconds: 10 });
    expect(outcome).toBe('mark');
    expect(object.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:10Z',
      deletionGracePeriodSeconds: 10,
    });
  });

  it('is never shortened into the past', () => {
    const late = stored({ deletionTimestamp: '2026-01-01T00:00:05Z', deletionGracePeriodSeconds: 30 });
    const { object } = decide(GRACEFUL, late, { gracePeriodSeconds: 20 });
    expect(object.metadata).toMatchObject({ deletionTimestamp: NOW, deletionGracePeriodSeconds: 1 });
  });

  it('ends when the node says so, unless finalizers hold the object', () => {
    expect(decide(GRACEFUL, dying, { gracePeriodSeconds: 0 }).outcome).toBe('remove');
    const held = stored({ ...dying.metadata, finalizers: ['x/y'] });
    const { object, outcome } = decide(GRACEFUL, held, { gracePeriodSeconds: 0 });
    expect(outcome).toBe('mark');
    expect(object.metadata.deletionGracePeriodSeconds).toBe(0);
    expect(decide(GRACEFUL, object).outcome).toBe('pending');
  });
});

describe('namespaces', () => {
  const namespace = (metadata = {}, finalizers: readonly string[] = ['kubernetes']): Stored =>
    stored(metadata, { kind: 'Namespace', spec: { finalizers }, status: { phase: 'Active' } });

  it('terminate first', () => {
    const { object, outcome } = decide(NAMESPACE, namespace());
    expect(outcome).toBe('mark');
    expect(object).toMatchObject({ metadata: { deletionTimestamp: NOW }, status: { phase: 'Terminating' } });
    expect(object.metadata.deletionGracePeriodSeconds).toBeUndefined();
  });

  it('wait for those who clean up', () => {
    expect(decide(NAMESPACE, namespace({ deletionTimestamp: NOW })).outcome).toBe('pending');
    expect(decide(NAMESPACE, namespace({ deletionTimestamp: NOW }, [])).outcome).toBe('remove');
  });

  it('are finalized only when both lists are empty', () => {
    const old = namespace({ deletionTimestamp: NOW });
    expect(isFinalized(old, old)).toBe(false);
    expect(isFinalized(namespace({ deletionTimestamp: NOW }, []), old)).toBe(true);
    expect(isFinalized(namespace({ deletionTimestamp: NOW, finalizers: ['x/y'] }, []), old)).toBe(false);
  });
});

describe('an update that takes the last finalizer off', () => {
  it('finishes a deletion that waited for it', () => {
    const old = stored({ finalizers: ['x/y'], deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 });
    expect(isFinalized(stored({ deletionTimestamp: NOW }), old)).toBe(true);
    expect(isFinalized(old, old)).toBe(false);
  });

  it('finishes nothing while grace runs, or when nobody asked for deletion', () => {
    const graceful = stored({ finalizers: ['x/y'], deletionTimestamp: NOW, deletionGracePeriodSeconds: 30 });
    expect(isFinalized(stored(), graceful)).toBe(false);
    expect(isFinalized(stored(), stored({ finalizers: ['x/y'] }))).toBe(false);
  });
});

describe('options', () => {
  it('may not say two things about dependents', () => {
    const error = thrown(() => checkDeleteOptions({ orphanDependents: true, propagationPolicy: 'Orphan' }));
    expect(error.status).toMatchObject({ code: 422, reason: 'Invalid', details: { kind: 'DeleteOptions' } });
  });

  it('name a policy that exists', () => {
    const error = thrown(() => checkDeleteOptions({ propagationPolicy: 'Sideways' } as unknown as Options));
    expect(error.message).toContain('supported values: "Foreground", "Background", "Orphan", "nil"');
  });

  it('protect an object that is not the one meant', () => {
    const uid = thrown(() => checkPreconditions(CONFIG_MAP, stored(), { preconditions: { uid: 'other' } }));
    expect([uid.code, uid.reason]).toEqual([409, 'Conflict']);
    expect(uid.message).toContain('the UID in the precondition (other) does not match the UID in record (u)');
    const version = thrown(() => checkPreconditions(CONFIG_MAP, stored(), { preconditions: { resourceVersion: '4' } }));
    expect(version.message).toContain('the ResourceVersion in the precondition (4)');
    expect(() =>
      checkPreconditions(CONFIG_MAP, stored(), { preconditions: { uid: 'u', resourceVersion: '5' } }),
    ).not.toThrow();
  });
});
