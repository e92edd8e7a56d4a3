/** Sample nodes, pods, daemons and placements for the tests of this room. */
import fc from 'fast-check';
import type { Node, Taint } from '../../api/types/core-v1.ts';
import { formatTime } from '../../kube/time.ts';
import type { DaemonSetDefinition } from '../daemon-pod-rules.ts';
import { compileEligibility } from '../eligibility.ts';
import type { PlacementSpec } from '../node-anchors.ts';
import { type DaemonPod, GENERATION_LABEL, REVISION_LABEL } from '../pod-child.ts';
import { pinnedTo } from '../daemon-pod.ts';

export interface NodeWish {
  readonly labels?: { readonly [key: string]: string };
  readonly taints?: readonly Taint[];
  readonly ready?: string;
  readonly unschedulable?: boolean;
}

export function makeNode(name: string, { labels, taints, ready, unschedulable }: NodeWish = {}): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `uid-of-${name}`, ...(labels === undefined ? {} : { labels }) },
    spec: { ...(taints === undefined ? {} : { taints }), ...(unschedulable === undefined ? {} : { unschedulable }) },
    status: ready === undefined ? {} : { conditions: [{ type: 'Ready', status: ready }] },
  };
}

export interface PodWish {
  readonly node: string;
  readonly uid: string;
  readonly version: number;
  readonly hash?: string;
  readonly generation?: string;
  readonly bound?: boolean;
  readonly byHostname?: boolean;
  readonly phase?: string;
  /** Epoch ms since which it is Ready. */
  readonly readySince?: number;
  readonly deleting?: boolean;
  readonly createdAt?: number;
  readonly waitingReason?: string;
  readonly restarts?: number;
}

export function makePod(wish: PodWish): DaemonPod {
  const { node, uid, hash, generation, readySince } = wish;
  const status = (type: string, at: number) => ({ type, status: 'True', lastTransitionTime: formatTime(at) });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${uid}`,
      namespace: 'default',
      uid,
      resourceVersion: String(wish.version),
      creationTimestamp: formatTime(wish.createdAt ?? 0),
      labels: {
        ...(hash === undefined ? {} : { [REVISION_LABEL]: hash }),
        ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
      },
      ...(wish.deleting === true ? { deletionTimestamp: formatTime(1000) } : {}),
    },
    spec: {
      containers: [],
      ...(wish.bound === true ? { nodeName: node } : {}),
      ...(wish.byHostname === true
        ? { nodeSelector: { 'kubernetes.io/hostname': node } }
        : { affinity: pinnedTo(undefined, node) }),
    },
    status: {
      phase: wish.phase ?? 'Running',
      ...(readySince === undefined ? {} : { conditions: [status('Ready', readySince)] }),
      ...(wish.waitingReason === undefined && wish.restarts === undefined
        ? {}
        : {
            containerStatuses: [
              {
                name: 'main',
                image: '',
                imageID: '',
                ready: false,
                restartCount: wish.restarts ?? 0,
                state: wish.waitingReason === undefined ? {} : { waiting: { reason: wish.waitingReason } },
              },
            ],
          }),
    },
  };
}

export const makeDaemon = (
  key: string,
  spec: PlacementSpec = {},
  more: Partial<DaemonSetDefinition> = {},
): DaemonSetDefinition => ({
  key,
  eligibility: compileEligibility(spec),
  hash: 'new',
  templateGeneration: undefined,
  minReadySeconds: 0,
  surge: false,
  ignoreDownNodes: false,
  maxRestarts: 0,
  ...more,
});

const TAINTS: readonly Taint[] = [
  { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
  { key: 'gone', effect: 'NoExecute' },
  { key: 'slow', effect: 'PreferNoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
];

export const anyNodeWish: fc.Arbitrary<NodeWish> = fc.record(
  {
    labels: fc.dictionary(fc.constantFrom('zone', 'gpu', 'kubernetes.io/hostname'), fc.constantFrom('a', 'b', 'n0'), {
      maxKeys: 3,
    }),
    taints: fc.subarray([...TAINTS], { maxLength: 2 }),
    ready: fc.constantFrom('True', 'False', 'Unknown'),
    unschedulable: fc.boolean(),
  },
  { requiredKeys: [] },
);

export const anyPlacement: fc.Arbitrary<PlacementSpec> = fc.constantFrom<PlacementSpec>(
  {},
  { nodeSelector: { zone: 'a' } },
  { nodeSelector: { gpu: 'a', zone: 'b' } },
  { nodeName: 'n1' },
  { tolerations: [{ operator: 'Exists' }] },
  { tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
  { affinity: required([{ key: 'zone', operator: 'In', values: ['a', 'b'] }]) },
  { affinity: required([{ key: 'gpu', operator: 'DoesNotExist' }]) },
  {
    affinity: required([
      { key: 'zone', operator: 'Exists' },
      { key: 'gpu', operator: 'NotIn', values: ['b'] },
    ]),
  },
  { affinity: pinnedTo(undefined, 'n2') },
);

function required(
  matchExpressions: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[],
): NonNullable<PlacementSpec['affinity']> {
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  };
}
