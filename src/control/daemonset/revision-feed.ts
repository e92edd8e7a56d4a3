/** Changes of ControllerRevisions by other writers: the history is constructed anew. */
import type { ControllerRevision } from '../../core/api/types/apps-v1.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import type { HandlerRegistration, Informer } from '../../machinery/cache/informer.ts';
import type { Change } from '../../machinery/cache/object-store.ts';
import { sameLabels } from '../../machinery/children/feed.ts';
import type { Revision } from '../../machinery/children/revisions.ts';
import type { DaemonRegistry } from './daemon-registry.ts';
import type { KnownDaemon } from './known-daemon.ts';

/** @param enqueue asks for a reconcile of the DaemonSet. */
export function followRevisions(
  revisions: Informer<ControllerRevision>,
  registry: DaemonRegistry,
  enqueue: (daemon: KnownDaemon) => void,
): HandlerRegistration {
  function invalidate(daemon: KnownDaemon | undefined): void {
    if (daemon === undefined) return;
    daemon.revisions.history = undefined;
    enqueue(daemon);
  }

  function see(change: Change<ControllerRevision>): void {
    const { type, object, old } = change;
    const owner = controllerOf(object)?.uid;
    const before = old === undefined ? undefined : controllerOf(old)?.uid;
    if (before !== undefined && before !== owner) invalidate(registry.byUid(before));
    if (type === 'delete') for (const daemon of usersOf(registry, object)) invalidate(daemon);
    if (owner !== undefined) seeOwned(registry.byUid(owner), change);
    else if (type !== 'delete' && !(old !== undefined && before === undefined && sameLabels(old, object)))
      for (const daemon of registry.inNamespace(object.metadata.namespace ?? ''))
        if (daemon.selects(object.metadata.labels)) invalidate(daemon);
  }

  function seeOwned(daemon: KnownDaemon | undefined, { type, object }: Change<ControllerRevision>): void {
    if (daemon === undefined || (type !== 'delete' && daemon.revisions.overlay.isOwnWrite(object))) return;
    // A revision that comes with its owner set is part of the next reconcile, and asks for none.
    if (type === 'add') daemon.revisions.history = undefined;
    else invalidate(daemon);
  }

  return revisions.addHandler({ batch: (changes) => changes.forEach(see) });
}

/** A DaemonSet made again under its name uses the revision it finds, until that is collected with the former owner. */
function* usersOf(registry: DaemonRegistry, { metadata: { namespace = '', uid } }: Revision): Iterable<KnownDaemon> {
  for (const daemon of registry.inNamespace(namespace))
    if (daemon.revisions.history?.current.metadata.uid === uid) yield daemon;
}
