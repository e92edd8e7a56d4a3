/** One line for one change: the actor, the object, and the part of the change that matters. */
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import { RESERVATION_LABELS } from '../../core/api/names.ts';
import type { Order, Ticket } from '../../core/api/types/korder-v1alpha1.ts';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { objectName, resourceName, type Commit } from './commit.ts';
import { isGoing, isReadyPod, targetOf } from './cluster-view.ts';

const VERBS = { ADDED: 'creates', MODIFIED: 'changes', DELETED: 'removes' } as const;

export function describeCommit(commit: Commit): string {
  const { revision, by, type, key, object } = commit;
  return `${revision} ${by} ${VERBS[type]} ${resourceName(key)} ${objectName(key)}${detail(key.resource, object)}`;
}

function detail(resource: string, object: Stored): string {
  if (resource === 'pods') {
    const pod = object as Stored<Pod>;
    const node = pod.spec.nodeName ?? '';
    const where = node === '' ? (targetOf(pod) === undefined ? '' : `for ${targetOf(pod)}`) : `on ${node}`;
    const state = `${pod.status?.phase ?? 'Pending'}${isReadyPod(pod) ? ' ready' : ''}${isGoing(pod) ? ' going' : ''}`;
    const why = pod.status?.reason ?? pod.status?.conditions?.find(({ status }) => status === 'False')?.message ?? '';
    return ` ${where} ${state}${why === '' || isReadyPod(pod) ? '' : `: ${why}`}`;
  }
  if (resource === 'nodes') {
    const node = object as Stored<Node>;
    const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'unknown';
    const taints = (node.spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).join(',');
    return ` ready=${ready}${taints === '' ? '' : ` taints=${taints}`}${node.spec.unschedulable === true ? ' cordoned' : ''}`;
  }
  if (resource === 'daemonsets') {
    const { metadata, spec, status } = object as Stored<DaemonSet>;
    const image = spec.template.spec?.containers[0]?.image ?? '';
    return ` generation=${metadata.generation} ${image} desired=${status?.desiredNumberScheduled ?? 0} ready=${status?.numberReady ?? 0} updated=${status?.updatedNumberScheduled ?? 0}`;
  }
  if (resource === 'tickets') {
    const { metadata, spec, status } = object as Stored<Ticket>;
    const where = targetOf({ spec });
    const end = status?.expirationTime === undefined ? '' : ` until ${status.expirationTime}`;
    const why = status?.reason === undefined ? '' : `: ${status.reason} ${status.message ?? ''}`;
    const away = status?.conditions?.some(({ type, status: is }) => type === 'NodeEligible' && is === 'False');
    return ` of ${metadata.labels?.[RESERVATION_LABELS.order] ?? 'nobody'}${where === undefined ? '' : ` for ${where}`} ${status?.phase ?? 'new'}${end}${away === true ? ' (node away)' : ''}${why}`;
  }
  if (resource === 'orders') {
    const { metadata, spec, status } = object as Stored<Order>;
    const { replicas, availableReplicas, updatedReplicas, terminalReplicas } = status ?? {};
    return ` generation=${metadata.generation}${spec.paused === true ? ' paused' : ''} wanted=${replicas ?? 0} available=${availableReplicas ?? 0} updated=${updatedReplicas ?? 0} terminal=${terminalReplicas ?? 0}`;
  }
  if (resource === 'events') {
    const { reason, note, message } = object as {
      readonly reason?: string;
      readonly note?: string;
      readonly message?: string;
    };
    return ` ${reason ?? ''}: ${note ?? message ?? ''}`;
  }
  return '';
}
