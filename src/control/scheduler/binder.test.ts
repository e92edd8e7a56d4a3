import { describe, expect, it } from 'vitest';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { conflict, notFound, StatusError } from '../../core/kube/status-error.ts';
import { compilePodOnce } from '../../core/placement/compiled-pod.ts';
import type { Binding } from '../../core/placement/plugin.ts';
import type { Client } from '../../machinery/client/client.ts';
import { createSeededRandom } from '../../machinery/random/seeded-random.ts';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import { createBinder } from './binder.ts';
import { podOf } from './testing/scheduler-harness.ts';

const pod = podOf('p');
const compiled = compilePodOnce(pod);
const bound = (nodeName: string): Stored<Pod> => ({ ...pod, spec: { ...pod.spec, nodeName } });
const TIMED_OUT = new StatusError(504, 'Timeout', 'too late');

/** A server that answers the binding so, and the questions after it so, one after the other. */
async function bind(answer: Error | undefined, reads: readonly (Stored<Pod> | Error)[] = []): Promise<Binding> {
  const clock = createVirtualClock();
  let read = 0;
  const client = {
    bind: () => (answer === undefined ? Promise.resolve() : Promise.reject(answer)),
    get: () => {
      const found = reads[Math.min(read++, reads.length - 1)];
      return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
    },
  } as unknown as Client;
  const binder = createBinder({
    client,
    clock,
    random: createSeededRandom(1),
    signal: new AbortController().signal,
  });
  const result = binder.bind(compiled, 'a');
  await clock.runUntilIdle();
  return result;
}

describe('binding', () => {
  const what = { group: '', resource: 'pods' };
  it.each<[string, Error | undefined, (Stored<Pod> | Error)[], Binding]>([
    ['succeeds', undefined, [], { bound: true }],
    ['took effect although the answer was lost', TIMED_OUT, [bound('a')], { bound: true }],
    ['was overtaken by somebody else', conflict(what, 'p', 'taken'), [bound('b')], { bound: false, settled: true }],
    ['came too late', notFound(what, 'p'), [], { bound: false, settled: true }],
    [
      'found another pod of that name',
      TIMED_OUT,
      [{ ...pod, metadata: { ...pod.metadata, uid: 'x' } }],
      { bound: false, settled: true },
    ],
    ['found nobody', TIMED_OUT, [notFound(what, 'p')], { bound: false, settled: true }],
    ['is looked up until somebody answers', TIMED_OUT, [TIMED_OUT, TIMED_OUT, bound('a')], { bound: true }],
    [
      'did not happen',
      TIMED_OUT,
      [pod],
      { bound: false, settled: false, message: 'running Bind plugin "DefaultBinder": too late' },
    ],
  ])('%s', async (_, answer, reads, expected) => {
    expect(await bind(answer, reads)).toEqual(expected);
  });
});
