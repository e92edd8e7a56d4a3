/**
 * Groups of simulated nodes as a person writes them, and the Nodes they make. Reading a file collects every problem
 * with its line and column, so that one look mends them all.
 */
import { isMap, isSeq, LineCounter, parseDocument, type Node as YamlNode } from 'yaml';
import { FLEET_ANNOTATIONS as ANNOTATION, FLEET_LEASE, NODE_GROUP_LABEL } from '../../core/api/names.ts';
import type { Node, Taint } from '../../core/api/types/core-v1.ts';
import { checkGroup, type Report } from './group-checks.ts';
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

export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

const MAX_NODES = 200_000;

/** The groups of a file (`groups:` with a list, or the list itself), or everything that is wrong with it. */
export function readNodeGroups(text: string): {
  readonly groups: readonly NodeGroup[];
  readonly problems: readonly Problem[];
} {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, stringKeys: true });
  const problems: Problem[] = [];
  const tell = (offset: number, path: string, message: string): void => {
    const { line, col } = lines.linePos(offset);
    problems.push({ line: Math.max(1, line), column: Math.max(1, col), path, message });
  };
  const report: Report = (node, path, message) =>
    tell((node as YamlNode | null | undefined)?.range?.[0] ?? 0, path, message);
  for (const error of document.errors) {
    tell(error.pos[0], '', error.message.split('\n')[0]?.replace(/ at line .*$/, '') ?? '');
  }
  if (problems.length > 0) return { groups: [], problems };
  let plain: unknown;
  try {
    plain = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    tell(0, '', error instanceof Error ? error.message : String(error));
    return { groups: [], problems };
  }
  const root = document.contents;
  const list = isMap(root) ? (root.get('groups', true) as unknown) : root;
  const values = isMap(root) ? (plain as { groups?: unknown }).groups : plain;
  if (!isSeq(list) || list.items.length === 0 || !Array.isArray(values)) {
    report(list ?? root, 'groups', 'expected a list of node groups, each with name and count');
    return { groups: [], problems };
  }
  const names = new Set<unknown>();
  const groups: NodeGroup[] = [];
  for (const [i, item] of list.items.entries()) {
    const path = `groups[${i}]`;
    const group = values[i] as NodeGroup;
    if (!checkGroup(item, group, path, report)) continue;
    if (names.has(group.name))
      report(item, `${path}.name`, `${JSON.stringify(group.name)} is the name of another group`);
    names.add(group.name);
    groups.push(group);
  }
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  if (total > MAX_NODES) report(list, 'groups', `${total} nodes in all; at most ${MAX_NODES} can be simulated`);
  return { groups: problems.length === 0 ? groups : [], problems };
}

const strings = (quantities: {
  readonly [resource: string]: string | number;
}): { readonly [resource: string]: string } =>
  Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, String(value)]));

/** The Nodes of a group, one at a time. What they have in common they share. */
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
  // Their names of former times, by which old manifests still select.
  'beta.kubernetes.io/os': 'linux',
  'beta.kubernetes.io/arch': 'amd64',
  'topology.kubernetes.io/zone': zone,
  [NODE_GROUP_LABEL]: group.name,
  ...group.labels,
});
