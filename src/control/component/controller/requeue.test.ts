import { describe, expect, it } from 'vitest';
import type { Stored } from '../../../core/kube/objects.ts';
import { backOff, isFought, MOST_CORRECTIONS } from './requeue.ts';
import { trackComponent } from './tracked-component.ts';

const object = (generation: number): Stored => ({
  apiVersion: 'kubernetes.everynode.dev/v1',
  kind: 'KubernetesDaemonSet',
  metadata: { name: 'agent', namespace: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '', generation },
});
const tracked = () => trackComponent('g/a/agent', 'u');

describe('backing off', () => {
  it('doubles with every failure in a row, up to five minutes', () => {
    const component = tracked();
    const delays = Array.from({ length: 11 }, () => backOff(component, object(1)).requeueAfterMs);
    expect(delays.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(delays.at(-1)).toBe(300_000);
  });

  it('starts again with a new generation of the spec', () => {
    const component = tracked();
    backOff(component, object(1));
    backOff(component, object(1));
    expect(backOff(component, object(2)).requeueAfterMs).toBe(1_000);
  });
});

describe('corrections', () => {
  const corrected = (times: readonly number[]) => ({ ...tracked(), corrections: times, correctedGeneration: 1 });
  const often = Array.from({ length: MOST_CORRECTIONS }, (_, index) => index * 1_000);

  it('of one generation are too many when there are ten within a minute', () => {
    expect(isFought(corrected(often), object(1), 10_000)).toBe(true);
    expect(isFought(corrected(often.slice(1)), object(1), 10_000)).toBe(false);
  });

  it('are forgotten after a minute, and when the spec changes', () => {
    expect(isFought(corrected(often), object(1), 60_000)).toBe(false);
    expect(isFought(corrected(often), object(2), 10_000)).toBe(false);
  });
});
