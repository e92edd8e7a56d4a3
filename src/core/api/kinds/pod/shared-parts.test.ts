/** Pods that share parts with earlier ones are judged by memory. It must never change the verdict. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../../kube/immutable.ts';
import type { Container, Pod, PodSpec, Toleration, Volume } from '../../types/core-v1.ts';
import { defaultTemplate, podSpecFromTemplate } from './defaults/default-spec.ts';
import { podStrategy } from './strategy.ts';

const podOf = (spec: PodSpec, name = 'pod'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec,
});

const judge = (pod: Pod): readonly string[] =>
  podStrategy
    .validate(podStrategy.prepareForCreate(podStrategy.defaults(pod)))
    .map((error) => `${error.field}: ${error.message}`);

/** The findings for a deep copy of the pod, which shares no part with any other pod. */
const judgeAlone = (pod: Pod): readonly string[] => judge(structuredClone(pod));

const TEMPLATE = deepFreeze({
  metadata: { name: '', labels: { app: 'agent' } },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'agent',
        resources: { limits: { cpu: '0.5' } },
        volumeMounts: [{ name: 'log', mountPath: '/log' }],
      },
    ],
    volumes: [{ name: 'log', hostPath: { path: '/var/log' } }],
  },
} satisfies { metadata: Pod['metadata']; spec: PodSpec });

describe('a defaulted template', () => {
  it('is left alone by a second defaulting', () => {
    const once = defaultTemplate(TEMPLATE);
    expect(defaultTemplate(once)).toBe(once);
    expect(defaultTemplate(TEMPLATE)).toBe(once);
  });

  it('leaves to pods what only pods get', () => {
    const spec = defaultTemplate(TEMPLATE).spec as PodSpec;
    expect(spec.enableServiceLinks).toBeUndefined();
    expect(spec.containers[0]?.resources?.requests).toBeUndefined();
  });

  it('gives every pod made from it the same parts', () => {
    const spec = podSpecFromTemplate(defaultTemplate(TEMPLATE).spec as PodSpec);
    const first = podStrategy.defaults(podOf({ ...spec, nodeName: 'a' }));
    const second = podStrategy.defaults(podOf({ ...spec, nodeName: 'b' }));
    expect(first.spec.containers).toBe(second.spec.containers);
    expect(first.spec.containers[0]?.resources).toEqual({ limits: { cpu: '500m' }, requests: { cpu: '500m' } });
    expect(first.spec.volumes).toBe(second.spec.volumes);
    expect(podSpecFromTemplate(spec)).toBe(spec);
  });

  it('makes pods that need no defaulting at all', () => {
    const pod = podOf({ ...podSpecFromTemplate(defaultTemplate(TEMPLATE).spec as PodSpec), nodeName: 'a' });
    expect(podStrategy.defaults(pod)).toBe(pod);
  });

  it('gives pods on the host network ports of the host, others not', () => {
    const containers: readonly Container[] = deepFreeze([{ name: 'c', image: 'x:1', ports: [{ containerPort: 80 }] }]);
    for (let round = 0; round < 3; round++) {
      const host = podStrategy.defaults(podOf({ containers, hostNetwork: true }));
      const own = podStrategy.defaults(podOf({ containers }));
      expect(host.spec.containers[0]?.ports?.[0]?.hostPort).toBe(80);
      expect(own.spec.containers[0]?.ports?.[0]?.hostPort).toBeUndefined();
    }
  });
});

