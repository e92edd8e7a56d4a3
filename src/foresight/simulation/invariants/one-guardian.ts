/** A Ticket has at most one live guardian, and is Reserved only if a guardian of its own has run. */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isEnded, isGoing, isReadyPod, TICKETS } from '../cluster-view.ts';
import { resourceName } from '../commit.ts';
import type { InvariantFactory } from './invariant.ts';
import { isReserved } from './order-facts.ts';

export const isLive = (pod: Stored<Pod>): boolean => !isEnded(pod) && !isGoing(pod);

export const oneGuardian: InvariantFactory = () => {
  /** Nodes on which a guardian of the Ticket has run, by UID of the Ticket. */
  const held = new Map<string, Set<string>>();
  return {
    name: 'one-guardian',
    committed({ key, object, previous, type }, view) {
      if (resourceName(key) === TICKETS && type !== 'DELETED') {
        const ticket = object as Stored<Ticket>;
        const { nodeName = '' } = ticket.status ?? {};
        if (!isReserved(ticket) || (previous !== undefined && isReserved(previous as Stored<Ticket>))) return undefined;
        if (held.get(ticket.metadata.uid)?.has(nodeName) === true) return undefined;
        return `${key.name} is Reserved on ${nodeName || 'no node'}, where no guardian of it ever ran`;
      }
      if (key.resource !== 'pods' || type === 'DELETED') return undefined;
      const pod = object as Stored<Pod>;
      const ticket = controllerOf(pod);
      if (ticket?.kind !== 'Ticket') return undefined;
      if (isReadyPod(pod)) {
        const nodes = held.get(ticket.uid);
        if (nodes === undefined) held.set(ticket.uid, new Set([pod.spec.nodeName ?? '']));
        else nodes.add(pod.spec.nodeName ?? '');
      }
      const live = [...view.guardiansOf(ticket.uid).values()].filter(isLive);
      if (live.length < 2) return undefined;
      const names = live.map(({ metadata }) => metadata.name).join(', ');
      return `${ticket.name} has ${live.length} live guardians: ${names}`;
    },
  };
};
