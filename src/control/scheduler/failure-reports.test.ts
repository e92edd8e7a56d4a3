import { describe, expect, it } from 'vitest';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { EventNote } from '../../machinery/events/event-recorder.ts';
import { createFailureReports } from './failure-reports.ts';

const MESSAGE = '0/1 nodes are available: 1 Insufficient cpu.';

const waiting = (message?: string): Stored<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { containers: [] },
  ...(message === undefined
    ? {}
    : { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] } }),
});

function reports() {
  const notes: EventNote[] = [];
  const made = createFailureReports({
    events: { event: (_, note) => void notes.push(note) },
    statuses: { write: () => undefined, forget: () => undefined, stop: () => Promise.resolve() },
    nominations: { set: () => undefined } as never,
  });
  return { notes, made };
}

describe('what people hear of a pod that waits', () => {
  it('is told when it is news', () => {
    const { notes, made } = reports();
    made.unschedulable(waiting(), MESSAGE, undefined);
    made.unschedulable(waiting('0/1 nodes are available: 1 Too many pods.'), MESSAGE, undefined);
    expect(notes.map(({ note }) => note)).toEqual([MESSAGE, MESSAGE]);
  });

  it('is not told again while nothing changes, so that a quiet cluster stays quiet', () => {
    const { notes, made } = reports();
    made.unschedulable(waiting(MESSAGE), MESSAGE, undefined);
    expect(notes).toEqual([]);
  });

  it('is told when a failure of another kind says the same words', () => {
    const { notes, made } = reports();
    made.error(waiting(MESSAGE), MESSAGE);
    expect(notes).toHaveLength(1);
  });
});
