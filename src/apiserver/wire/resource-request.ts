/** An HTTP request for a resource, answered: method and query become a verb, the body an object, the answer bytes. */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { Json } from '../../core/kube/json.ts';
import { keysOf } from '../../core/api/schema/keys-of.ts';
import { findDuplicateFields, mayRepeatKeys, type Place } from '../../core/kube/json-scan.ts';
import { cannotBeHandled } from '../../core/api/schema/decoding-errors.ts';
import { speltIntegerProblem } from '../../core/api/schema/spelt-integers.ts';
import { hasProtobuf } from '../../core/api/schema/protobuf/envelope.ts';
import { apiVersionOf, type KubeObject } from '../../core/kube/objects.ts';
import { badRequest, forbiddenRequest, notFound as objectNotFound, StatusError } from '../../core/kube/status-error.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import type { ApiPatch, ApiResponse, ConnectResponse, RequestBase, RequestTarget } from '../contract/request.ts';
import { sendStatus, sendTransformed, type TransformOptions } from './answer.ts';
import { decodeBody, decodeJsonText, decodeYamlBody, type DecodedBody, type DecodeYaml } from './decode.ts';
import type { Exchange } from './exchange.ts';
import type { RequestPace } from './fair-work.ts';
import { sendList } from './list-answer.ts';
import { bodyFormat, negotiate, patchFormat, TRANSFORMS, type PatchFormat } from './negotiate.ts';
import {
  deleteOptions,
  forced,
  forceIsForApply,
  isWatch,
  listOptions,
  watchOptions,
  writeOptions,
  type DeleteBody,
} from './query.ts';
import { programName } from './user-agent.ts';
import { warningHeaders } from './warnings.ts';
import { answerWatch } from './watch-answer.ts';
import type { WireContext } from './wire-context.ts';

/** Kinds that are only created and never stored (reviews) have no rows. */
const OF_QUESTIONS = TRANSFORMS.filter((offer) => offer.as !== 'Table');

export async function answerResource(
  exchange: Exchange,
  target: RequestTarget,
  legacyWatch: boolean,
  user: UserInfo,
  pace: RequestPace,
  context: WireContext,
): Promise<void> {
  const { query } = exchange;
  const isWatching = asksToWatch(exchange, target, legacyWatch);
  // Authorized before any lookup or read: a client without permission learns nothing and costs nothing.
  const verb = verbAsked(exchange, { target, legacyWatch });
  context.api.authorize({ target, user }, verb, query.get('fieldSelector') ?? undefined);
  const kind = context.kinds.byResource(target.group, target.version, target.resource);
  if (kind === undefined || !isPathOf(kind, target)) throw notFound();
  // Kubernetes' handler of custom resources answers unknown subresources with "not found", whether the object exists or
  // not.
  if (kind.custom !== undefined && !isKnown(kind, target)) throw objectNotFound(kind, target.name);
  if (!isServed(kind, target, verb)) throw isClosing(kind, target, verb) ? closing(kind) : notAllowed();
  const offers = kind.verbs.length === 1 && kind.verbs[0] === 'create' ? OF_QUESTIONS : TRANSFORMS;
  const protobuf = { object: hasProtobuf(apiVersionOf(kind), kind.kind), metadata: !isWatching };
  const accepted = negotiate(exchange.header('accept'), offers, protobuf);
  const options: TransformOptions = { accepted, includeObject: includeObjectOf(query) };
  const patchType =
    exchange.method === 'PATCH' ? patchFormat(exchange.header('content-type'), kind.custom !== undefined) : undefined;
  const warnings: string[] = kind.deprecated === undefined || !isKnown(kind, target) ? [] : [kind.deprecated];
  const base: RequestBase = {
    target,
    user,
    unshared: true,
    userAgent: programName(exchange.header('user-agent') ?? ''),
    warn: (message) => void warnings.push(message),
  };

  const subresource = firstPart(target.subresource);
  if (STREAMS.has(subresource)) {
    const connection = {
      ...base,
      signal: exchange.signal,
      target: { ...target, subresource },
      verb: 'connect',
      method: exchange.method,
      query,
    } as const;
    return pipe(exchange, await context.api.connect(connection));
  }
  if (isWatching) {
    const named = target.name === '' ? {} : { fieldSelector: `metadata.name=${target.name}` };
    const request = {
      ...base,
      target: { ...target, name: '' },
      verb: 'watch' as const,
      options: { ...watchOptions(query), ...named },
    };
    return answerWatch(exchange, kind, request, accepted, options.includeObject, pace, context);
  }
  let response: ApiResponse;
  try {
    response = await perform(exchange, base, kind, patchType, pace, context);
  } finally {
    // Warnings are sent with a refusal as well.
    if (warnings.length > 0) exchange.setHeader('warning', warningHeaders(warnings));
  }
  await answer(exchange, kind, response, options, pace, context);
}

