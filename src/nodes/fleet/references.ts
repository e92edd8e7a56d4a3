/**
 * Which of the Secrets and ConfigMaps that pods name exist. They are watched only once some pod names one. A cache may
 * lack an object that was created just before the pod, so the server is asked once before a pod has to wait; fifty
 * thousand pods of one template share the question and the answer.
 */
import { CONFIG_MAPS, SECRETS } from '../../core/api/registry/resources.ts';
import type { ConfigMap, Pod, Secret } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { HandlerRegistration, Informer } from '../../machinery/cache/informer.ts';
import type { Informers } from '../../machinery/cache/informers.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import { lackingOf, needsOf, type Lacking, type NeedKind, type PodNeeds } from './pod-needs.ts';

export interface References {
  /**
   * Missing objects that the pod waits for; `unknown` while the server is being asked. Either way `wake` is called on
   * changes.
   */
  lackingOf(key: string, pod: Stored<Pod>): Lacking | 'unknown' | undefined;
  /** The pod waits for nothing any more. */
  forget(key: string): void;
  stop(): void;
}

export interface ReferencesOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Requeues pods: an object that they name was created, deleted or changed. */
  readonly wake: (keys: Iterable<string>) => void;
}

type Holder = Secret | ConfigMap;

/** Answer of the server about an object that the cache does not have. */
type Answer =
  | { readonly is: 'asked' }
  | { readonly is: 'absent' }
  /** Newer than the cache; counts until the next event of the cache. */
  | { readonly is: 'there'; readonly object: Stored<Holder> };

/** State of one of the two kinds. */
interface Kind {
  informer: Informer<Holder> | undefined;
  handler: HandlerRegistration | undefined;
  /** By `namespace/name`. */
  readonly answers: Map<string, Answer>;
  /** The fleet may not read this kind, so the objects are unknown: no pod waits for them. */
  isForbidden: boolean;
}

const RESOURCES = { Secret: SECRETS, ConfigMap: CONFIG_MAPS } as const;
const RETRY_MS = 1000;

export function createReferences(options: ReferencesOptions): References {
  const { client, informers, clock, logger, wake } = options;
  const kinds: Readonly<Record<NeedKind, Kind>> = {
    Secret: { informer: undefined, handler: undefined, answers: new Map(), isForbidden: false },
    ConfigMap: { informer: undefined, handler: undefined, answers: new Map(), isForbidden: false },
  };
  /** Waiting pods by `kind/namespace/name` of the object they name; `awaited` is the reverse. */
  const waiters = new Map<string, Set<string>>();
  const awaited = new Map<string, readonly string[]>();
  /** Answers for pods of one template and namespace, valid until anything changes. */
  let judged = new WeakMap<PodNeeds, Map<string, Lacking | undefined>>();
  const keySets = new WeakMap<Stored<Holder>, ReadonlySet<string>>();
  const stopping = new AbortController();

  const changed = (touched: Iterable<string>): void => {
    judged = new WeakMap();
    for (const reference of touched) {
      const keys = waiters.get(reference);
      // Pods that still have to wait register again when they are synced.
      if (keys !== undefined) wake([...keys]);
    }
  };

  function follow(kind: NeedKind): void {
    const state = kinds[kind];
    if (state.informer !== undefined || stopping.signal.aborted) return;
    const informer = informers.for<Holder>(RESOURCES[kind]);
    state.informer = informer;
    state.handler = informer.addHandler({
      batch(changes) {
        for (const [name, { is }] of state.answers) if (is === 'there') state.answers.delete(name);
        const touched = changes.map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`);
        for (const name of touched) state.answers.delete(name);
        changed(touched.map((name) => `${kind}/${name}`));
      },
    });
  }

  async function ask(kind: NeedKind, namespace: string, name: string): Promise<void> {
    const state = kinds[kind];
    const where = `${namespace}/${name}`;
    state.answers.set(where, { is: 'asked' });
    let answer: Answer;
    try {
      const { signal } = stopping;
      answer = {
        is: 'there',
        object: await client.get<Holder>(RESOURCES[kind], { namespace, name }, { signal }),
      };
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (isStatus(error, 'NotFound')) answer = { is: 'absent' };
      else if (isStatus(error, 'Forbidden')) {
        if (!state.isForbidden) logger.warn(`${kind}s may not be read: simulated pods do not wait for them`, { error });
        state.isForbidden = true;
        answer = { is: 'absent' };
      } else {
        await clock.sleep(RETRY_MS, stopping.signal).catch(() => undefined);
        return stopping.signal.aborted ? undefined : ask(kind, namespace, name);
      }
    }
    // An event of the cache meanwhile is newer than any answer.
    if (state.answers.get(where)?.is === 'asked') state.answers.set(where, answer);
    if (!state.isForbidden) follow(kind);
    changed([`${kind}/${where}`]);
  }

  const keysIn = (object: Stored<Holder>): ReadonlySet<string> => {
    const found = keySets.get(object);
    if (found !== undefined) return found;
    const { data = {}, binaryData = {} } = object as ConfigMap;
    const keys = new Set([...Object.keys(data), ...Object.keys(binaryData)]);
    keySets.set(object, keys);
    return keys;
  };

  function judge(needs: PodNeeds, namespace: string): Lacking | 'unknown' | undefined {
    let byNamespace = judged.get(needs);
    if (byNamespace?.has(namespace) === true) return byNamespace.get(namespace);
    let isKnown = true;
    const lacking = lackingOf(needs, namespace, (kind, name) => {
      const { informer, answers, isForbidden } = kinds[kind];
      if (isForbidden) return EVERYTHING;
      const cached = informer?.lister.get(name, namespace);
      if (cached !== undefined) return keysIn(cached);
      const answer = answers.get(`${namespace}/${name}`);
      if (answer === undefined) void ask(kind, namespace, name);
      if (answer === undefined || answer.is === 'asked') isKnown = false;
      return answer?.is === 'there' ? keysIn(answer.object) : undefined;
    });
    if (!isKnown) return 'unknown';
    if (byNamespace === undefined) judged.set(needs, (byNamespace = new Map()));
    byNamespace.set(namespace, lacking);
    return lacking;
  }

  function forget(key: string): void {
    const before = awaited.get(key);
    if (before === undefined) return;
    awaited.delete(key);
    for (const reference of before) {
      const keys = waiters.get(reference);
      keys?.delete(key);
      if (keys?.size === 0) waiters.delete(reference);
    }
  }

  return {
    lackingOf(key, pod) {
      const needs = needsOf(pod.spec);
      if (needs === undefined) return undefined;
      const { namespace = '' } = pod.metadata;
      const lacking = judge(needs, namespace);
      if (lacking === undefined) {
        forget(key);
        return undefined;
      }
      if (!awaited.has(key)) {
        const wanted = needs.objects.map(({ kind, name }) => `${kind}/${namespace}/${name}`);
        awaited.set(key, wanted);
        for (const reference of wanted) {
          const keys = waiters.get(reference);
          if (keys === undefined) waiters.set(reference, new Set([key]));
          else keys.add(key);
        }
      }
      return lacking;
    },
    forget,
    stop() {
      stopping.abort();
      for (const { handler } of Object.values(kinds)) handler?.remove();
    },
  };
}

/** A set that has every key. */
const EVERYTHING: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });
