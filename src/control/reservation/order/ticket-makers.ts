/** How the Tickets of an Order are made for its places. */
import { createSlotTicketMaker, createTicketMaker } from '../../../core/daemons/ticket-maker.ts';
import type { KnownOrder, PlaceTicketMaker } from './known-order.ts';

export function makerFor({ object, board: { mode, engine } }: KnownOrder): PlaceTicketMaker {
  if (mode === 'slots') {
    const make = createSlotTicketMaker(object);
    return (place, predecessor, takesOver) => make(Number(engine.nodeName(place)), predecessor, takesOver);
  }
  const make = createTicketMaker(object);
  return (place, predecessor, takesOver) => {
    const node = engine.node(place);
    if (node === undefined) return undefined;
    const { name, uid = '' } = node.metadata;
    return make({ name, uid }, predecessor, takesOver);
  };
}
