/**
 * Groups of simulated nodes as a person writes them, and the Nodes they make. Reading a file collects every problem
 * with its line and column, so that one look mends them all.
 */
import { FLEET_ANNOTATIONS as ANNOTATION, FLEET_LEASE, NODE_GROUP_LABEL } from '../../core/api/names.ts';
import type { Node, Taint } from '../../core/api/types/core-v1.ts';
import { readYamlFile, type FileProblem, type Report } from '../../core/kube/yaml/read-file.ts';
import { entryOf, plainValue, type SourceNode } from '../../core/kube/yaml/source-node.ts';
import { checkGroup } from './group-checks.ts';
import { nextNodeStatus } from './node-status.ts';
import { isReadyAtBirth, nodeSettings } from './settings.ts';

export interface NodeGroup {
  readonly name: string;
  readonly count: number;
  readonly labels?: { readonly [key: string]: string };
  readonly taints?: readonly Taint[];
  readonly capacity?: { readonly [resource: string]: string };
  readonly allocatable?: { readonly [resource: string]: string };
  /** Go durations: `5s`, `1m30s`. */
  readonly startupDelay?: string;
  readonly podStartDelay?: string;
  /** `namespace/name` of the DaemonSet that makes a node Ready. */
  readonly readyWhenDaemon?: string;
}

const MAX_NODES = 200_000;

/** The groups of a file (`groups:` with a list, or the list itself), or everything that is wrong with it. */
export function readNodeGroups(text: string): {
  readonly groups: readonly NodeGroup[];
  readonly problems: readonly FileProblem[];
} {
  const { root, problems, report } = readYamlFile(text);
  if (problems.length > 0) return { groups: [], problems };
  const list = root.kind === 'map' ? entryOf(root, 'groups')?.value : root;
  const groups = nodeGroupsIn(list ?? root, 'groups', report);
  return { groups: problems.length === 0 ? groups : [], problems };
}

/** The groups of a list that stands at this path of its file; problems go to `report`. */
export function nodeGroupsIn(list: SourceNode | undefined, path: string, report: Report): readonly NodeGroup[] {
  if (list?.kind !== 'list' || list.items.length === 0) {
    report(list, path, 'expected a list of node groups, each with name and count');
    return [];
  }
  const names = new Set<unknown>();
  const groups: NodeGroup[] = [];
  for (const [i, item] of list.items.entries()) {
    const at = `${path}[${i}]`;
    const group = plainValue(item) as unknown as NodeGroup;
    if (!checkGroup(item, group, at, report)) continue;
    if (names.has(group.name)) report(item, `${at}.name`, `${JSON.stringify(group.name)} is the name of another group`);
    names.add(group.name);
    groups.push(group);
  }
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  if (total > MAX_NODES) report(list, path, `${total} nodes in all; at most ${MAX_NODES} can be simulated`);
  return groups;
}

const strings = (quantities: {
  readonly [resource: string]: string | number;
}): { readonly [resource: string]: string } =>
  Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, String(value)]));

/** The Nodes of a group, one at a time. They share equal parts. */
export function* nodesOf(group: NodeGroup, now: string, zoneCount = 3): Generator<Node> {
  const annotations = {
    [ANNOTATION.simulated]: 'true',
    [ANNOTATION.heartbeatLease]: FLEET_LEASE,
    ...(group.startupDelay === undefined ? {} : { [ANNOTATION.startupDelay]: group.startupDelay }),
    ...(group.podStartDelay === undefined ? {} : { [ANNOTATION.podStartDelay]: group.podStartDelay }),
    ...(group.readyWhenDaemon === undefined ? {} : { [ANNOTATION.readyWhenDaemon]: group.readyWhenDaemon }),
  };
  const spec = group.taints === undefined ? {} : { taints: group.taints };
  const sized = {
    ...(group.capacity === undefined ? {} : { capacity: strings(group.capacity) }),
    ...(group.allocatable === undefined ? {} : { allocatable: strings(group.allocatable) }),
  };
  for (let i = 0; i < group.count; i += 1) {
    const name = `${group.name}-${i}`;
    const node: Node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        annotations,
        labels: labelsOf(group, name, `zone-${String.fromCharCode(97 + (i % zoneCount))}`),
      },
      spec,
      status: sized,
    };
    yield isReadyAtBirth(nodeSettings(node)) ? { ...node, status: nextNodeStatus(node, true, now) } : node;
  }
}

const labelsOf = (group: NodeGroup, name: string, zone: string): { readonly [key: string]: string } => ({
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'amd64',
  // Former names of the stable labels, which old manifests still select by.
  'beta.kubernetes.io/os': 'linux',
  'beta.kubernetes.io/arch': 'amd64',
  'topology.kubernetes.io/zone': zone,
  [NODE_GROUP_LABEL]: group.name,
  ...group.labels,
});
