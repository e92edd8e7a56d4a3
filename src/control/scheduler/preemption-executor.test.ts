import { describe, expect, it } from 'vitest';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { createClusterState } from '../../core/placement/cluster-state.ts';
import { recordOf } from '../../core/placement/pod-record.ts';
import type { Client } from '../../machinery/client/client.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import type { Lister } from '../../machinery/cache/object-store.ts';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import { createPreemptionExecutor } from './preemption-executor.ts';
import { nodeOf, podOf } from './testing/scheduler-harness.ts';

/** Carries out a preemption of these victims, where a lesser pod was promised the node; answers what was done. */
async function preempt(...victims: Stored<Pod>[]): Promise<string[]> {
  const done: string[] = [];
  const cluster = createClusterState();
  cluster.setNode(nodeOf('a'));
  cluster.nominate(podOf('lesser', { priority: 5 }), 'a');
  const client = {
    patch: async (_: unknown, { name }: { name: string }) => void done.push(`marks ${name}`),
    delete: async (_: unknown, { name }: { name: string }) => void done.push(`deletes ${name}`),
  } as unknown as Client;
  const pods = { get: (name: string) => victims.find((pod) => pod.metadata.name === name) } as unknown as Lister<Pod>;
  const executor = createPreemptionExecutor({
    client,
    clock: createVirtualClock(),
    logger: silentLogger,
    events: { event: (_, { reason }) => void done.push(reason) },
    cluster,
    pods,
    withdraw: (pod) => void done.push(`takes back what ${pod.metadata.name} was promised`),
  });
  const found = { nodeName: 'a', pods: victims.map((pod) => recordOf(pod)), budgetViolations: 0 };
  await executor.run(podOf('winner', { priority: 9 }), found, new AbortController().signal);
  return done;
}

const leaving = (name: string): Stored<Pod> => {
  const pod = podOf(name);
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
};

describe('a preemption that is carried out', () => {
  it('takes promises of lesser pods back, then marks, deletes and tells of each victim', async () => {
    expect(await preempt(podOf('v'))).toEqual([
      'takes back what lesser was promised',
      'marks v',
      'deletes v',
      'Preempted',
    ]);
  });

  it('leaves alone who leaves already', async () => {
    expect(await preempt(leaving('gone'), podOf('v'))).not.toContain('deletes gone');
  });

  it('does nothing where all leave already: whoever they leave for keeps its promise', async () => {
    expect(await preempt(leaving('v'))).toEqual([]);
  });
});