const notFound = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
const notAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** A definition that is being deleted takes no new objects, and no longer lists `create` as a verb. */
const isClosing = (kind: KindDefinition, { name, subresource }: RequestTarget, verb: string): boolean =>
  kind.custom !== undefined && verb === 'create' && name === '' && subresource === '' && !kind.verbs.includes(verb);
const closing = (kind: KindDefinition): StatusError =>
  forbiddenRequest(kind, '', 'create not allowed while custom resource definition is terminating');

/** A cluster-scoped kind has no path within a namespace, and a namespaced object has no path outside of one. */
export const isPathOf = ({ namespaced }: KindDefinition, { namespace, name }: RequestTarget): boolean =>
  namespaced ? namespace !== '' || name === '' : namespace === '';

const isKnown = ({ subresources }: KindDefinition, { subresource }: RequestTarget): boolean =>
  subresource === '' || subresources.some(({ name }) => name === firstPart(subresource));

/** Whether the path takes the method at all. Unknown subresources are left to the handlers. */
export function isServed(kind: KindDefinition, { namespace, name, subresource }: RequestTarget, verb: string): boolean {
  if (subresource !== '') {
    const known = kind.subresources.find((sub) => sub.name === subresource);
    return known === undefined || STREAMS.has(subresource) || known.verbs.includes(verb);
  }
  // Objects are made in the collection of their own namespace.
  if (verb === 'create' && (name !== '' || (kind.namespaced && namespace === ''))) return false;
  if ((verb === 'update' || verb === 'patch') && name === '') return false;
  return kind.verbs.includes(verb);
}

/** Subresources that open a stream to what is behind an object; `proxy` may go on with a path of its own. */
export const STREAMS: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

export const firstPart = (subresource: string): string => subresource.split('/', 1)[0] ?? '';

/** Only collections are watched; one object of them by a selector, or on the old path. */
const asksToWatch = ({ method, query }: Exchange, target: RequestTarget, legacyWatch: boolean): boolean =>
  method === 'GET' && target.subresource === '' && (legacyWatch || (target.name === '' && isWatch(query)));

/** Whether the answer is a stream that may go on for hours. */
export const isLong = (exchange: Exchange, target: RequestTarget, legacyWatch: boolean): boolean =>
  target.subresource === '' ? asksToWatch(exchange, target, legacyWatch) : STREAMS.has(firstPart(target.subresource));

/** The verb as the authorizer and the audit log know it. */
export const verbAsked = (
  exchange: Exchange,
  { target, legacyWatch }: { readonly target: RequestTarget; readonly legacyWatch: boolean },
): string => (asksToWatch(exchange, target, legacyWatch) ? 'watch' : verbOf(exchange.method, target.name));

/** The verb of a method, to be authorized; an unknown method is its own verb, in lower case. */
function verbOf(method: string, name: string): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return name === '' ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      return method.toLowerCase();
  }
}

function includeObjectOf(query: URLSearchParams): 'None' | 'Metadata' | 'Object' {
  const value = query.get('includeObject') ?? '';
  if (value === '' || value === 'Metadata') return 'Metadata';
  if (value === 'None' || value === 'Object') return value;
  throw badRequest(`unrecognized includeObject value: ${JSON.stringify(value)}`);
}

async function perform(
  exchange: Exchange,
  base: RequestBase,
  kind: KindDefinition,
  patchType: PatchFormat | undefined,
  pace: RequestPace,
  { api, yaml }: WireContext,
): Promise<ApiResponse> {
  const { query, method } = exchange;
  const body = bodyReader(exchange, pace, yaml);
  const { target } = base;
  switch (method) {
    case 'GET':
    case 'HEAD': {
      if (target.name === '') return api.handle({ ...base, pace, verb: 'list', options: listOptions(query) });
      const resourceVersion = query.get('resourceVersion');
      return api.handle({ ...base, verb: 'get', ...(resourceVersion === null ? {} : { resourceVersion }) });
    }
    case 'POST': {
      const options = writeOptions(query, 'CreateOptions');
      const read = await readObject(body, exchange, kind, target);
      await body.turnIfLarge();
      return api.handle({ ...base, ...body.pace(), verb: 'create', ...read, options });
    }
    case 'PUT': {
      const options = writeOptions(query, 'UpdateOptions');
      const read = await readObject(body, exchange, kind, target);
      await body.turnIfLarge();
      return api.handle({ ...base, ...body.pace(), verb: 'update', ...read, options });
    }
    case 'PATCH': {
      const options = writeOptions(query, 'PatchOptions', patchType === 'apply');
      const read = await readPatch(body, exchange, patchType ?? 'merge');
      await body.turnIfLarge();
      return api.handle({ ...base, ...body.pace(), verb: 'patch', ...read, options });
    }
    case 'DELETE': {
      const options = deleteOptions(query, await readDeleteBody(body, exchange));
      if (target.name !== '') return api.handle({ ...base, verb: 'delete', options });
      return api.handle({ ...base, verb: 'deletecollection', options: { ...listOptions(query), ...options } });
    }
    default:
      throw notAllowed();
  }
}

