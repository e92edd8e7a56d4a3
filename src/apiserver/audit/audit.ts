/**
 * The audit log: one `audit.k8s.io/v1` Event a stage of a request, a record of who did what. Off unless asked for.
 * Actions of the house's own actors inside the process are no requests and are not written.
 */
import { encodeJson, parseJson, type Json, type JsonObject } from '../../core/kube/json.ts';
import { formatMicroTime } from '../../core/kube/time.ts';
import type { StatusError } from '../../core/kube/status-error.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Random } from '../../machinery/random/random.ts';
import type { RequestTarget } from '../contract/request.ts';
import { decide, type AuditPolicy, type Level, type Stage } from './policy.ts';

/** The part of an exchange that is written down. */
export interface AuditedExchange {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly status: number;
  readonly sourceAddress: string | undefined;
  header(name: string): string | undefined;
  /** Asks for bodies to be kept; before they are read or sent. */
  keepBodies(): void;
  /** The kept bodies as JSON text, or undefined. */
  readonly kept: { readonly request: string | undefined; readonly response: string | undefined };
}

export interface AuditOptions {
  readonly policy: AuditPolicy;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  /** Takes one line; never waits. */
  readonly write: (line: string) => void;
}

export interface AuditTrail {
  /** The identity of the request in the log, for the client's own records. */
  readonly id: string;
  complete(failure: StatusError | undefined): void;
}

export interface Audit {
  /** To be called when user and target of the request are known; the trail is completed when the answer is out. */
  begin(exchange: AuditedExchange, request: AuditedRequest): AuditTrail | undefined;
}

interface AuditedRequest {
  readonly verb: string;
  readonly target: RequestTarget | undefined;
  /** The sender of the request; `user` is the identity it acts as. */
  readonly caller: UserInfo | undefined;
  readonly user: UserInfo | undefined;
}

export function createAudit({ policy, clock, random, write }: AuditOptions): Audit {
  return {
    begin(exchange, request) {
      const { caller, user, verb, target } = request;
      const { level, omits } = decide(policy, { user: caller, verb, path: exchange.path, target });
      if (level === 'None') return undefined;
      if (level !== 'Metadata') exchange.keepBodies();
      const id = random.uuid();
      const received = clock.now();
      const emit = (stage: Stage, rest: JsonObject): void => {
        if (omits(stage)) return;
        const event: JsonObject = {
          kind: 'Event',
          apiVersion: 'audit.k8s.io/v1',
          level,
          auditID: id,
          stage,
          requestURI: exchange.url,
          verb,
          user: userJson(caller),
          ...(user === caller || user === undefined ? {} : { impersonatedUser: userJson(user) }),
          sourceIPs: exchange.sourceAddress === undefined ? [] : [exchange.sourceAddress],
          ...optional('userAgent', exchange.header('user-agent')),
          ...(target === undefined ? {} : { objectRef: referenceOf(target) }),
          ...rest,
          requestReceivedTimestamp: formatMicroTime(received),
          stageTimestamp: formatMicroTime(clock.now()),
        };
        write(encodeJson(event));
      };
      emit('RequestReceived', {});
      return {
        id,
        complete: (failure) =>
          emit('ResponseComplete', {
            responseStatus: statusOf(exchange.status, failure, level),
            ...bodiesOf(exchange, level),
            annotations: decisionOf(exchange.status, failure),
          }),
      };
    },
  };
}

const optional = (key: string, value: string | undefined): JsonObject => (value ? { [key]: value } : {});

function userJson(user: UserInfo | undefined): JsonObject {
  if (user === undefined) return {};
  return {
    username: user.name,
    ...optional('uid', user.uid),
    groups: user.groups,
    ...(user.extra === undefined ? {} : { extra: user.extra }),
  };
}

const referenceOf = ({ group, version, resource, subresource, namespace, name }: RequestTarget): JsonObject => ({
  resource,
  ...optional('namespace', namespace),
  ...optional('name', name),
  ...optional('apiGroup', group),
  apiVersion: version,
  ...optional('subresource', subresource),
});

/** Messages of these errors repeat parts of the body (a patched object as a whole), which is more than metadata. */
const REPEATS_BODY: ReadonlySet<number> = new Set([400, 422]);

function statusOf(code: number, failure: StatusError | undefined, level: Level): JsonObject {
  if (failure === undefined) return { metadata: {}, code };
  const { status, reason } = failure.status;
  const message = level === 'Metadata' && REPEATS_BODY.has(code) ? undefined : failure.status.message;
  return {
    metadata: {},
    status: status ?? 'Failure',
    ...optional('message', message),
    ...optional('reason', reason),
    code,
  };
}

function decisionOf(code: number, failure: StatusError | undefined): JsonObject {
  if (code === 401) return {};
  const isForbidden = failure?.status.code === 403;
  return { 'authorization.k8s.io/decision': isForbidden ? 'forbid' : 'allow', 'authorization.k8s.io/reason': '' };
}

function bodiesOf({ kept }: AuditedExchange, level: Level): JsonObject {
  if (level === 'Metadata') return {};
  const requestObject = readJson(kept.request);
  const responseObject = level === 'RequestResponse' ? readJson(kept.response) : undefined;
  return {
    ...(requestObject === undefined ? {} : { requestObject }),
    ...(responseObject === undefined ? {} : { responseObject }),
  };
}

/** Bodies that are not JSON (protobuf, a stream) are left out. */
function readJson(text: string | undefined): Json | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
