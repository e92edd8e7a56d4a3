/**
 * The sentence people know: `0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s)
 * [NodeAffinity]. preemption: …`. Built from per-node answers, worded and sorted as kube-scheduler does.
 */
import type { Answer, Refusal } from './answer.ts';
import type { PreparedPod } from './prepared-pod.ts';

export const NO_NODES = 'no nodes available to schedule pods';
const PREEMPTION_NOT_HELPFUL = 'Preemption is not helpful for scheduling';
/** The message of the claims plugin, first in 1.34–1.36, whether or not a pod has claims. */
const NO_CLAIMS = 'no new claims to deallocate';

/**
 * Where a pod is refused before any node is looked at, the claims plugin finds nothing prepared and ends the search for a
 * remedy with an error, of which this is all that people see.
 */
export const NOTHING_PREPARED = 'not found';

type ReasonCounts = Map<string, number>;

function addReason(counts: ReasonCounts, message: string, nodes: number): void {
  if (nodes > 0) counts.set(message, (counts.get(message) ?? 0) + nodes);
}

export interface Failure {
  readonly totalNodes: number;
  /** Nodes that were judged, and refused. */
  readonly refusals: Iterable<Refusal>;
  /** The reason given for nodes that were not judged. */
  readonly unjudged?: string;
  /** Replaces all reasons when the pod could go nowhere, whatever the node. */
  readonly everywhere?: string;
  /** Appended: the message of preemption. */
  readonly afterwards?: string;
}

/** For callers that judged every node: the sentence from the answers alone. */
export function summarize(answers: Iterable<Answer>): string {
  const refusals: Refusal[] = [];
  let totalNodes = 0;
  for (const answer of answers) {
    totalNodes++;
    if (!answer.ok) refusals.push(answer);
  }
  if (totalNodes === 0) return NO_NODES;
  const everywhere = refusals.find((refusal) => refusal.everywhere === true);
  return summarizeFailure({
    totalNodes,
    refusals,
    ...(everywhere === undefined ? {} : { everywhere: messagesOf(everywhere) }),
  });
}

const messagesOf = (refusal: Refusal): string => refusal.nos.map((no) => no.message).join(', ');

export function summarizeFailure(failure: Failure): string {
  const { totalNodes, everywhere, afterwards } = failure;
  let text = `0/${totalNodes} nodes are available:`;
  if (everywhere !== undefined && everywhere !== '') text += ` ${everywhere}.`;
  else {
    const counts: ReasonCounts = new Map();
    let judged = 0;
    for (const { nos } of failure.refusals) {
      judged++;
      for (const { message } of nos) addReason(counts, message, 1);
    }
    if (failure.unjudged !== undefined) addReason(counts, failure.unjudged, totalNodes - judged);
    const parts = [...counts].map(([message, nodes]) => `${nodes} ${message}`).toSorted(byCodeUnits);
    if (parts.length > 0) text += ` ${parts.join(', ')}.`;
  }
  return afterwards === undefined || afterwards === '' ? text : `${text} ${afterwards}`;
}

/** As Go sorts strings; so "10 …" comes before "2 …". */
const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The message of preemption when it found no candidate. `refusals` are those of the nodes it tried. */
export function preemptionSummary(totalNodes: number, refusals: Iterable<Refusal>): string {
  return preemptionSays(summarizeFailure({ totalNodes, refusals, unjudged: PREEMPTION_NOT_HELPFUL }));
}

/** In the words of the release: `preemption: …`, after what the claims plugin says. */
export const preemptionSays = (text: string): string => `${NO_CLAIMS}, preemption: ${text}`;

const NOT_PINNED = "node(s) didn't satisfy plugin(s) [NodeAffinity]";

/** The failure of a prepared pod: with the reason for unjudged nodes, and the refusal that holds everywhere. */
export function failureOf(prepared: PreparedPod, refusals: Iterable<Refusal>, afterwards?: string): Failure {
  return {
    totalNodes: prepared.cluster.nodes.size,
    refusals,
    ...(prepared.pinnedNodes === undefined ? {} : { unjudged: prepared.notPinned?.message ?? NOT_PINNED }),
    ...(prepared.refusal === undefined ? {} : { everywhere: messagesOf(prepared.refusal) }),
    ...(afterwards === undefined ? {} : { afterwards }),
  };
}

const NOTE_LIMIT = 1024;
const CUT = ' ...';

/** Events hold at most 1024 bytes of note; the pod's condition holds the whole text. */
export function truncateNote(message: string): string {
  const bytes = Buffer.from(message, 'utf8');
  if (bytes.length <= NOTE_LIMIT) return message;
  let end = NOTE_LIMIT - CUT.length;
  // Not in the middle of a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString('utf8') + CUT;
}