async function answer(
  exchange: Exchange,
  kind: KindDefinition,
  response: ApiResponse,
  options: TransformOptions,
  pace: RequestPace,
  context: WireContext,
): Promise<void> {
  switch (response.type) {
    case 'object':
      return sendTransformed(exchange, response.created ? 201 : 200, kind, response.object, options, context, pace);
    case 'list':
      return sendList(exchange, kind, response.list, options, context, pace);
    case 'status':
      return sendStatus(exchange, response.status, options.accepted);
  }
}

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where a body is an object of the kind itself. */
const OWN_KIND: ReadonlySet<string> = new Set(['', 'status']);

/** Findings about a body: keys that it repeats, and whether its keys have an order. */
interface ReadBody {
  readonly duplicateFields?: readonly string[];
  readonly repeatedKeys?: readonly string[];
  readonly unordered?: boolean;
}

/** Bodies beyond this wait for their turn: decoding one takes noticeable time, and many may arrive at once. */
const LARGE_BODY_BYTES = 64 * 1024;

interface BodyReader {
  bytes(): Promise<Buffer>;
  readonly decodeYaml: DecodeYaml;
  /**
   * Waits for a turn between two steps of a request whose body is large: each step (parsing, looking for repeated keys, checking,
   * validating) may take tens of milliseconds, and requests of other users are answered in between. Undefined: go on at once.
   */
  turnIfLarge(): Promise<void> | undefined;
  /** For the handlers, which have such steps too. */
  pace(): Pick<RequestBase, 'pace'>;
}

const SMALL: Pick<RequestBase, 'pace'> = {};

function bodyReader(exchange: Exchange, pace: RequestPace, yaml: WireContext['yaml']): BodyReader {
  let isLarge = false;
  const turnIfLarge = (): Promise<void> | undefined => (isLarge ? pace.turn() : undefined);
  return {
    async bytes() {
      const announced = Number(exchange.header('content-length') ?? 0);
      // While a user's YAML bodies wait in numbers, another need not be read to be refused. One that turns out to be JSON
      // would not have had to wait; it is asked to come back with the others.
      if (isYaml(exchange) && announced > LARGE_BODY_BYTES)
        refuseUnread(exchange, () => yaml.admit(pace.user, announced));
      const bytes = await exchange.body();
      isLarge = bytes.length > LARGE_BODY_BYTES;
      await turnIfLarge();
      return bytes;
    },
    async decodeYaml(text) {
      const parsed = await yaml.decode(text, { user: pace.user, signal: exchange.signal, turn: () => pace.turn() });
      await turnIfLarge();
      return parsed;
    },
    turnIfLarge,
    pace: () => (isLarge ? { pace } : SMALL),
  };
}

const isYaml = (exchange: Exchange): boolean => /[/+]yaml\b/.test(exchange.header('content-type') ?? '');

function refuseUnread(exchange: Exchange, admit: () => void): void {
  try {
    admit();
  } catch (error) {
    exchange.discardBody();
    throw error;
  }
}

async function readObject(
  body: BodyReader,
  exchange: Exchange,
  kind: KindDefinition,
  { subresource }: RequestTarget,
): Promise<ReadBody & { readonly object: KubeObject }> {
  const format = bodyFormat(exchange.header('content-type'));
  const read = await decodeBody(await body.bytes(), format, body.decodeYaml, kind.kind);
  await body.turnIfLarge();
  // A body of null counts as an empty object.
  const value = read.value ?? {};
  if (!isObject(value)) throw badRequest('the body must be a JSON object with apiVersion and kind');
  const object = value as unknown as KubeObject;
  if (read.text !== undefined && kind.custom === undefined && OWN_KIND.has(subresource)) {
    const problem = speltIntegerProblem(kind.schema, read.text);
    if (problem !== undefined)
      throw cannotBeHandled({ kind: kind.kind, version: kind.version, expected: kind.kind }, problem);
  }
  await body.turnIfLarge();
  const isOwn = kind.custom === undefined && OWN_KIND.has(subresource);
  const duplicates = duplicatesIn(exchange, read, isOwn ? keysOf(kind.schema) : undefined);
  return format === 'yaml' ? { object, ...duplicates, unordered: true } : { object, ...duplicates };
}

