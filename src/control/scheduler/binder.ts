/**
 * From decision to binding: plugins reserve, the pod is bound through the API, many at a time, while the next pods are
 * decided. A binding whose answer was lost is looked up before reservations are undone, because the pod may well be bound.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus, StatusError } from '../../core/kube/status-error.ts';
import type { Answer } from '../../core/placement/answer.ts';
import type { CompiledPod } from '../../core/placement/compiled-pod.ts';
import type { SchedulerPlugin } from '../../core/placement/plugin.ts';
import { createBackoff } from '../../machinery/time/backoff.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { Random } from '../../machinery/random/random.ts';

export type Binding =
  | { readonly bound: true }
  /** The pod was bound to another node by another client, or is gone: nothing is left to schedule. */
  | { readonly bound: false; readonly settled: true }
  | { readonly bound: false; readonly settled: false; readonly message: string };

export interface Binder {
  /** Lets every plugin reserve. Returns the first refusal, after the reservations of all plugins were undone. */
  reserve(compiled: CompiledPod, nodeName: string): Extract<Answer, { ok: false }> | undefined;
  unreserve(compiled: CompiledPod, nodeName: string): void;
  /** Never rejects, unless the signal fires. */
  bind(compiled: CompiledPod, nodeName: string): Promise<Binding>;
}

export interface BinderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly plugins: readonly SchedulerPlugin[];
  readonly signal: AbortSignal;
}

const SETTLED: Binding = { bound: false, settled: true };
const BOUND: Binding = { bound: true };
const LOOK_UP = { initialMs: 500, maxMs: 10_000, factor: 2, jitter: 0.5, resetAfterMs: 60_000 };

export function createBinder({ client, clock, random, plugins, signal }: BinderOptions): Binder {
  const preBinding = plugins.filter((plugin) => plugin.preBind !== undefined);

  const unreserve = (compiled: CompiledPod, nodeName: string): void => {
    for (const plugin of plugins.toReversed()) plugin.unreserve?.(compiled, nodeName);
  };

  async function preBind(compiled: CompiledPod, nodeName: string): Promise<string | undefined> {
    for (const plugin of preBinding) {
      try {
        const answer = await plugin.preBind?.(compiled, nodeName, signal);
        if (answer?.ok === false) return answer.nos.map((no) => no.message).join(', ');
      } catch (error) {
        if (signal.aborted) throw error;
        return `running PreBind plugin "${plugin.name}": ${messageOf(error)}`;
      }
    }
    return undefined;
  }

  /** Reads the pod until the API server answers: until then the room may be taken. */
  async function lookUp(pod: Stored<Pod>, nodeName: string, why: unknown): Promise<Binding> {
    const backoff = createBackoff(clock, random, LOOK_UP);
    for (;;) {
      try {
        const now = await client.get(PODS, keyOf(pod), { signal });
        if (now.metadata.uid !== pod.metadata.uid) return SETTLED;
        const node = now.spec.nodeName ?? '';
        if (node !== '') return node === nodeName ? BOUND : SETTLED;
        return failed(why);
      } catch (error) {
        if (signal.aborted) throw error;
        if (isStatus(error, 'NotFound')) return SETTLED;
        if (error instanceof StatusError && error.code === 403) return failed(why);
        await clock.sleep(backoff.next(), signal);
      }
    }
  }

  return {
    unreserve,

    reserve(compiled, nodeName) {
      for (const plugin of plugins) {
        const answer = plugin.reserve?.(compiled, nodeName);
        if (answer?.ok !== false) continue;
        unreserve(compiled, nodeName);
        return answer;
      }
      return undefined;
    },

    async bind(compiled, nodeName) {
      const pod = compiled.pod as Stored<Pod>;
      if (preBinding.length > 0) {
        const message = await preBind(compiled, nodeName);
        if (message !== undefined) return { bound: false, settled: false, message };
      }
      try {
        await client.bind({ ...keyOf(pod), uid: pod.metadata.uid }, nodeName);
        return BOUND;
      } catch (error) {
        if (signal.aborted) throw error;
        if (isStatus(error, 'NotFound')) return SETTLED;
        return lookUp(pod, nodeName, error);
      }
    },
  };
}

const failed = (error: unknown): Binding => ({
  bound: false,
  settled: false,
  message: `running Bind plugin "DefaultBinder": ${messageOf(error)}`,
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
