import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, NodeCondition } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import {
  type Health,
  heartbeatLease,
  type LeaseSign,
  observe,
  observeLease,
  unknownConditions,
} from './node-health.ts';

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
  const look = fc.record({
    wait: fc.integer({ min: 0, max: 30 }),
    renewTime: fc.constantFrom(undefined, 'a', 'b', 'c'),
    heartbeat: fc.constantFrom('x', 'y'),
  });

  it('are whatever moves in the status or in the Lease, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(look, { minLength: 1, maxLength: 20 }), (looks) => {
        let health: Health | undefined;
        let sign: LeaseSign | undefined;
        let before: (typeof looks)[number] | undefined;
        let now = 0;
        let alive = 0;
        for (const each of looks) {
          now += each.wait;
          const seen = node([{ type: 'Ready', status: 'True', lastHeartbeatTime: each.heartbeat }]);
          const current = (sign = observeLease(sign, each.renewTime, now));
          health = observe(health, seen, now, () => current);
          const isRenewed = each.renewTime !== undefined && each.renewTime !== before?.renewTime;
          if (before === undefined || before.heartbeat !== each.heartbeat || isRenewed) alive = now;
          expect(Math.max(health.aliveAt, current.aliveAt)).toBe(alive);
          before = each;
        }
      }),
    );
  });

  it('are remembered when a node changes its Lease: it was alive until then', () => {
    const simulated = (value: string) => node([], { annotations: { 'everynode.dev/simulated': value } });
    const signOf = (lease: string): LeaseSign =>
      lease === 'n' ? observeLease(undefined, undefined, 0) : { renewTime: 'r', aliveAt: 90 };
    const first = observe(undefined, simulated('true'), 10, signOf);
    expect(observe(first, simulated('true'), 100, signOf)).toBe(first);
    expect(observe(first, simulated('false'), 100, signOf)).toMatchObject({ lease: 'n', aliveAt: 90 });
  });

  it('begin anew with another node of the same name', () => {
    const silence = (): LeaseSign => observeLease(undefined, undefined, 0);
    const first = observe(undefined, node([]), 10, silence);
    expect(observe(first, node([], { uid: 'other' }), 50, silence).aliveAt).toBe(50);
  });

  it('are not in a Lease that went away', () => {
    const seen = observeLease(undefined, 'a', 5);
    expect(observeLease(seen, undefined, 9)).toEqual({ renewTime: undefined, aliveAt: 5 });
    expect(observeLease(seen, 'b', 9).aliveAt).toBe(9);
    expect(observeLease(seen, 'a', 9)).toBe(seen);
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
