/**
 * Follows one resource of one API server: reads its state, then every change, once and in order, over any `Client`.
 * A reflector survives everything a server does to it (expired pages and watches, broken connections, refusals), never
 * shows an empty cache in between, and deletes nothing that a newer list or a delete event did not say is gone.
 */
import type { KubeObject, Resource } from '../../../core/kube/objects.ts';
import type { StatusError } from '../../../core/kube/status-error.ts';
import type { Client } from '../../client/client.ts';
import { wasAborted } from '../../time/abort.ts';
import { readPage } from './list-pages.ts';
import { newReflection, type Reflection } from './reflection.ts';
import { isRefusal } from './reflector-errors.ts';
import type { ReflectorOptions, ReflectorScope, ReflectorSink } from './reflector-options.ts';
import type { Position } from './reflector-state.ts';
import { runWatch } from './watch-stream.ts';

/** A server that refuses says so within this time; an attempt that has lasted longer was let pass. */
const REFUSED_WITHIN = 5_000;

export interface Reflector {
  /** The version up to which everything has been handed to the sink; empty at first. */
  readonly resourceVersion: string;
  readonly phase: Position<KubeObject>['phase'];
  /** The server's refusal (401, 403) of the last attempt to list or watch, until one is under way that it lets pass. */
  readonly refusal: StatusError | undefined;
  run(signal: AbortSignal): Promise<void>;
}

export function createReflector<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  scope: ReflectorScope,
  sink: ReflectorSink<T>,
  options: ReflectorOptions,
): Reflector {
  const reflection = newReflection(client, resource, scope, sink, options);
  const { state } = reflection;
  return {
    get resourceVersion() {
      return state.lastVersion;
    },
    get phase() {
      return state.position.phase;
    },
    get refusal() {
      return refusalOf(reflection);
    },
    async run(signal) {
      try {
        while (!signal.aborted) state.position = await step(reflection, signal);
      } catch (error) {
        if (!wasAborted(error, signal)) throw error;
      }
    },
  };
}

/** From one position to the next. */
function step<T extends KubeObject>(
  reflection: Reflection<T>,
  signal: AbortSignal,
): Promise<Position<T>> | Position<T> {
  const { position } = reflection.state;
  switch (position.phase) {
    case 'empty':
      if (position.paging === 'stream') return { phase: 'streaming', gathered: new Map() };
      return readPage(reflection, position.paging, [], '', signal);
    case 'streaming':
      return runWatch(reflection, position.gathered, signal);
    case 'listing':
      return readPage(reflection, position.paging, position.gathered, position.continue, signal);
    case 'listed':
      return replaceWithListed(reflection, position);
    case 'watching':
      return runWatch(reflection, undefined, signal);
    case 'waiting':
      return retryLater(reflection, position, signal);
  }
}

function replaceWithListed<T extends KubeObject>(
  { state, sink, backoff, startsFromLatest }: Reflection<T>,
  { items, resourceVersion }: Position<T> & { readonly phase: 'listed' },
): Position<T> {
  state.lastVersion = resourceVersion;
  state.mustBeLatest = startsFromLatest;
  sink.replace(items, resourceVersion);
  backoff.reset();
  return { phase: 'watching' };
}

function retryLater<T extends KubeObject>(
  { state, clock, logger, resource }: Reflection<T>,
  { delayMs, error, next }: Position<T> & { readonly phase: 'waiting' },
  signal: AbortSignal,
): Promise<Position<T>> {
  logger.warn('Following a resource failed, trying again', {
    resource: resource.resource,
    group: resource.group,
    retryMs: Math.round(delayMs),
    error,
  });
  return clock.sleep(delayMs, signal).then(() => {
    state.refused = isRefusal(error) ? { error, at: clock.monotonic() } : undefined;
    return next;
  });
}

function refusalOf<T extends KubeObject>({ state, clock }: Reflection<T>): StatusError | undefined {
  const { position, refused } = state;
  if (position.phase === 'waiting') return isRefusal(position.error) ? position.error : undefined;
  return refused !== undefined && clock.monotonic() - refused.at < REFUSED_WITHIN ? refused.error : undefined;
}
