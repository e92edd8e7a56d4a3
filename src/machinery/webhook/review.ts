/**
 * AdmissionReview v1 as it comes from an API server, and the answer to it. Every field that is read is checked for its
 * type; fields we do not know are left alone, because a newer Kubernetes may send them.
 */
import { encodeJson, type Json, type JsonObject } from '../../core/kube/json.ts';
import { SYSTEM_TENANT, type GroupVersionResource, type KubeObject } from '../../core/kube/objects.ts';
import type { AdmissionRequest, AdmissionResponse, UserInfo } from '../ports/admission.ts';
import { patchBetween } from './object-patch.ts';

const API_VERSION = 'admission.k8s.io/v1';
const KIND = 'AdmissionReview';

/** The half of a plugin that a webhook calls. */
export type AdmissionPhase = 'mutate' | 'validate';

export interface Review {
  readonly uid: string;
  readonly request: AdmissionRequest;
}

/** A review that cannot be understood; the message ends in the API server's log. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError';
}

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws `ReviewError`. */
export function decodeReview(body: Json): Review {
  if (!isMap(body)) throw new ReviewError('the body is no object');
  const { apiVersion, kind } = body;
  if (apiVersion !== API_VERSION || kind !== KIND) {
    const shown = `${typeof apiVersion === 'string' ? apiVersion : '?'}, Kind=${typeof kind === 'string' ? kind : '?'}`;
    throw new ReviewError(`expected ${API_VERSION}, Kind=${KIND}, got ${shown.slice(0, 256)}`);
  }
  const { request } = body;
  if (!isMap(request)) throw new ReviewError('request is required');
  const uid = textOf(request, 'uid', 'request');
  if (uid === '') throw new ReviewError('request.uid is required');
  const object = objectOf(request, 'object');
  const oldObject = objectOf(request, 'oldObject');
  const options = optionsOf(request);
  return {
    uid,
    request: {
      operation: operationOf(request),
      resource: resourceOf(request),
      kind: textOf(mapOf(request, 'kind', 'request'), 'kind', 'request.kind'),
      subresource: textOf(request, 'subResource', 'request'),
      // Webhook configurations live in the system tenant only, and so does everything they are asked about.
      tenant: SYSTEM_TENANT,
      namespace: textOf(request, 'namespace', 'request'),
      name: textOf(request, 'name', 'request'),
      ...(object === undefined ? {} : { object }),
      ...(oldObject === undefined ? {} : { oldObject }),
      ...(options === undefined ? {} : { options }),
      dryRun: flagOf(request, 'dryRun', 'request'),
      user: userOf(mapOf(request, 'userInfo', 'request')),
    },
  };
}

const OPERATIONS: readonly string[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

function operationOf(request: JsonObject): AdmissionRequest['operation'] {
  const operation = textOf(request, 'operation', 'request');
  if (!OPERATIONS.includes(operation)) {
    throw new ReviewError(`request.operation must be one of ${OPERATIONS.join(', ')}`);
  }
  return operation as AdmissionRequest['operation'];
}

function resourceOf(request: JsonObject): GroupVersionResource {
  const given = mapOf(request, 'resource', 'request');
  const resource = textOf(given, 'resource', 'request.resource');
  if (resource === '') throw new ReviewError('request.resource.resource is required');
  return {
    group: textOf(given, 'group', 'request.resource'),
    version: textOf(given, 'version', 'request.resource'),
    resource,
  };
}

function objectOf(request: JsonObject, field: 'object' | 'oldObject'): KubeObject | undefined {
  const value = request[field];
  if (value === undefined || value === null) return undefined;
  if (!isMap(value)) throw new ReviewError(`request.${field} must be an object`);
  if (typeof value['apiVersion'] !== 'string' || typeof value['kind'] !== 'string') {
    throw new ReviewError(`request.${field} must have apiVersion and kind`);
  }
  return value as unknown as KubeObject;
}

/** The client's request options, without the fields that the request carries elsewhere. */
function optionsOf(request: JsonObject): object | undefined {
  const { options } = request;
  if (options === undefined || options === null) return undefined;
  if (!isMap(options)) throw new ReviewError('request.options must be an object');
  const { apiVersion: _, kind: __, dryRun: ___, ...rest } = options;
  return rest;
}

function userOf(info: JsonObject): UserInfo {
  const uid = textOf(info, 'uid', 'request.userInfo');
  const extra = info['extra'] ?? undefined;
  if (extra !== undefined && !isMap(extra)) throw new ReviewError('request.userInfo.extra must be an object');
  for (const key of Object.keys(extra ?? {})) textsOf(extra?.[key], `request.userInfo.extra[${key.slice(0, 64)}]`);
  return {
    name: textOf(info, 'username', 'request.userInfo'),
    ...(uid === '' ? {} : { uid }),
    groups: textsOf(info['groups'], 'request.userInfo.groups'),
    ...(extra === undefined ? {} : { extra: extra as { readonly [key: string]: readonly string[] } }),
  };
}

function textsOf(value: Json | undefined, path: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new ReviewError(`${path} must be a list of strings`);
}

function textOf(from: JsonObject, field: string, path: string): string {
  const value = from[field];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new ReviewError(`${path}.${field} must be a string`);
  return value;
}

function flagOf(from: JsonObject, field: string, path: string): boolean {
  const value = from[field];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw new ReviewError(`${path}.${field} must be a boolean`);
  return value;
}

function mapOf(from: JsonObject, field: string, path: string): JsonObject {
  const value = from[field];
  if (!isMap(value)) throw new ReviewError(`${path}.${field} must be an object`);
  return value;
}

/** The answer, as the API server reads it: a patch only where a mutating plugin changed something. */
export function encodeAnswer({ uid, request }: Review, phase: AdmissionPhase, answer: AdmissionResponse): Json {
  return {
    kind: KIND,
    apiVersion: API_VERSION,
    response: {
      uid,
      allowed: answer.allowed,
      ...(answer.allowed ? patchOf(request, phase, answer.object) : { status: answer.error.status as unknown as Json }),
      ...(answer.warnings === undefined || answer.warnings.length === 0 ? {} : { warnings: answer.warnings }),
      ...(answer.auditAnnotations === undefined ? {} : { auditAnnotations: answer.auditAnnotations }),
    },
  };
}

function patchOf(request: AdmissionRequest, phase: AdmissionPhase, object: KubeObject | undefined): JsonObject {
  if (phase !== 'mutate' || object === undefined || request.object === undefined) return {};
  const operations = patchBetween(request.object as unknown as Json, object as unknown as Json);
  if (operations.length === 0) return {};
  return { patchType: 'JSONPatch', patch: Buffer.from(encodeJson(operations as unknown as Json)).toString('base64') };
}
