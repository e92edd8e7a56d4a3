/** What a person can do about a Ticket that holds no room. Pure. */
import { NODE_INELIGIBLE_REASONS, RESERVATION_LABELS, TICKET_REASONS } from '../../core/api/names.ts';
import type { Excess } from './ticket-excess.ts';

/** Why not, of a Ticket that a deleted Order has left behind. No controller writes it. */
export const ORPHANED = 'Orphaned';

interface Trouble {
  readonly namespace: string;
  readonly name: string;
  readonly order?: string;
  readonly node?: string;
  readonly reason: string;
  readonly message: string;
  /** The request that no node of the Ticket can hold, however empty it is. */
  readonly excess?: Excess;
}

/** A sentence for an imperative; empty where nothing needs to be done. */
export function ticketFix(trouble: Trouble): string {
  const { reason, node = 'NODE' } = trouble;
  switch (reason) {
    case TICKET_REASONS.unschedulable:
      return unschedulableFix(trouble);
    case TICKET_REASONS.createFailed:
      return refusedFix(trouble);
    case TICKET_REASONS.tooSmall:
      return 'look for a LimitRange or a webhook that changes the requests of pods in this namespace';
    case TICKET_REASONS.lost:
      return 'nothing, if it happens once: another guardian follows; otherwise look at the events of the Ticket';
    case NODE_INELIGIBLE_REASONS.notReady:
      return `look at the node: kubectl describe node ${node}`;
    case NODE_INELIGIBLE_REASONS.cordoned:
      return `kubectl uncordon ${node} keeps the Ticket, if the room is to stay`;
    case ORPHANED:
      return orphanFix(trouble);
    default:
      return '';
  }
}

const orphanFix = ({ namespace, name, order = '' }: Trouble): string =>
  `adopt it: everynode orders adopt ${order} -n ${namespace} --tickets ${RESERVATION_LABELS.order}=${order}; or give its room back: kubectl delete ticket ${name} -n ${namespace}`;

const SHORT = /Insufficient ([\w./-]+)/;

/** From kube-scheduler's own words, which the Ticket repeats. */
function unschedulableFix({ order, node, message, excess }: Trouble): string {
  const where = node === undefined ? 'on some node' : `on ${node}`;
  const whose = order === undefined ? 'the Ticket' : `Order ${order}`;
  if (excess !== undefined) {
    const { resource, asked, offered } = excess;
    const who = node === undefined ? 'no node has more than' : `node ${node} has only`;
    const leave = node === undefined ? 'add a larger node' : 'leave the node out';
    return `${who} ${offered} ${resource} in all, and ${asked} are asked for: reserve less in ${whose}, or ${leave}`;
  }
  const short = SHORT.exec(message)?.[1];
  if (short !== undefined) {
    const look = node === undefined ? '' : ` (kubectl describe node ${node} lists who requests it)`;
    return `free ${short} ${where}${look}, or reserve less in ${whose}`;
  }
  if (message.includes('Too many pods')) return `remove a pod ${where}, or raise the limit of pods of its kubelet`;
  if (message.includes('untolerated taint')) return `tolerate the taint in ${whose}, or remove it from the node`;
  if (message.includes('were unschedulable')) return `kubectl uncordon ${node ?? 'NODE'}`;
  if (message.includes('topology spread')) return `loosen topologySpreadConstraints of ${whose}, or add nodes`;
  if (message.includes('node affinity/selector'))
    return `compare nodeSelector and affinity of ${whose} with the labels of nodes`;
  return 'look at the events of the guardian: kubectl describe pod -l korder.dev/guardian=true';
}

/** From the API server's own words. */
function refusedFix({ namespace, name, message }: Trouble): string {
  if (message.includes('exceeded quota')) return `raise the ResourceQuota of namespace ${namespace}, or reserve less`;
  if (message.includes('PodSecurity'))
    return `guardians pass the level restricted: look for what else changes pods of namespace ${namespace}`;
  if (/no PriorityClass/i.test(message))
    return 'create the PriorityClass, or leave priorityClassName out of the template';
  if (message.includes('is forbidden'))
    return 'compare the message with the rights of the operator, and with admission policies';
  return `kubectl describe ticket ${name} -n ${namespace} shows the events`;
}
