import { expect, it } from 'vitest';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { EventRecorder } from '../../../machinery/events/event-recorder.ts';
import { createVirtualClock } from '../../../machinery/time/virtual-clock.ts';
import { createTicketEvents } from './ticket-events.ts';

function setUp() {
  const clock = createVirtualClock();
  const told: string[] = [];
  const recorder: EventRecorder = {
    event: (about, { type, reason, note }) => void told.push(`${about.kind ?? ''} ${type} ${reason}: ${note}`),
  };
  return { clock, told, events: createTicketEvents(recorder, clock) };
}

const ticket = (order?: string): Ticket => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: {
    name: 'room',
    namespace: 'team',
    ...(order === undefined
      ? {}
      : {
          ownerReferences: [
            { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order', name: order, uid: order, controller: true },
          ],
        }),
  },
  spec: {},
});
const guardian = { spec: { containers: [], nodeName: 'node-7' } } as unknown as Stored<Pod>;

it('tells a burst once on the Order, a single transition on its Ticket, and a Ticket by itself at once', async () => {
  const { clock, told, events } = setUp();
  for (let i = 0; i < 4998; i += 1) events.reported(ticket('many'), { type: 'reserved', guardian });
  events.reported(ticket('one'), { type: 'reserved', guardian });
  events.reported(ticket('many'), { type: 'lost', message: 'guardian g was deleted' });
  events.reported(ticket('many'), { type: 'lost', message: 'guardian h was deleted' });
  events.reported(ticket(), { type: 'expired', keeps: undefined });
  expect(told).toEqual(['Ticket Normal TicketExpired: the time of the Ticket is over']);
  await clock.advance(1_000);
  expect(told.slice(1)).toEqual([
    'Order Normal TicketReserved: reserved room on 4,998 nodes',
    'Ticket Normal TicketReserved: reserved room on node node-7',
    'Order Warning GuardianLost: lost the guardians on 2 nodes, the first: guardian g was deleted',
  ]);
  await clock.advance(10_000);
  expect(told).toHaveLength(4);
});

it('tells the rest when it is asked to, and nothing of a guardian that has been passed on', () => {
  const { told, events } = setUp();
  events.reported(ticket('many'), { type: 'parted' });
  events.ended(ticket('many'));
  events.flush();
  expect(told).toEqual(['Ticket Normal TicketDeleted: deleted finished Ticket room']);
});
