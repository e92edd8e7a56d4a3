import { describe, expect, it } from 'vitest';
import { faultsOf, planConformance } from './conformance-plan.ts';

describe('the plan of what is asked', () => {
  it('takes what is ours, tells who wants the cluster alone, and leaves the rest of the world out', () => {
    const daemons = '[sig-apps] Daemon set [Serial] should run and stop simple daemon [Conformance]';
    const leases = '[sig-node] Lease lease API should be available [Conformance]';
    const { chosen, unfit } = planConformance([leases, daemons, daemons, '[sig-windows] DNS should support x']);
    expect(chosen).toEqual([
      { name: daemons, isSerial: true, isCore: true },
      { name: leases, isSerial: false, isCore: true },
    ]);
    expect(unfit).toEqual([]);
  });

  it('gives a reason for each case of ours that cannot be asked', () => {
    const off = '[sig-apps] Job should x [FeatureGate:A] [Alpha] [Feature:OffByDefault]';
    const { chosen, unfit } = planConformance([off]);
    expect(chosen).toEqual([]);
    expect(unfit).toEqual([{ name: off, reason: expect.stringMatching(/feature/) }]);
  });

  it('faults what failed and nobody knew of', () => {
    const seen = { seconds: 1, reason: 'because' };
    const failed = { ...seen, name: 'a', outcome: 'failed' } as const;
    const passed = { ...seen, name: 'b', outcome: 'passed' } as const;
    expect(faultsOf([failed, passed, { ...seen, name: 'c', outcome: 'skipped' }])).toEqual(['a: because']);
  });
});
