import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Container, Pod, PodSpec } from '../api/types/core-v1.ts';
import { isScalarResource, leastAllocatedRequests, requestsOfPod, requestsOfSpec } from './requests.ts';
import { toAmount } from './resource-amounts.ts';

const MI = 1024 * 1024;
const container = (
  requests: { [name: string]: string | number } | undefined,
  more: Partial<Container> = {},
): Container => ({
  name: 'c',
  ...(requests === undefined ? {} : { resources: { requests } }),
  ...more,
});
const sidecar: Partial<Container> = { restartPolicy: 'Always' };

describe('what a pod requests', () => {
  /** Thousandths of a core in micro-units, so that rounding shows. */
  const cpu = fc.nat(5_000_000);
  const kind = fc.constantFrom('main', 'init', 'sidecar');

  it('is the larger of everything that runs together and any init container with the sidecars before it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(kind, cpu), { maxLength: 8 }), fc.nat(1_000_000), (parts, overhead) => {
        const initContainers = parts
          .filter(([which]) => which !== 'main')
          .map(([which, micro]) => container({ cpu: `${micro}u` }, which === 'sidecar' ? sidecar : {}));
        const containers = parts
          .filter(([which]) => which === 'main')
          .map(([, micro]) => container({ cpu: `${micro}u` }));

        const inits = parts.filter(([which]) => which !== 'main');
        let peak = 0;
        inits.forEach(([which, micro], index) => {
          const before = inits.slice(0, index).filter(([each]) => each === 'sidecar');
          const running = before.reduce((sum, [, each]) => sum + each, 0);
          peak = Math.max(peak, running + micro);
          expect(['init', 'sidecar']).toContain(which);
        });
        const together = parts.filter(([which]) => which !== 'init').reduce((sum, [, micro]) => sum + micro, 0);
        const expected = Math.ceil((Math.max(together, peak) + overhead) / 1000);

        const requests = requestsOfSpec({ containers, initContainers, overhead: { cpu: `${overhead}u` } });
        expect(requests.cpu).toBe(expected);
      }),
    );
  });

  it.each<[string, PodSpec, object]>([
    ['nothing', { containers: [container(undefined)] }, { cpu: 0, memory: 0, nothing: true }],
    ['numbers as well as text', { containers: [container({ cpu: 2, memory: 1024 })] }, { cpu: 2000, memory: 1024 }],
    ['sums before rounding', { containers: [container({ cpu: '500u' }), container({ cpu: '500u' })] }, { cpu: 1 }],
    ['fractions of a byte up', { containers: [container({ memory: '100500m' })] }, { memory: 101 }],
    [
      'pod-level instead of containers',
      { containers: [container({ cpu: '3', memory: '1Gi' })], resources: { requests: { cpu: '1' } } },
      { cpu: 1000, memory: 1024 * MI },
    ],
    [
      'pod-level says nothing of extended resources',
      { containers: [container({ 'example.com/gpu': '1' })], resources: { requests: { 'example.com/gpu': '9' } } },
      { scalars: new Map([['example.com/gpu', 1]]) },
    ],
    [
      'overhead on top of pod-level',
      { containers: [], resources: { requests: { cpu: '1' } }, overhead: { cpu: '100m' } },
      { cpu: 1100 },
    ],
    [
      'names the scheduler does not know',
      { containers: [container({ pods: '5', strange: '1' })] },
      { nothing: true, scalars: new Map() },
    ],
    [
      'hugepages',
      { containers: [container({ 'hugepages-2Mi': '4Mi' })] },
      { scalars: new Map([['hugepages-2Mi', 4 * MI]]), nothing: false },
    ],
  ])('%s', (_, spec, expected) => {
    expect(requestsOfSpec(spec)).toMatchObject(expected);
  });

  it('stays exact beyond what a double holds', () => {
    const { memory } = requestsOfSpec({
      containers: [container({ memory: '9007199254740993' }), container({ memory: '1' })],
    });
    expect(memory).toBe(9007199254740994n);
  });

  it('counts what cannot be read as nothing rather than failing', () => {
    expect(requestsOfSpec({ containers: [container({ cpu: 'lots' })] }).cpu).toBe(0);
  });

  it('is worked out once for pods that share their containers, and again when anything else differs', () => {
    const containers = [container({ cpu: '1' })];
    const first = requestsOfSpec({ containers });
    expect(requestsOfSpec({ containers, nodeName: 'a' })).toBe(first);
    expect(requestsOfSpec({ containers, overhead: { cpu: '1' } }).cpu).toBe(2000);
    expect(requestsOfSpec({ containers }).cpu).toBe(1000);
  });
});

describe('stand-ins for containers that request nothing', () => {
  it('are 100m and 200Mi for each container, unless it says zero', () => {
    const { nonZeroCpu, nonZeroMemory } = requestsOfSpec({
      containers: [container(undefined), container({ cpu: '0' }), container({ memory: '1Mi' })],
    });
    expect([nonZeroCpu, nonZeroMemory]).toEqual([200, 401 * MI]);
  });

  it('are left out where pod-level requests name the resource', () => {
    const spec: PodSpec = { containers: [container(undefined)], resources: { requests: { cpu: '2' } } };
    expect(requestsOfSpec(spec)).toMatchObject({ nonZeroCpu: 2000, nonZeroMemory: 200 * MI });
  });

  it('do not know pod-level requests when LeastAllocated asks', () => {
    const list = leastAllocatedRequests({ containers: [container(undefined)], resources: { requests: { cpu: '2' } } });
    const cpu = list.get('cpu');
    expect(cpu && toAmount('cpu', cpu)).toBe(100);
  });
});

describe('a pod being resized in place', () => {
  const pod = (status: Pod['status']): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [container({ cpu: '1' })], resources: { requests: { cpu: '1', memory: '1Mi' } } },
    ...(status === undefined ? {} : { status }),
  });
  const reported = { name: 'c', ready: true, restartCount: 0, image: '', imageID: '' };

  it('counts the most of what is wanted, allocated and in effect', () => {
    const { resources: _, ...spec } = pod(undefined).spec;
    const resized = (status: Pod['status']) => requestsOfPod({ ...pod(status), spec }).cpu;
    const containerStatuses = [
      { ...reported, resources: { requests: { cpu: '3' } }, allocatedResources: { cpu: '2' } },
    ];
    expect(resized({ containerStatuses })).toBe(3000);
    expect(resized({ containerStatuses: [{ ...reported, resources: { requests: { cpu: '500m' } } }] })).toBe(1000);
    const infeasible = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }];
    expect(
      resized({
        containerStatuses: [{ ...reported, resources: { requests: { cpu: '500m' } } }],
        conditions: infeasible,
      }),
    ).toBe(500);
    expect(resized({ containerStatuses: [reported] })).toBe(1000);
  });

  it('does so for pod-level requests too', () => {
    expect(requestsOfPod(pod({ resources: { requests: { cpu: '4' } }, allocatedResources: { cpu: '2' } })).cpu).toBe(
      4000,
    );
  });
});

describe('names of resources', () => {
  it.each([
    ['example.com/gpu', true],
    ['hugepages-1Gi', true],
    ['attachable-volumes-csi-x', true],
    ['kubernetes.io/batch', true],
    ['requests.example.com/gpu', false],
    ['cpu', false],
    ['pods', false],
    ['gpu', false],
    ['bad name/x y', false],
  ])('%s counts: %s', (name, expected) => {
    expect(isScalarResource(name)).toBe(expected);
  });
});
