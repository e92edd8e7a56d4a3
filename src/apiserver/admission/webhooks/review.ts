/** The question that goes to a webhook, and what may be believed of its answer. */
import type { KindDefinition } from '../../../core/api/kind/kind-definition.ts';
import { goQuote } from '../../../core/kube/go-text.ts';
import type { Json, JsonObject } from '../../../core/kube/json.ts';
import { StatusError, type StatusReason } from '../../../core/kube/status-error.ts';
import type { AdmissionRequest } from '../../../machinery/ports/admission.ts';

export interface ReviewAnswer {
  readonly allowed: boolean;
  /** JSON patch operations, decoded from base64. */
  readonly patch: string | undefined;
  readonly status: JsonObject | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: JsonObject;
}

const VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** The first version of the question that the webhook knows, among ours. */
export const reviewVersion = (accepted: readonly string[]): string | undefined =>
  accepted.find((version) => VERSIONS.includes(version));

/** `form` is the version of the kind that the webhook asked for; `request` holds the objects in that form. */
export function reviewOf(uid: string, version: string, request: AdmissionRequest, form: KindDefinition): Json {
  const { resource, subresource, user } = request;
  const nameOf = ({ group, version: v, kind }: { group: string; version: string; kind: string }): JsonObject => ({
    group,
    version: v,
    kind,
  });
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      kind: nameOf(ownKind(request) ?? { ...form, kind: request.kind === '' ? form.kind : kindAsked(request, form) }),
      resource: { group: form.group, version: form.version, resource: form.resource },
      ...(subresource === '' ? {} : { subResource: subresource }),
      requestKind: nameOf(ownKind(request) ?? { group: resource.group, version: resource.version, kind: request.kind }),
      requestResource: { group: resource.group, version: resource.version, resource: resource.resource },
      ...(subresource === '' ? {} : { requestSubResource: subresource }),
      ...(request.name === '' ? {} : { name: request.name }),
      ...(request.namespace === '' ? {} : { namespace: request.namespace }),
      operation: request.operation,
      userInfo: {
        username: user.name,
        ...(user.uid === undefined ? {} : { uid: user.uid }),
        groups: user.groups,
        ...(user.extra === undefined ? {} : { extra: user.extra as unknown as JsonObject }),
      },
      object: (request.object as unknown as Json | undefined) ?? null,
      oldObject: (request.oldObject as unknown as Json | undefined) ?? null,
      dryRun: request.dryRun,
      options: optionsOf(request),
    },
  };
}

/** The body of a subresource may be of another group than the object (Scale, Eviction). */
function ownKind({
  kind,
  object,
  subresource,
}: AdmissionRequest): { group: string; version: string; kind: string } | undefined {
  if (subresource === '' || object === undefined || object.kind !== kind) return undefined;
  const slash = object.apiVersion.lastIndexOf('/');
  return {
    group: slash < 0 ? '' : object.apiVersion.slice(0, slash),
    version: object.apiVersion.slice(slash + 1),
    kind,
  };
}

/** A subresource may carry a kind of its own (Eviction, Binding), which has one form. */
const kindAsked = (request: AdmissionRequest, form: KindDefinition): string =>
  request.subresource === '' ? form.kind : request.kind;

const OPTION_KINDS: { readonly [operation: string]: string } = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
};

