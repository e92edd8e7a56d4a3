/**
 * Events, in the core form; the newer group's events are converted before they come here, but judged more strictly.
 * Each of the two APIs has a strategy of its own.
 */
import { type FieldError, invalid, required } from '../../kube/field-errors.ts';
import { exceedsBytes } from '../../kube/go-text.ts';
import {
  dns1123SubdomainProblems,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  qualifiedNameProblems,
} from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import { deepEqual } from '../../kube/immutable.ts';
import type { Event as CoreEvent, EventSource, ObjectReference } from '../types/core-v1.ts';
import type { Event as NewEvent } from '../types/events-v1.ts';
import { append } from '../rules/append.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
/** Names of core events need only be valid in a URL path. */
const LOOSE_RULES = { namespaced: true, name: nameIsPathSegment, anyFinalizer: true };
const MISMATCH = 'does not match event.namespace';

function validateNamespace(event: CoreEvent): readonly FieldError[] {
  const own = event.metadata.namespace ?? '';
  const involved = event.involvedObject?.namespace ?? '';
  const fits = event.eventTime
    ? involved !== '' || own === 'default' || own === 'kube-system'
    : involved === ''
      ? own === '' || own === 'default'
      : own === involved;
  return fits ? [] : [invalid('involvedObject.namespace', involved, MISMATCH)];
}

function validateText(path: string, value: string, limit: number, needed: boolean): readonly FieldError[] {
  if (value === '' && needed) return [required(path, '')];
  return exceedsBytes(value, limit) ? [invalid(path, '', `can have at most ${limit} characters`)] : [];
}

/** Rules for every event; events with an eventTime come from newer reporters, which must set more fields. */
function validateLegacy(event: CoreEvent, controllerField: string): FieldError[] {
  const errors = [...validateNamespace(event)];
  if (event.eventTime) {
    const controller = event.reportingComponent ?? '';
    if (controller === '') errors.push(required(controllerField, ''));
    for (const text of qualifiedNameProblems(controller)) errors.push(invalid(controllerField, controller, text));
    append(errors, validateText('reportingInstance', event.reportingInstance ?? '', 128, true));
    append(errors, validateText('action', event.action ?? '', 128, true));
    append(errors, validateText('reason', event.reason ?? '', 128, true));
    append(errors, validateText('message', event.message ?? '', 1024, false));
  }
  const namespace = event.metadata.namespace ?? '';
  for (const text of dns1123SubdomainProblems(namespace)) errors.push(invalid('namespace', namespace, text));
  return errors;
}

function validateSeries(event: CoreEvent): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (!event.series) return errors;
  if ((event.series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'));
  if (!event.series.lastObservedTime) errors.push(required('series.lastObservedTime', ''));
  return errors;
}

function validateStrict(event: CoreEvent): FieldError[] {
  const errors = validateLegacy(event, 'reportingController');
  append(errors, validateObjectMeta(event.metadata, RULES, 'metadata'));
  append(errors, validateSeries(event));
  if (!event.eventTime) errors.push(required('eventTime', ''));
  if (event.type !== 'Normal' && event.type !== 'Warning') {
    errors.push(invalid('type', '', `has invalid value: ${event.type ?? ''}`));
  }
  const unset = (path: string, isSet: boolean): void => {
    if (isSet) errors.push(invalid(path, '', 'needs to be unset'));
  };
  unset('firstTimestamp', Boolean(event.firstTimestamp));
  unset('lastTimestamp', Boolean(event.lastTimestamp));
  unset('count', Boolean(event.count));
  unset('source', Boolean(event.source?.component || event.source?.host));
  return errors;
}

const printableReference = (reference: ObjectReference): object => ({
  Kind: reference.kind ?? '',
  Namespace: reference.namespace ?? '',
  Name: reference.name ?? '',
  UID: reference.uid ?? '',
  APIVersion: reference.apiVersion ?? '',
  ResourceVersion: reference.resourceVersion ?? '',
  FieldPath: reference.fieldPath ?? '',
});
const printableSource = (source: EventSource): object => ({
  Component: source.component ?? '',
  Host: source.host ?? '',
});

/** Through the newer API an event is immutable but for its series. */
function validateStrictUpdate(event: CoreEvent, old: CoreEvent): FieldError[] {
  const errors = validateLegacy(event, 'reportingController');
  append(errors, validateObjectMetaUpdate(event.metadata, old.metadata, 'metadata'));
  if (!deepEqual(event.series, old.series)) append(errors, validateSeries(event));
  const fixed = (path: string, value: unknown, before: unknown): void => {
    if (!deepEqual(value, before)) errors.push(invalid(path, value, 'field is immutable'));
  };
  const reference = (of: ObjectReference | undefined): object | null => (of ? printableReference(of) : null);
  fixed('involvedObject', printableReference(event.involvedObject ?? {}), printableReference(old.involvedObject ?? {}));
  fixed('reason', event.reason ?? '', old.reason ?? '');
  fixed('message', event.message ?? '', old.message ?? '');
  fixed('source', printableSource(event.source ?? {}), printableSource(old.source ?? {}));
  fixed('firstTimestamp', event.firstTimestamp ?? null, old.firstTimestamp ?? null);
  fixed('lastTimestamp', event.lastTimestamp ?? null, old.lastTimestamp ?? null);
  fixed('count', event.count ?? 0, old.count ?? 0);
  fixed('type', event.type ?? '', old.type ?? '');
  fixed('eventTime', event.eventTime ?? null, old.eventTime ?? null);
  fixed('action', event.action ?? '', old.action ?? '');
  fixed('related', reference(event.related), reference(old.related));
  fixed('reportingController', event.reportingComponent ?? '', old.reportingComponent ?? '');
  fixed('reportingInstance', event.reportingInstance ?? '', old.reportingInstance ?? '');
  return errors;
}

export const coreEventStrategy: KindStrategy<CoreEvent> = {
  ...createGenericStrategy<CoreEvent>({ namespaced: true, hasStatus: false, hasGeneration: false }),
  validate(event) {
    const errors = validateLegacy(event, 'reportingComponent');
    return errors.length > 0 ? errors : validateObjectMeta(event.metadata, LOOSE_RULES, 'metadata');
  },
  validateUpdate(event, old) {
    const errors = validateLegacy(event, 'reportingComponent');
    append(errors, validateObjectMetaUpdate(event.metadata, old.metadata, 'metadata', LOOSE_RULES));
    return errors;
  },
  allowCreateOnUpdate: true,
};

/** The event in its core form. */
function asCore(event: NewEvent): CoreEvent {
  const core: { -readonly [K in keyof CoreEvent]?: CoreEvent[K] | undefined } = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: event.metadata,
    involvedObject: event.regarding ?? {},
    reason: event.reason,
    message: event.note,
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    count: event.deprecatedCount,
    type: event.type,
    eventTime: event.eventTime,
    series: event.series,
    action: event.action,
    related: event.related,
    reportingComponent: event.reportingController,
    reportingInstance: event.reportingInstance,
  };
  return core as CoreEvent;
}

export const eventStrategy: KindStrategy<NewEvent> = {
  ...createGenericStrategy<NewEvent>({ namespaced: true, hasStatus: false, hasGeneration: false }),
  validate: (event) => validateStrict(asCore(event)),
  validateUpdate: (event, old) => validateStrictUpdate(asCore(event), asCore(old)),
  allowCreateOnUpdate: true,
};
