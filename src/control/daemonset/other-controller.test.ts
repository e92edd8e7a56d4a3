import { describe, expect, it } from 'vitest';
import type { Lease } from '../../core/api/types/coordination-v1.ts';
import { forbiddenRequest, notFound, serviceUnavailable } from '../../core/kube/status-error.ts';
import { formatMicroTime } from '../../core/kube/time.ts';
import type { Client } from '../../machinery/client/client.ts';
import { createSeededRandom } from '../../machinery/random/seeded-random.ts';
import { createVirtualClock } from '../../machinery/time/virtual-clock.ts';
import { refuseBesideAnother } from './other-controller.ts';

const WHAT = { group: 'coordination.k8s.io', resource: 'leases' };

/** The outcome of the check while the server gives these answers, one after the other; the last one for ever. */
async function asked(answers: readonly (Error | Lease)[], signal = new AbortController().signal): Promise<string> {
  const clock = createVirtualClock();
  let turn = 0;
  const get = (): Promise<Lease> => {
    const answer = answers[Math.min(turn++, answers.length - 1)];
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as Lease);
  };
  let outcome = 'waits';
  refuseBesideAnother({ get } as unknown as Client, clock, createSeededRandom(1), signal).then(
    () => (outcome = 'starts'),
    (error: unknown) => (outcome = (error as Error).message),
  );
  await clock.advance(60_000);
  return outcome;
}

const lease = (renewedAgoMs: number): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'kube-controller-manager' },
  spec: { holderIdentity: 'them', renewTime: formatMicroTime(createVirtualClock().now() - renewedAgoMs) },
});

describe('the controller beside another', () => {
  it('does not start', async () => {
    expect(await asked([lease(1_000)])).toContain('kube-controller-manager (them)');
  });

  it('starts where nobody acts, or nobody acts any more', async () => {
    expect(await asked([notFound(WHAT, 'x')])).toBe('starts');
    expect(await asked([lease(60_000)])).toBe('starts');
  });

  it('asks again while the API server cannot answer', async () => {
    const busy = serviceUnavailable('busy');
    expect(await asked([busy, busy, notFound(WHAT, 'x')])).toBe('starts');
    expect(await asked([busy])).toBe('waits');
  });

  it('does not guess where it may not ask', async () => {
    expect(await asked([forbiddenRequest(WHAT, 'x', 'no')])).toContain('forbidden');
  });
});
