import type { Node } from '../types/core-v1.ts';
import { AGE, NAME, printer, text, wide } from './columns.ts';
import { age, compareText, NONE, UNKNOWN } from './text.ts';

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
  // Should Ready be there twice, the later one counts.
  const condition = node.status?.conditions?.findLast(({ type }) => type === 'Ready');
  const ready = condition ? (condition.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return node.spec?.unschedulable ? `${ready},SchedulingDisabled` : ready;
}

const addressOf = (node: Node, type: string): string =>
  node.status?.addresses?.find((address) => address.type === type)?.address ?? NONE;

export const nodePrinter = printer<Node>(
  [
    NAME,
    text('Status', 'Readiness, and whether new pods may come'),
    text('Roles', 'Roles the labels of the node name'),
    AGE,
    text('Version', 'Version of the kubelet'),
    wide('Internal-IP', 'Address within the cluster'),
    wide('External-IP', 'Address outside the cluster'),
    wide('OS-Image', 'Operating system'),
    wide('Kernel-Version', 'Kernel and architecture'),
    wide('Container-Runtime', 'Container runtime and its version'),
  ],
  (node, now) => {
    const info = node.status?.nodeInfo;
    const kernel = info?.kernelVersion || UNKNOWN;
    return [
      node.metadata.name,
      status(node),
      roles(node),
      age(node, now),
      info?.kubeletVersion ?? '',
      addressOf(node, 'InternalIP'),
      addressOf(node, 'ExternalIP'),
      info?.osImage || UNKNOWN,
      info?.architecture ? `${kernel} (${info.architecture})` : kernel,
      info?.containerRuntimeVersion || UNKNOWN,
    ];
  },
);
