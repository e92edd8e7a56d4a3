import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, NodeCondition } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { type Health, heartbeatLease, observe, unknownConditions } from './node-health.ts';

const node = (conditions: readonly NodeCondition[], more: object = {}): Stored<Node> => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...more },
  spec: {},
  status: { conditions },
});

describe('the Lease that is a heartbeat', () => {
  it('is the one of its own name, or what a simulated node says', () => {
    const annotated = (annotations: object) => heartbeatLease(node([], { annotations }));
    expect(heartbeatLease(node([]))).toBe('n');
    expect(annotated({ 'everynode.dev/simulated': 'true' })).toBe('everynode-fleet');
    expect(annotated({ 'everynode.dev/simulated': 'true', 'everynode.dev/heartbeat-lease': 'other' })).toBe('other');
    expect(annotated({ 'everynode.dev/simulated': 'false', 'everynode.dev/heartbeat-lease': 'other' })).toBe('n');
  });
});

describe('signs of life', () => {
  it('are whatever moves, and nothing else', () => {
    const look = fc.record({
      wait: fc.integer({ min: 0, max: 30 }),
      renewTime: fc.constantFrom(undefined, 'a', 'b', 'c'),
      heartbeat: fc.constantFrom('x', 'y'),
    });
    fc.assert(
      fc.property(fc.array(look, { minLength: 1, maxLength: 20 }), (looks) => {
        let health: Health | undefined;
        let now = 0;
        let alive = 0;
        let before: { renewTime: string | undefined; heartbeat: string } | undefined;
        for (const { wait, renewTime, heartbeat } of looks) {
          now += wait;
          const seen = node([{ type: 'Ready', status: 'True', lastHeartbeatTime: heartbeat }]);
          health = observe(health, seen, renewTime, now);
          const moved =
            before === undefined ||
            before.heartbeat !== heartbeat ||
            (renewTime !== undefined && renewTime !== before.renewTime);
          if (moved) alive = now;
          expect(health.aliveAt).toBe(alive);
          before = { renewTime, heartbeat };
        }
      }),
    );
  });

  it('begin anew with another node of the same name', () => {
    const first = observe(undefined, node([]), undefined, 10);
    expect(observe(first, node([], { uid: 'other' }), undefined, 50).aliveAt).toBe(50);
  });
});

describe('a node nobody hears', () => {
  it('is unknown in all that a kubelet vouches for, and in nothing else', () => {
    const status = fc.constantFrom('True', 'False', 'Unknown');
    const types = fc.subarray([
      'Ready',
      'MemoryPressure',
      'DiskPressure',
      'PIDPressure',
      'NetworkUnavailable',
      'Other',
    ]);
    fc.assert(
      fc.property(types, fc.array(status, { minLength: 6, maxLength: 6 }), (present, statuses) => {
        const each = node(present.map((type, i) => ({ type, status: statuses[i] ?? 'True' })));
        const next = unknownConditions(each, 'now');
        for (const { type, status: is } of next) {
          const before = each.status?.conditions?.find((old) => old.type === type);
          if (type === 'NetworkUnavailable' || type === 'Other') expect(is).toBe(before?.status);
          else expect(is).toBe('Unknown');
        }
        expect(next.length).toBe(new Set([...present, 'Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']).size);
        expect(unknownConditions(node(next), 'later')).toBe(next);
      }),
    );
  });
});
