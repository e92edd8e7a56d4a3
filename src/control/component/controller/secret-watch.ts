/**
 * Watches single Secrets, those that components name and no others, and keeps only a digest of each. A Secret that no component names
 * any more is no longer watched.
 */
import { SECRETS } from '../../../core/api/registry/resources.ts';
import type { Secret } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { abortAfter, aborted, orAborted } from '../../../machinery/time/abort.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { createGate, type Gate } from '../../../machinery/structures/gate.ts';
import type { ReflectorOptions } from '../../../machinery/cache/reflector/reflector-options.ts';
import { createReflector } from '../../../machinery/cache/reflector/reflector.ts';
import { secretDigest } from './referenced-secrets.ts';

export interface SecretWatch {
  /** Replaces the Secrets that this component names; those that no other component names are no longer watched. */
  want(component: string, namespace: string, names: readonly string[]): void;
  /** Waits a little for the first answer about a Secret. Undefined: the Secret does not exist, or could not be read. */
  digest(namespace: string, name: string, signal: AbortSignal): Promise<string | undefined>;
  start(signal: AbortSignal): Promise<void>;
}

interface Followed {
  /** Never empty: the last component to leave stops the watch. */
  readonly wantedBy: Set<string>;
  /** Opens with the first answer of the server; `digest` means nothing before that. */
  readonly known: Gate;
  digest: string | undefined;
  stop(): void;
}

/** After this the component is applied without the digest: a server that is slow, or refuses, must not block the apply. */
const PATIENCE_MS = 5_000;

export function createSecretWatch(
  client: Client,
  options: ReflectorOptions,
  onChange: (component: string) => void,
): SecretWatch {
  const followed = new Map<string, Followed>();
  const wishes = new Map<string, ReadonlySet<string>>();
  let running: AbortSignal | undefined;

  function follow(namespace: string, name: string): Followed {
    const ending = new AbortController();
    const note = (digest: string | undefined): void => {
      const isNews = entry.digest !== digest || !entry.known.isOpen();
      entry.digest = digest;
      entry.known.open();
      if (isNews) for (const component of entry.wantedBy) onChange(component);
    };
    const entry: Followed = { wantedBy: new Set(), known: createGate(), digest: undefined, stop: () => ending.abort() };
    const digestOf = (secret: Stored<Secret> | undefined): string | undefined =>
      secret === undefined ? undefined : secretDigest(secret);
    const reflector = createReflector<Secret>(
      client,
      SECRETS,
      { namespace, fieldSelector: `metadata.name=${name}` },
      {
        replace: (items) => note(digestOf(items[0])),
        apply(events) {
          const last = events.at(-1);
          if (last !== undefined) note(last.type === 'DELETED' ? undefined : digestOf(last.object));
        },
      },
      options,
    );
    const signal = running === undefined ? ending.signal : AbortSignal.any([running, ending.signal]);
    reflector.run(signal).catch(() => undefined);
    return entry;
  }

  return {
    want(component, namespace, names) {
      const wanted = new Set(names.map((name) => `${namespace}/${name}`));
      for (const key of wishes.get(component) ?? []) {
        const entry = followed.get(key);
        if (entry === undefined || wanted.has(key)) continue;
        entry.wantedBy.delete(component);
        if (entry.wantedBy.size > 0) continue;
        entry.stop();
        followed.delete(key);
      }
      if (wanted.size === 0) wishes.delete(component);
      else wishes.set(component, wanted);
      for (const name of names) {
        const key = `${namespace}/${name}`;
        let entry = followed.get(key);
        if (entry === undefined) followed.set(key, (entry = follow(namespace, name)));
        entry.wantedBy.add(component);
      }
    },
    async digest(namespace, name, signal) {
      const entry = followed.get(`${namespace}/${name}`);
      if (entry === undefined) return undefined;
      if (!entry.known.isOpen()) {
        using limit = abortAfter(options.clock, PATIENCE_MS, signal);
        await orAborted(entry.known.opened, limit.signal).catch(() => signal.throwIfAborted());
      }
      return entry.digest;
    },
    async start(signal) {
      running = signal;
      await aborted(signal);
      for (const { stop } of followed.values()) stop();
      followed.clear();
    },
  };
}
