/** The events that `kubectl describe order` shows. */
import { ORDERS } from '../../../core/api/registry/resources.ts';
import type { Order } from '../../../core/api/types/korder-v1alpha1.ts';
import { withType } from '../../../machinery/children/with-type.ts';
import type { EventRecorder } from '../../../machinery/events/event-recorder.ts';

export const COMPONENT = 'order-controller';

export interface OrderEvents {
  note(order: Order, type: 'Normal' | 'Warning', reason: string, note: string): void;
}

export const createOrderEvents = (recorder: EventRecorder): OrderEvents => ({
  note: (order, type, reason, note) =>
    recorder.event(withType(ORDERS, order), { type, reason, note, ...(type === 'Warning' ? { important: true } : {}) }),
});