async function readPatch(
  reader: BodyReader,
  exchange: Exchange,
  format: PatchFormat,
): Promise<ReadBody & { readonly patch: ApiPatch }> {
  const bytes = await reader.bytes();
  if (format === 'apply') {
    const read = await decodeYamlBody(bytes, reader.decodeYaml);
    const { value: applied } = read;
    if (!isObject(applied)) throw badRequest('an apply patch must be an object');
    const force = forced(exchange.query) === true;
    const patch = { type: 'apply', body: applied as unknown as KubeObject, force } as const;
    return { patch, ...duplicatesIn(exchange, read) };
  }
  if (forced(exchange.query) !== undefined) throw forceIsForApply();
  const text = bytes.toString('utf8');
  const body = decodeJsonText(text);
  await reader.turnIfLarge();
  const duplicates = duplicatesIn(exchange, { value: body, text });
  if (format === 'json') {
    if (!Array.isArray(body)) throw badRequest('a JSON patch must be an array of operations');
    return { patch: { type: 'json', body: body as readonly Json[] }, ...duplicates };
  }
  if (!isObject(body)) throw badRequest(`a ${format} patch must be an object`);
  return { patch: { type: format, body }, ...duplicates };
}

const NO_DUPLICATES: ReadBody = {};

/**
 * Of a repeated key the last value counts; the client is told, unless it asked not to be. JSON of a built-in kind is
 * judged as its type reads it (`document`), everything else in all its depth.
 */
function duplicatesIn(exchange: Exchange, { value, text, duplicates = [] }: DecodedBody, document?: Place): ReadBody {
  if (exchange.query.get('fieldValidation') === 'Ignore') return NO_DUPLICATES;
  if (duplicates.length > 0) return { repeatedKeys: duplicates };
  if (text === undefined || !mayRepeatKeys(text, value)) return NO_DUPLICATES;
  const duplicateFields = findDuplicateFields(text, document);
  return duplicateFields.length === 0 ? NO_DUPLICATES : { duplicateFields };
}

async function readDeleteBody(body: BodyReader, exchange: Exchange): Promise<DeleteBody | undefined> {
  const bytes = await body.bytes();
  if (bytes.length === 0) return undefined;
  const { value } = await decodeBody(bytes, bodyFormat(exchange.header('content-type')), body.decodeYaml);
  if (!isObject(value)) throw badRequest('the body of a delete must be DeleteOptions');
  return checkDeleteBody(value);
}

const jsonTypeOf = (value: Json | undefined): string =>
  Array.isArray(value)
    ? 'array'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'bigint'
        ? 'number'
        : typeof value;

/** DeleteOptions are not stored, so they are checked here and not by a kind's schema. */
function checkDeleteBody(value: { readonly [key: string]: Json }): DeleteBody {
  const wrong = (field: string, type: string, found: Json | undefined): StatusError =>
    badRequest(
      `json: cannot unmarshal ${jsonTypeOf(found)} into Go struct field DeleteOptions.${field} of type ${type}`,
    );
  const {
    gracePeriodSeconds: grace,
    propagationPolicy: policy,
    orphanDependents: orphan,
    dryRun,
    preconditions,
    kind,
  } = value;
  // An object sent by mistake must not delete another one.
  if (kind !== undefined && kind !== null && kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest('decoded object cannot be converted to DeleteOptions');
  }
  if (grace !== undefined && grace !== null && !Number.isSafeInteger(grace))
    throw wrong('gracePeriodSeconds', 'int64', grace);
  if (policy !== undefined && policy !== null && typeof policy !== 'string')
    throw wrong('propagationPolicy', 'v1.DeletionPropagation', policy);
  if (orphan !== undefined && orphan !== null && typeof orphan !== 'boolean')
    throw wrong('orphanDependents', 'bool', orphan);
  if (
    dryRun !== undefined &&
    dryRun !== null &&
    !(Array.isArray(dryRun) && dryRun.every((item) => typeof item === 'string'))
  )
    throw wrong('dryRun', '[]string', dryRun);
  if (preconditions !== undefined && preconditions !== null) {
    if (!isObject(preconditions)) throw wrong('preconditions', 'v1.Preconditions', preconditions);
    for (const name of ['uid', 'resourceVersion']) {
      const part = preconditions[name];
      if (part !== undefined && part !== null && typeof part !== 'string')
        throw wrong(`preconditions.${name}`, 'string', part);
    }
  }
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
}

async function pipe(exchange: Exchange, { contentType, body }: ConnectResponse): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  // The first chunk decides between an error answer and a stream.
  let next = await chunks.next();
  const stream = exchange.stream(200, contentType);
  while (next.done !== true && !exchange.closed) {
    stream.write(Buffer.from(next.value));
    await stream.drained();
    next = await chunks.next();
  }
  await chunks.return?.();
  stream.end();
}
