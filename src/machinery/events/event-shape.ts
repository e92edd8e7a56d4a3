/** How an event is written, in either of the two APIs that keep them. */
import { EVENTS, EVENTS_IN_EVENTS_GROUP } from '../../core/api/registry/resources.ts';
import type { Event as CoreEvent, ObjectReference } from '../../core/api/types/core-v1.ts';
import type { Event as EventsEvent } from '../../core/api/types/events-v1.ts';
import type { KubeObject, Resource } from '../../core/kube/objects.ts';
import { formatMicroTime, formatTime } from '../../core/kube/time.ts';
import type { Patch } from '../client/client.ts';

export type EventApi = 'events.k8s.io' | 'core';

export interface EventFacts {
  readonly namespace: string;
  readonly name: string;
  readonly regarding: ObjectReference;
  readonly related: ObjectReference | undefined;
  readonly type: string;
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly controller: string;
  readonly instance: string;
  readonly firstSeen: number;
}

/** The fields that change while an event repeats. */
interface EventSeen {
  readonly count: number;
  readonly lastSeen: number;
}

export interface EventShape {
  readonly resource: Resource;
  create(facts: EventFacts, seen: EventSeen): KubeObject;
  repeat(seen: EventSeen): Patch;
}

const series = ({ count, lastSeen }: EventSeen) => ({ count, lastObservedTime: formatMicroTime(lastSeen) });

const eventsShape: EventShape = {
  resource: EVENTS_IN_EVENTS_GROUP,
  create: (facts, seen): EventsEvent => ({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace: facts.namespace, name: facts.name },
    eventTime: formatMicroTime(facts.firstSeen),
    ...(seen.count > 1 ? { series: series(seen) } : {}),
    reportingController: facts.controller,
    reportingInstance: facts.instance,
    action: facts.action,
    reason: facts.reason,
    regarding: facts.regarding,
    ...(facts.related === undefined ? {} : { related: facts.related }),
    note: facts.note,
    type: facts.type,
  }),
  repeat: (seen) => ({ type: 'merge', body: { series: series(seen) } }),
};

const coreShape: EventShape = {
  resource: EVENTS,
  create: (facts, seen): CoreEvent => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: facts.namespace, name: facts.name },
    involvedObject: facts.regarding,
    ...(facts.related === undefined ? {} : { related: facts.related }),
    reason: facts.reason,
    message: facts.note,
    source: { component: facts.controller },
    firstTimestamp: formatTime(facts.firstSeen),
    lastTimestamp: formatTime(seen.lastSeen),
    count: seen.count,
    type: facts.type,
    reportingComponent: facts.controller,
    reportingInstance: facts.instance,
  }),
  repeat: (seen) => ({ type: 'merge', body: { count: seen.count, lastTimestamp: formatTime(seen.lastSeen) } }),
};

export const eventShape = (api: EventApi): EventShape => (api === 'core' ? coreShape : eventsShape);
