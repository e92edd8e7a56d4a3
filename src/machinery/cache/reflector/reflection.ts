/** One reflector's fixed parts and its state, as the functions that list and watch take them. */
import type { KubeObject, Resource, Stored } from '../../../core/kube/objects.ts';
import type { Client } from '../../client/client.ts';
import { silentLogger, type Logger } from '../../logging/logger.ts';
import type { Random } from '../../random/random.ts';
import { createBackoff, type Backoff } from '../../time/backoff.ts';
import type { Clock } from '../../time/clock.ts';
import type { ReflectorOptions, ReflectorScope, ReflectorSink } from './reflector-options.ts';
import { newReflectorState, type Paging, type Position, type ReflectorState } from './reflector-state.ts';

const DEFAULT_PAGE = 500;
const DEFAULT_WATCH_TIMEOUT = 300_000;

export interface Reflection<T extends KubeObject> {
  readonly client: Client;
  readonly resource: Resource<T>;
  readonly scope: ReflectorScope;
  readonly sink: ReflectorSink<T>;
  /** The sink's, or the identity. */
  readonly intern: (object: Stored<T>) => Stored<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly pageSize: number;
  readonly watchTimeoutMs: number;
  /** A list that was answered settles `mustBeLatest` back to this. */
  readonly startsFromLatest: boolean;
  /** How lists are made where the server does not stream them. */
  readonly listPaging: Paging;
  /** Between failed attempts; reset when a full state has been handed to the sink. */
  readonly backoff: Backoff;
  /** Between watches that expire at once. Not `backoff`, which a successful list resets: "list, watch expired, list, …" must slow down too. */
  readonly expiryBackoff: Backoff;
  readonly state: ReflectorState<T>;
}

export function newReflection<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  scope: ReflectorScope,
  sink: ReflectorSink<T>,
  options: ReflectorOptions,
): Reflection<T> {
  const { clock, random, logger = silentLogger, pageSize = DEFAULT_PAGE } = options;
  const listPaging: Paging = pageSize === 0 ? 'whole' : 'pages';
  const startsFromLatest = options.startFrom !== 'any';
  return {
    client,
    resource,
    scope,
    sink,
    intern: sink.intern ?? ((object: Stored<T>): Stored<T> => object),
    clock,
    random,
    logger,
    pageSize,
    watchTimeoutMs: options.watchTimeoutMs ?? DEFAULT_WATCH_TIMEOUT,
    startsFromLatest,
    listPaging,
    backoff: createBackoff(clock, random),
    expiryBackoff: createBackoff(clock, random),
    state: newReflectorState(options.streamingList === true ? 'stream' : listPaging, startsFromLatest),
  };
}

export const retryAfterBackoff = <T extends KubeObject>(
  { backoff }: Reflection<T>,
  error: unknown,
  next: Position<T>,
): Position<T> => ({ phase: 'waiting', delayMs: backoff.next(), error, next });
