import { describe, expect, it } from 'vitest';
import { StatusError } from '../../core/kube/status-error.ts';
import { createServerProbe } from './health-probe.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';

describe('the probe of an API server', () => {
  it.each([
    ['an answer', () => Promise.resolve({}), true],
    ['a refusal', () => Promise.reject(new StatusError(403, 'Forbidden', 'no')), true],
    ['no answer', () => Promise.reject(new StatusError(503, 'ServiceUnavailable', 'no')), false],
    ['an error of the network', () => Promise.reject(new Error('no')), false],
  ] as const)('takes %s for what it is', async (_what, ask, ok) => {
    const clock = createVirtualClock();
    const probe = createServerProbe(clock, ask);
    expect(probe.check().ok).toBe(false);
    const stop = new AbortController();
    const done = probe.start(stop.signal);
    await clock.drain();
    expect(probe.check().ok).toBe(ok);
    stop.abort();
    await done;
    expect(clock.pendingTimers).toBe(0);
  });

  it('notices a server that goes silent, says since when, and that it is back', async () => {
    const clock = createVirtualClock();
    let isSilent = false;
    const probe = createServerProbe(clock, (signal) =>
      isSilent
        ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
        : Promise.resolve(),
    );
    void probe.start(new AbortController().signal);
    await clock.advance(12_000);
    expect(probe.check()).toEqual({ ok: true });
    isSilent = true;
    await clock.advance(60_000);
    expect(probe.check().ok).toBe(false);
    expect(probe.check().says).toMatch(/^no answer for 6\d s$/);
    isSilent = false;
    await clock.advance(10_000);
    expect(probe.check()).toEqual({ ok: true });
  });
});
