/**
 * Some kinds are read and written in several forms (events in two groups, autoscalers in two versions) but stored in
 * one. Requests in another form are turned into requests for the stored one, and answers back, around the handlers.
 */
import type { KindConversion, KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import type {
  ApiRequest,
  ApiResponse,
  ApiWatchEvent,
  RequestTarget,
  WatchRequest,
  WatchSink,
} from '../contract/request.ts';
import { type Decoder, decodeOptions } from './steps/decode.ts';
import { sentManagedFields } from './steps/managed-fields.ts';

function storageTarget(kind: KindDefinition, target: RequestTarget): RequestTarget {
  const { group, resource, version } = kind.storage;
  return { ...target, group, version, resource };
}

export function toStorageRequest(
  kind: KindDefinition,
  conversion: KindConversion,
  decoder: Decoder,
  request: ApiRequest,
): ApiRequest {
  const target = storageTarget(kind, request.target);
  switch (request.verb) {
    case 'create':
    case 'update': {
      const decoded = decoder.decode(kind, request.object, decodeOptions(request));
      // Complaints about the body have been made by now and must not be repeated.
      const { duplicateFields: _, repeatedKeys: __, ...judged } = request;
      return { ...judged, target, form: kind, object: withSentOwners(conversion.toStorage(decoded), request.object) };
    }
    case 'patch':
      return { ...request, target, form: kind };
    case 'list':
    case 'deletecollection':
      return { ...request, target, options: withStorageFields(request.options) };
    case 'get':
    case 'delete':
      return { ...request, target };
  }
}

/** An empty list of managedFields, which decoding drops, means that no manager owns any field. */
function withSentOwners(object: KubeObject, raw: KubeObject): KubeObject {
  const sent = sentManagedFields(raw);
  if (!Array.isArray(sent) || sent.length > 0) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: [] } };
}

export function toStorageWatch(kind: KindDefinition, request: WatchRequest): WatchRequest {
  return { ...request, target: storageTarget(kind, request.target), options: withStorageFields(request.options) };
}

/** Field selectors use the names of the form they were written for; the stored form has other names. */
const FIELD_NAMES: readonly (readonly [RegExp, string])[] = [
  [/(^|,)regarding\./g, '$1involvedObject.'],
  [/(^|,)reportingController(?=[=!])/g, '$1reportingComponent'],
];

function withStorageFields<T extends { readonly fieldSelector?: string }>(options: T): T {
  const { fieldSelector } = options;
  if (fieldSelector === undefined) return options;
  return { ...options, fieldSelector: FIELD_NAMES.reduce((text, [from, to]) => text.replace(from, to), fieldSelector) };
}

export function fromStorageResponse(
  kind: KindDefinition,
  conversion: KindConversion,
  response: ApiResponse,
): ApiResponse {
  const convert = (object: Stored): Stored => conversion.fromStorage(object) as Stored;
  switch (response.type) {
    case 'object':
      // A subresource may answer with a kind of its own (Scale), which has only one form.
      return response.object.kind === 'Scale' ? response : { ...response, object: convert(response.object) };
    case 'list':
      return { type: 'list', list: { ...response.list, items: response.list.items.map(convert) } };
    case 'status': {
      const { details } = response.status;
      if (details?.kind !== kind.storage.resource || kind.group === kind.storage.group) return response;
      return { ...response, status: { ...response.status, details: { ...details, group: kind.group } } };
    }
  }
}

export function fromStorageSink(conversion: KindConversion, sink: WatchSink): WatchSink {
  const convert = (event: ApiWatchEvent): ApiWatchEvent =>
    event.type === 'BOOKMARK' ? event : { type: event.type, object: conversion.fromStorage(event.object) as Stored };
  return {
    events: (batch) => sink.events(batch.map(convert)),
    ...(sink.readyForMore === undefined ? {} : { readyForMore: () => sink.readyForMore?.() }),
    ended: (error?: StatusError) => (error === undefined ? sink.ended() : sink.ended(error)),
  };
}

const OF_RESOURCES: ReadonlySet<string> = new Set(['NotFound', 'AlreadyExists', 'Conflict']);

/** The error with the group of the form that was asked for, in place of the stored form's. */
export function inFormsWords(kind: KindDefinition, error: unknown): unknown {
  if (!(error instanceof StatusError) || !OF_RESOURCES.has(error.reason)) return error;
  const { details } = error.status;
  const { group, resource } = kind.storage;
  if (kind.group === group || details?.kind !== resource || (details.group ?? '') !== group) return error;
  const named = (of: string): string => (of === '' ? resource : `${resource}.${of}`);
  const message = error.message.replace(`${named(group)} "`, `${named(kind.group)} "`);
  const { name, kind: what, ...rest } = details;
  return new StatusError(error.code, error.reason, message, {
    ...(name === undefined ? {} : { name }),
    group: kind.group,
    kind: what,
    ...rest,
  });
}
