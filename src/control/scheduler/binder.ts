/**
 * Binds pods through the API, many at a time, while the next pods are decided. A binding whose answer was lost is looked up,
 * because the pod may well be bound.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus, StatusError } from '../../core/kube/status-error.ts';
import type { CompiledPod } from '../../core/placement/compiled-pod.ts';
import type { Binding } from '../../core/placement/plugin.ts';
import { createBackoff } from '../../machinery/time/backoff.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { Random } from '../../machinery/random/random.ts';

export interface Binder {
  /** Never rejects, unless the signal fires. */
  bind(compiled: CompiledPod, nodeName: string): Promise<Binding>;
}

export interface BinderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

const SETTLED: Binding = { bound: false, settled: true };
const BOUND: Binding = { bound: true };
const LOOK_UP = { initialMs: 500, maxMs: 10_000, factor: 2, jitter: 0.5, resetAfterMs: 60_000 };

export function createBinder({ client, clock, random, signal }: BinderOptions): Binder {
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
    async bind(compiled, nodeName) {
      const pod = compiled.pod as Stored<Pod>;
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
