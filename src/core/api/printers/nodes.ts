import type { Node } from '../types/core-v1.ts';
import { AGE, NAME, printer, text, wide } from './columns.ts';
import { compareText, NONE, UNKNOWN } from './text.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

/** Roles come from label keys `node-role.kubernetes.io/ROLE` and from the value of `kubernetes.io/role`. */
function roles(node: Node): string {
  const found = new Set<string>();
  const labels = node.metadata.labels;
  for (const key in labels) {
    if (key.startsWith(ROLE_PREFIX)) {
      if (key.length > ROLE_PREFIX.length) found.add(key.slice(ROLE_PREFIX.length));
    } else if (key === ROLE_LABEL && labels[key]) found.add(labels[key]);
  }
  if (found.size === 0) return NONE;
  return [...found].toSorted(compareText).join(',');
}

function status(node: Node): string {
  // If Ready occurs twice, the later condition counts.
  const condition = node.status?.conditions?.findLast(({ type }) => type === 'Ready');
  const ready = condition ? (condition.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return node.spec?.unschedulable ? `${ready},SchedulingDisabled` : ready;
}

const addressOf = (node: Node, type: string): string =>
  node.status?.addresses?.find((address) => address.type === type)?.address ?? NONE;

function kernel(node: Node): string {
  const nodeInfo = node.status?.nodeInfo;
  const version = nodeInfo?.kernelVersion || UNKNOWN;
  return nodeInfo?.architecture ? `${version} (${nodeInfo.architecture})` : version;
}

export const nodePrinter = printer<Node>([
  NAME,
  text('Status', 'Readiness, and whether new pods may come', status),
  text('Roles', 'Roles the labels of the node name', roles),
  AGE,
  text('Version', 'Version of the kubelet', (node) => node.status?.nodeInfo?.kubeletVersion ?? ''),
  wide('Internal-IP', 'Address within the cluster', (node) => addressOf(node, 'InternalIP')),
  wide('External-IP', 'Address outside the cluster', (node) => addressOf(node, 'ExternalIP')),
  wide('OS-Image', 'Operating system', (node) => node.status?.nodeInfo?.osImage || UNKNOWN),
  wide('Kernel-Version', 'Kernel and architecture', kernel),
  wide(
    'Container-Runtime',
    'Container runtime and its version',
    (node) => node.status?.nodeInfo?.containerRuntimeVersion || UNKNOWN,
  ),
]);