function optionsOf({ operation, options, dryRun }: AdmissionRequest): Json {
  const kind = OPTION_KINDS[operation];
  if (kind === undefined) return null;
  const { dryRun: _, ...rest } = (options ?? {}) as { readonly dryRun?: boolean };
  return { kind, apiVersion: 'meta.k8s.io/v1', ...(dryRun ? { dryRun: ['All'] } : {}), ...rest };
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The webhook's answer, or why it cannot be used, in Kubernetes' words. */
export function readAnswer(
  answer: Json,
  uid: string,
  version: string,
  isMutating: boolean,
): ReviewAnswer | { readonly problem: string } | { readonly unreadable: string } {
  if (!isObject(answer)) return { problem: 'the response is no object' };
  const { response } = answer;
  if (!isObject(response)) return { problem: 'webhook response was absent' };
  const unreadable = wrongType(response);
  if (unreadable !== undefined) return { unreadable };
  const patch = typeof response['patch'] === 'string' ? response['patch'] : '';
  const patchType = typeof response['patchType'] === 'string' ? response['patchType'] : undefined;
  const problem = version === 'v1' ? strictProblem(answer, response, uid, isMutating, patch, patchType) : undefined;
  if (problem !== undefined) return { problem };
  if (isMutating && patchType !== undefined && patchType !== 'JSONPatch') {
    return { problem: `unsupported patch type ${goQuote(patchType)}` };
  }
  return {
    allowed: response['allowed'] === true,
    patch: isMutating && patch !== '' ? Buffer.from(patch, 'base64').toString('utf8') : undefined,
    status: isObject(response['status']) ? response['status'] : undefined,
    warnings: Array.isArray(response['warnings'])
      ? response['warnings'].filter((text): text is string => typeof text === 'string')
      : [],
    auditAnnotations: isObject(response['auditAnnotations']) ? response['auditAnnotations'] : {},
  };
}

/** A field of another type than it has makes the whole answer worthless, in the words of Go's decoder. */
function wrongType(response: JsonObject): string | undefined {
  for (const [field, type, goType] of FIELD_TYPES) {
    const value = response[field];
    if (value === undefined || value === null || typeof value === type) continue;
    const given = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${given} into Go struct field AdmissionResponse.response.${field} of type ${goType}`;
  }
  const at = typeof response['patch'] === 'string' ? notBase64(response['patch']) : -1;
  return at < 0 ? undefined : `illegal base64 data at input byte ${at}`;
}

const FIELD_TYPES = [
  ['uid', 'string', 'types.UID'],
  ['allowed', 'boolean', 'bool'],
  ['patch', 'string', '[]uint8'],
  ['patchType', 'string', 'v1.PatchType'],
] as const;

/** Where text stops being base64; line ends may stand anywhere. -1: it is. */
function notBase64(text: string): number {
  const wrong = text.search(/[^A-Za-z0-9+/=\r\n]/);
  if (wrong >= 0) return wrong;
  const digits = text.replaceAll(/[\r\n]/g, '');
  return digits.length % 4 === 0 && !/=[^=]|={3}/.test(digits) ? -1 : text.length;
}

/** Checks that only v1 makes; v1beta1 never looked at these fields. */
function strictProblem(
  answer: JsonObject,
  response: JsonObject,
  uid: string,
  isMutating: boolean,
  patch: string,
  patchType: string | undefined,
): string | undefined {
  const given = typeof response['uid'] === 'string' ? response['uid'] : '';
  if (given !== uid) return `expected response.uid=${goQuote(uid)}, got ${goQuote(given)}`;
  if (answer['apiVersion'] !== 'admission.k8s.io/v1' || answer['kind'] !== 'AdmissionReview') {
    return `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${kindText(answer)}`;
  }
  if (!isMutating) {
    if (patch !== '') return 'validating webhook may not return response.patch';
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patch !== '' && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (patch === '' && patchType !== undefined) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

const kindText = ({ apiVersion, kind }: JsonObject): string =>
  `${typeof apiVersion === 'string' ? apiVersion : ''}, Kind=${typeof kind === 'string' ? kind : ''}`;

/** A "no" with the webhook's own reasons; a code that is not an error becomes 400. */
export function rejection(name: string, status: JsonObject | undefined): StatusError {
  const deniedBy = `admission webhook ${goQuote(name)} denied the request`;
  const { code, message, reason } = (status ?? {}) as { code?: Json; message?: Json; reason?: Json };
  const text =
    typeof message === 'string' && message !== ''
      ? `${deniedBy}: ${message}`
      : typeof reason === 'string' && reason !== ''
        ? `${deniedBy}: ${reason}`
        : `${deniedBy} without explanation`;
  const given = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code < 600 ? code : 400;
  const details = status?.['details'];
  return new StatusError(
    given,
    (typeof reason === 'string' ? reason : '') as StatusReason,
    text,
    isObject(details) ? details : undefined,
  );
}
