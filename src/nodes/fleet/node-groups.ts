/**
 * Groups of simulated nodes as a person writes them, and the Nodes they make. Reading a file collects every problem
 * with its line and column, so that one look mends them all.
 */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node as YamlNode, type Pair } from 'yaml';
import { FLEET_ANNOTATIONS as ANNOTATION, FLEET_LEASE, NODE_GROUP_LABEL } from '../../core/api/names.ts';
import type { Node, Taint } from '../../core/api/types/core-v1.ts';
import { dns1123SubdomainProblems } from '../../core/kube/names.ts';
import { parseQuantity } from '../../core/kube/quantity.ts';
import { parseGoDuration } from '../../core/kube/go-duration.ts';
import { nextNodeStatus } from './node-status.ts';

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

const KEYS = new Set<keyof NodeGroup>([
  'name',
  'count',
  'labels',
  'taints',
  'capacity',
  'allocatable',
  'startupDelay',
  'podStartDelay',
  'readyWhenDaemon',
]);
const EFFECTS = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
const MAX_NODES = 200_000;

/** The groups of a file (`groups:` with a list, or the list itself), or everything that is wrong with it. */
export function readNodeGroups(text: string): {
  readonly groups: readonly NodeGroup[];
  readonly problems: readonly Problem[];
} {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, stringKeys: true });
  const problems: Problem[] = [];
  const problem = (node: unknown, path: string, message: string): void => {
    const offset = (node as YamlNode | null | undefined)?.range?.[0] ?? 0;
    const { line, col } = lines.linePos(offset);
    problems.push({ line, column: col, path, message });
  };
  for (const error of document.errors) {
    const { line, col } = lines.linePos(error.pos[0]);
    problems.push({
      line,
      column: col,
      path: '',
      message: error.message.split('\n')[0]?.replace(/ at line .*$/, '') ?? '',
    });
  }
  if (problems.length > 0) return { groups: [], problems };
  const root = document.contents;
  const list = isMap(root) ? (root.get('groups', true) as unknown) : root;
  if (!isSeq(list) || list.items.length === 0) {
    problem(root, 'groups', 'expected a list of node groups, each with name and count');
    return { groups: [], problems };
  }
  const groups = list.items.flatMap((item, index) => readGroup(item, `groups[${index}]`, problem));
  const names = new Set<string>();
  groups.forEach((group, index) => {
    if (names.has(group.name))
      problem(list.items[index], `groups[${index}].name`, `duplicate name ${JSON.stringify(group.name)}`);
    names.add(group.name);
  });
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  if (total > MAX_NODES) problem(list, 'groups', `${total} nodes in all; at most ${MAX_NODES} can be simulated`);
  return { groups: problems.length === 0 ? groups : [], problems };
}

type Report = (node: unknown, path: string, message: string) => void;

function readGroup(item: unknown, path: string, problem: Report): NodeGroup[] {
  if (!isMap(item)) {
    problem(item, path, 'expected a map with name and count');
    return [];
  }
  for (const pair of item.items as Pair[]) {
    const key = isScalar(pair.key) ? String(pair.key.value) : '';
    if (!KEYS.has(key as keyof NodeGroup)) problem(pair.key, `${path}.${key}`, `unknown field${suggestion(key)}`);
  }
  const group = item.toJSON() as NodeGroup;
  const at = (key: keyof NodeGroup): unknown => item.get(key, true) ?? item;
  const expect = (ok: boolean, key: keyof NodeGroup, message: string): void => {
    if (!ok) problem(at(key), `${path}.${key}`, message);
  };
  expect(
    typeof group.name === 'string' && dns1123SubdomainProblems(group.name).length === 0 && group.name.length <= 200,
    'name',
    'expected a DNS name of at most 200 characters, such as "gpu-large"',
  );
  expect(Number.isInteger(group.count) && group.count >= 0, 'count', 'expected a whole number of nodes, 0 or more');
  for (const key of ['startupDelay', 'podStartDelay'] as const) {
    const value = group[key];
    expect(
      value === undefined || (typeof value === 'string' && (parseGoDuration(value) ?? -1) >= 0),
      key,
      'expected a duration such as 500ms, 5s or 1m30s',
    );
  }
  expect(
    group.readyWhenDaemon === undefined || /^[^/\s]+\/[^/\s]+$/.test(group.readyWhenDaemon),
    'readyWhenDaemon',
    'expected namespace/name of a DaemonSet',
  );
  for (const key of ['capacity', 'allocatable'] as const)
    checkQuantities(group[key], `${path}.${key}`, at(key), problem);
  for (const [name, value] of Object.entries(group.labels ?? {})) {
    if (typeof value !== 'string')
      problem(at('labels'), `${path}.labels.${name}`, 'label values are strings; put it in quotes');
  }
  checkTaints(group.taints, `${path}.taints`, at('taints'), problem);
  return [group];
}

function checkQuantities(quantities: NodeGroup['capacity'], path: string, node: unknown, problem: Report): void {
  for (const [name, value] of Object.entries(quantities ?? {})) {
    try {
      parseQuantity(String(value));
    } catch {
      problem(node, `${path}.${name}`, `${JSON.stringify(value)} is no quantity; expected for example 4, 500m or 16Gi`);
    }
  }
}

function checkTaints(taints: NodeGroup['taints'], path: string, node: unknown, problem: Report): void {
  if (taints === undefined) return;
  if (!Array.isArray(taints)) return problem(node, path, 'expected a list of taints');
  (taints as readonly (Partial<Taint> | null)[]).forEach((taint, index) => {
    if (typeof taint?.key !== 'string') problem(node, `${path}[${index}].key`, 'a taint needs a key');
    if (typeof taint?.effect !== 'string' || !EFFECTS.has(taint.effect)) {
      problem(node, `${path}[${index}].effect`, `expected one of ${[...EFFECTS].join(', ')}`);
    }
  });
}

/** The known field a typing slip most likely meant. */
function suggestion(key: string): string {
  const lower = key.toLowerCase().replaceAll(/[-_]/g, '');
  const near = [...KEYS].find(
    (known) => known.toLowerCase() === lower || known.toLowerCase().startsWith(lower.slice(0, 4)),
  );
  return near === undefined ? `; known are ${[...KEYS].join(', ')}` : `; did you mean ${near}?`;
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
  // A node that is up at once is born with its status, as a kubelet registers it: one write instead of two.
  const isImmediate = group.startupDelay === undefined && group.readyWhenDaemon === undefined;
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
    yield isImmediate ? { ...node, status: nextNodeStatus(node, true, now) } : node;
  }
}

const labelsOf = (group: NodeGroup, name: string, zone: string): { readonly [key: string]: string } => ({
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'amd64',
  'topology.kubernetes.io/zone': zone,
  [NODE_GROUP_LABEL]: group.name,
  ...group.labels,
});
