import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../types/core-v1.ts';
import { podStrategy, validateBinding } from './strategy.ts';

const podOf = (spec: Partial<PodSpec> = {}, rest: Partial<Pod> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', creationTimestamp: '2026-01-02T03:04:05Z' },
  spec: { containers: [{ name: 'c', image: 'nginx:1' }], ...spec },
  ...rest,
});

const defaultsOf = (spec: Partial<PodSpec>): PodSpec => podStrategy.defaults(podOf(spec)).spec;
const volumeOf = (source: object): unknown => defaultsOf({ volumes: [{ name: 'v', ...source }] }).volumes?.[0];

describe('defaults that are empty values', () => {
  it.each<[string, object, object]>([
    ['a host path of any type', { hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
    ['an empty directory where no source is named', {}, { emptyDir: {} }],
    [
      'a writable azure disk',
      { azureDisk: { diskName: 'd', diskURI: 'u' } },
      {
        azureDisk: {
          diskName: 'd',
          diskURI: 'u',
          cachingMode: 'ReadWrite',
          fsType: 'ext4',
          readOnly: false,
          kind: 'Shared',
        },
      },
    ],
    [
      'files that everybody may read',
      { secret: { secretName: 's' } },
      { secret: { secretName: 's', defaultMode: 420 } },
    ],
    [
      'a mode of zero that was meant',
      { configMap: { name: 'c', defaultMode: 0 } },
      { configMap: { name: 'c', defaultMode: 0 } },
    ],
  ])('%s', (_what, source, expected) => {
    expect(volumeOf(source)).toEqual({ name: 'v', ...expected });
  });

  it('an unnamed grpc service and a required file', () => {
    const [container] = defaultsOf({
      containers: [
        {
          name: 'c',
          image: 'x:1',
          livenessProbe: { grpc: { port: 1 } },
          env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } } }],
        },
      ],
    }).containers;
    expect(container?.livenessProbe?.grpc).toEqual({ port: 1, service: '' });
    expect(container?.env?.[0]?.valueFrom?.fileKeyRef?.optional).toBe(false);
  });

  it('an empty security context, and a grace period of zero that was meant', () => {
    expect(defaultsOf({}).securityContext).toEqual({});
    expect(defaultsOf({ terminationGracePeriodSeconds: 0 }).terminationGracePeriodSeconds).toBe(0);
  });
});

describe('a new pod', () => {
  it.each<[string, PodSpec['containers'][number]['resources'], string]>([
    ['BestEffort', undefined, 'BestEffort'],
    ['Burstable', { requests: { cpu: '1' } }, 'Burstable'],
    ['Guaranteed', { limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
  ])('is pending, with the class %s', (_name, resources, qosClass) => {
    const pod = podOf(
      { containers: [{ name: 'c', image: 'x:1', ...(resources && { resources }) }] },
      { status: { phase: 'Running' } },
    );
    expect(podStrategy.prepareForCreate(podStrategy.defaults(pod)).status).toEqual({ phase: 'Pending', qosClass });
  });

  it('says when its gates stopped it', () => {
    const { status } = podStrategy.prepareForCreate(podOf({ schedulingGates: [{ name: 'g' }] }));
    expect(status?.conditions).toEqual([
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
        lastTransitionTime: '2026-01-02T03:04:05Z',
      },
    ]);
  });

  it('shares its status with others of its class', () => {
    const [a, b] = [podOf(), podOf()].map((pod) => podStrategy.prepareForCreate(pod).status);
    expect(a).toBe(b);
  });
});

describe('a change of a pod', () => {
  it('keeps what it may not touch by reference', () => {
    const old = podStrategy.defaults(podOf({}, { status: { phase: 'Running' } }));
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } }, status: { phase: 'Failed' } };
    const prepared = podStrategy.prepareForUpdate(labelled, old, '');
    expect(prepared.status).toBe(old.status);
    expect(prepared.spec).toBe(old.spec);
    expect(podStrategy.generationChanged(prepared, old)).toBe(false);
  });

  it('of its status leaves its spec alone', () => {
    const old = podStrategy.defaults(podOf());
    const report = { ...old, spec: { ...old.spec, hostNetwork: true }, status: { phase: 'Running' } };
    const prepared = podStrategy.prepareForUpdate(report, old, 'status');
    expect(prepared.spec).toBe(old.spec);
    expect(prepared.status?.phase).toBe('Running');
  });

  it('of its image is a new generation', () => {
    const old = podStrategy.defaults(podOf());
    const changed = podStrategy.defaults(podOf({ containers: [{ name: 'c', image: 'nginx:2' }] }));
    expect(podStrategy.generationChanged(changed, old)).toBe(true);
  });
});

describe('the grace of a deletion', () => {
  const grace = (spec: Partial<PodSpec>, asked: number | undefined, phase = 'Running'): number | undefined =>
    podStrategy.gracePeriod?.(podOf(spec, { status: { phase } }), asked);

  it.each<[string, number | undefined, number]>([
    ['is the pod’s own where none is asked for', undefined, 30],
    ['is what is asked for', 5, 5],
    ['can be none', 0, 0],
    ['is a second where it makes no sense', -3, 1],
  ])('%s', (_what, asked, expected) => {
    expect(grace({ nodeName: 'n', terminationGracePeriodSeconds: 30 }, asked)).toBe(expected);
  });

  it('is none for a pod that is on no node or has ended', () => {
    expect(grace({ terminationGracePeriodSeconds: 30 }, 10)).toBe(0);
    expect(grace({ nodeName: 'n', terminationGracePeriodSeconds: 30 }, 10, 'Succeeded')).toBe(0);
    expect(grace({ nodeName: 'n', terminationGracePeriodSeconds: 30 }, 10, 'Failed')).toBe(0);
  });
});

describe('a binding', () => {
  const bind = (target: object): readonly string[] =>
    validateBinding({ apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target }).map(
      ({ field, message }) => `${field}: ${message}`,
    );

  it('names a node', () => {
    expect(bind({ name: 'n' })).toEqual([]);
    expect(bind({ kind: 'Node', name: 'n' })).toEqual([]);
  });

  it('names nothing else', () => {
    expect(bind({ kind: 'Pod' })).toEqual([
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
      'target.name: Required value',
    ]);
  });
});
