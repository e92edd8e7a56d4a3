/** Which changes of pods concern which Ticket. Every change of every pod passes here, so most must cost next to nothing. */
import { RESERVATION_LABELS as LABEL } from '../../../core/api/names.ts';
import { TICKETS } from '../../../core/api/registry/resources.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { keyOf, keyText } from '../../../machinery/cache/object-keys.ts';
import type { Change } from '../../../machinery/cache/object-store.ts';
import type { WritesUnderWay } from '../../../machinery/children/writes-under-way.ts';
import type { GuardianCache } from './guardian-cache.ts';
import { isAlive, isHolding, refusal } from './guardian-state.ts';

const GROUP = `${TICKETS.group}/`;

/** Key of the Ticket that controls the pod. */
function ticketOf(pod: Pod): string | undefined {
  const reference = controllerOf(pod);
  if (reference?.kind !== TICKETS.kind || !reference.apiVersion.startsWith(GROUP)) return undefined;
  const { namespace = '' } = pod.metadata;
  return keyText({ namespace, name: reference.name });
}

export function followGuardians(
  guardians: GuardianCache,
  writes: WritesUnderWay,
  changes: readonly Change<Pod>[],
  enqueue: (key: string) => void,
): void {
  for (const change of changes) {
    const { type, object, old } = change;
    const ticket = ticketOf(object);
    const before =
      old === undefined || old.metadata.ownerReferences === object.metadata.ownerReferences ? ticket : ticketOf(old);
    if (ticket === undefined && before === undefined) continue;
    const isEcho = guardians.isOwnWrite(object);
    if (type === 'delete') guardians.forget(object);
    else {
      // Deleted and created again between two events.
      if (old !== undefined && old.metadata.uid !== object.metadata.uid) guardians.forget(old);
      guardians.seen(object);
    }
    if (before !== undefined && before !== ticket) enqueue(before);
    const isNews = ticket !== undefined && (!isEcho || before !== ticket) && matters(type, old, object);
    if (isNews && !(type === 'add' && writes.holds(keyText(keyOf(object)), object))) enqueue(ticket);
  }
}

/** Binding, addresses and restarts of containers change nothing for a Ticket. */
const matters = (type: Change<Pod>['type'], old: Stored<Pod> | undefined, pod: Stored<Pod>): boolean =>
  type !== 'update' ||
  old === undefined ||
  old.metadata.uid !== pod.metadata.uid ||
  old.metadata.ownerReferences !== pod.metadata.ownerReferences ||
  labelsDiffer(old, pod) ||
  old.spec.containers !== pod.spec.containers ||
  old.spec.initContainers !== pod.spec.initContainers ||
  old.spec.resources !== pod.spec.resources ||
  old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
  isAlive(old) !== isAlive(pod) ||
  isHolding(old) !== isHolding(pod) ||
  refusal(old) !== refusal(pod);

/** Labels that decide whether the guardian fits its Ticket, or another one that takes it over. */
const LABELS = [LABEL.guardianHash, LABEL.orderUid];

const labelsDiffer = ({ metadata: { labels: before } }: Pod, { metadata: { labels } }: Pod): boolean =>
  before !== labels && LABELS.some((label) => labelOf(before, label) !== labelOf(labels, label));
