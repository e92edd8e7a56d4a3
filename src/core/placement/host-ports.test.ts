import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContainerPort, PodSpec } from '../api/types/core-v1.ts';
import { firstConflict, type HostPort, hostPortNo, hostPortsOf, occupy, type UsedPorts } from './host-ports.ts';

const spec = (ports: ContainerPort[], more: Partial<PodSpec> = {}): PodSpec => ({
  containers: [{ name: 'main', ports }],
  ...more,
});
const port = fc.record(
  {
    containerPort: fc.constant(80),
    hostPort: fc.constantFrom(0, 80, 443),
    protocol: fc.constantFrom('', 'TCP', 'UDP'),
    hostIP: fc.constantFrom('', '0.0.0.0', '10.0.0.1', '10.0.0.2', '::'),
  },
  { requiredKeys: ['containerPort'] },
);

/** Two ports collide when number and protocol agree and the addresses are equal or one of them is "any". */
function collide(a: ContainerPort, b: ContainerPort): boolean {
  if (!a.hostPort || !b.hostPort || a.hostPort !== b.hostPort) return false;
  if ((a.protocol || 'TCP') !== (b.protocol || 'TCP')) return false;
  const [x, y] = [a.hostIP || '0.0.0.0', b.hostIP || '0.0.0.0'];
  return x === y || x === '0.0.0.0' || y === '0.0.0.0';
}

describe('host ports', () => {
  it('collide exactly when number, protocol and address do', () => {
    fc.assert(
      fc.property(fc.array(port, { maxLength: 5 }), fc.array(port, { maxLength: 3 }), (present, wanted) => {
        const used: UsedPorts = new Map();
        occupy(used, hostPortsOf(spec(present)), 1);
        const expected = wanted.some((want) => present.some((have) => collide(want, have)));
        expect(firstConflict(used, hostPortsOf(spec(wanted))) !== undefined).toBe(expected);
      }),
    );
  });

  it('are free again when the last of several holders has left, not the first', () => {
    fc.assert(
      fc.property(fc.array(fc.array(port, { maxLength: 3 }), { maxLength: 5 }), (pods) => {
        const used: UsedPorts = new Map();
        for (const ports of pods) occupy(used, hostPortsOf(spec(ports)), 1);
        pods.forEach((ports, index) => {
          occupy(used, hostPortsOf(spec(ports)), -1);
          const fresh: UsedPorts = new Map();
          for (const rest of pods.slice(index + 1)) occupy(fresh, hostPortsOf(spec(rest)), 1);
          expect(used).toEqual(fresh);
        });
        expect(used.size).toBe(0);
      }),
    );
  });

  it('of sidecars count, those of init containers that end do not', () => {
    const ports = [{ containerPort: 1, hostPort: 1 }];
    expect(hostPortsOf(spec([], { initContainers: [{ name: 'setup', ports }] }))).toEqual([]);
    expect(hostPortsOf(spec([], { initContainers: [{ name: 'side', restartPolicy: 'Always', ports }] }))).toEqual([
      { ip: '0.0.0.0', slot: 'TCP/1' },
    ]);
  });

  it('are named in the refusal', () => {
    const taken: HostPort = { ip: '10.0.0.1', slot: 'UDP/53' };
    expect(hostPortNo(taken, 'n1')).toMatchObject({
      message: "node(s) didn't have free ports for the requested pod ports",
      preemptionHelps: true,
      fix: 'choose another hostPort than UDP/53 on 10.0.0.1, or free it on `n1`',
    });
  });
});
