/** Shades whose Ticket is gone or goes: nothing else takes our finalizer off them. */
import { TICKETS } from '../../../core/api/registry/resources.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import { parseKeyText, keyText } from '../../../machinery/cache/object-keys.ts';
import type { IndexFunction } from '../../../machinery/cache/object-store.ts';
import { unlessGone } from '../../../machinery/children/write-outcomes.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { HandoverWriter } from './handover-writer.ts';
import { isShade } from './shade-pod.ts';

export interface LeftShades {
  /** Lets the shades of this Ticket go, once the API server has said that the Ticket is gone or being deleted. */
  letGo(ticketKey: string, signal: AbortSignal): Promise<void>;
}

export interface LeftShadesOptions {
  readonly client: Client;
  readonly pods: Informer<Pod>;
  readonly handovers: HandoverWriter;
}

const SHADES = 'reservation.shades';
const NONE: readonly string[] = Object.freeze([]);

const byTicket: IndexFunction<Pod> = (pod) => {
  if (!isShade(pod)) return NONE;
  const owner = controllerOf(pod);
  return owner === undefined ? NONE : [keyText({ namespace: pod.metadata.namespace ?? '', name: owner.name })];
};

export function createLeftShades({ client, pods, handovers }: LeftShadesOptions): LeftShades {
  pods.addIndex(SHADES, byTicket);
  return {
    async letGo(ticketKey, signal) {
      const shades = [...pods.lister.byIndex(SHADES, ticketKey)];
      if (shades.length === 0) return;
      const ticket = await unlessGone(client.get(TICKETS, parseKeyText(ticketKey), { signal }));
      for (const shade of shades) {
        const isItsOwn = ticket !== undefined && controllerOf(shade)?.uid === ticket.metadata.uid;
        if (!isItsOwn || isBeingDeleted(ticket)) await handovers.unshade(shade);
      }
    },
  };
}