describe('a pod that shares its containers with fine ones', () => {
  const fineSpec = podSpecFromTemplate(defaultTemplate(TEMPLATE).spec as PodSpec);
  const warmUp = (): void => {
    for (let round = 0; round < 3; round++) expect(judge(podOf({ ...fineSpec }))).toEqual([]);
  };

  it.each<[string, Partial<PodSpec>]>([
    ['other volumes', { volumes: [{ name: 'other', emptyDir: {} }] }],
    ['no volumes', { volumes: [] }],
    ['a bad node name', { nodeName: 'Node_1' }],
    ['a bad host name', { hostname: 'A.b' }],
    ['a bad restart policy', { restartPolicy: 'Sometimes' }],
    ['a bad toleration', { tolerations: [{ key: 'a b' }] }],
    ['init containers of the same name', { initContainers: [{ name: 'main', image: 'x' }] }],
    [
      'bad affinity',
      { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    ],
    ['another system', { os: { name: 'plan9' } }],
    ['a bad deadline', { activeDeadlineSeconds: 0 }],
    ['a claim nobody knows', { resourceClaims: [{ name: 'x' }] }],
  ])('is refused for %s', (_what, change) => {
    warmUp();
    const pod = podOf({ ...fineSpec, ...change });
    expect(judge(pod)).not.toEqual([]);
    expect(judge(pod)).toEqual(judgeAlone(pod));
  });

  it('is refused where its name makes a bad claim', () => {
    const volumes: readonly Volume[] = deepFreeze([
      {
        name: 'scratch',
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        },
      },
    ]);
    const spec = deepFreeze({ containers: [{ name: 'c', image: 'x:1' }], volumes });
    for (let round = 0; round < 3; round++) expect(judge(podOf(spec))).toEqual([]);
    expect(judge(podOf(spec, 'n'.repeat(250)))).toHaveLength(1);
  });
});

const containerLists: readonly (readonly Container[])[] = deepFreeze([
  [{ name: 'a', image: 'x' }],
  [{ name: 'a', image: 'x', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
  [{ name: 'a', image: 'x', ports: [{ containerPort: 80, hostPort: 81 }] }],
  [{ name: 'a', image: ' x', resources: { claims: [{ name: 'claim' }] } }],
  [{ name: 'a', image: 'x', lifecycle: { preStop: { sleep: { seconds: 20 } } } }],
  [{ name: 'a', image: 'x', securityContext: { procMount: 'Unmasked' } }],
  [{ name: 'a', image: 'x', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }],
  [{ name: 'Bad', image: '' }],
]);
const volumeLists: readonly (readonly Volume[] | undefined)[] = [
  undefined,
  ...deepFreeze([[{ name: 'v' }], [{ name: 'V' }], [{ name: 'v', secret: {} }]]),
];
const tolerationLists: readonly (readonly Toleration[] | undefined)[] = [
  undefined,
  ...deepFreeze([[{ operator: 'Exists' }], [{ key: 'a', operator: 'Lt', value: '1' }]]),
];

const specs = fc
  .record({
    containers: fc.constantFrom(...containerLists),
    initContainers: fc.option(fc.constantFrom(...containerLists), { nil: undefined }),
    volumes: fc.constantFrom(...volumeLists),
    tolerations: fc.constantFrom(...tolerationLists),
    hostNetwork: fc.constantFrom(undefined, true),
    hostUsers: fc.constantFrom(undefined, false),
    restartPolicy: fc.constantFrom(undefined, 'Never', 'Bad'),
    terminationGracePeriodSeconds: fc.constantFrom(undefined, 5, 60, -1),
    nodeName: fc.constantFrom(undefined, 'n', 'N_'),
    resourceClaims: fc.constantFrom(undefined, deepFreeze([{ name: 'claim', resourceClaimName: 'x' }])),
    os: fc.constantFrom(undefined, deepFreeze({ name: 'linux' }), deepFreeze({ name: 'windows' })),
  })
  .map(
    (spec) => Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)) as unknown as PodSpec,
  );

describe('judging by memory', () => {
  it('says the same as judging from scratch, whatever was judged before', () => {
    fc.assert(
      fc.property(fc.array(specs, { minLength: 1, maxLength: 8 }), (sequence) => {
        for (const spec of sequence) {
          const pod = podOf(spec);
          expect(judge(pod)).toEqual(judgeAlone(pod));
          expect(podStrategy.defaults(pod)).toEqual(podStrategy.defaults(structuredClone(pod)));
        }
      }),
      { numRuns: 150 },
    );
  });
});
