/** Pods: the status column is a small verdict over phase, conditions and containers. */
import type { TablePrinter } from '../kind/kind-definition.ts';
import type { ContainerStatus, Pod, PodTemplate } from '../types/core-v1.ts';
import { AGE, NAME, printer, text, wide, type Column } from './columns.ts';
import { conditionStatus, imagesText, labelsText, namesText, NONE, since } from './text.ts';

/** Set by the node lifecycle controller on pods of a node that no longer answers. */
const NODE_LOST = 'NodeLost';

interface Verdict {
  reason: string;
  restarts: number;
  /** Moment of the newest restart, as written; '' when there was none. */
  lastRestart: string;
  ready: number;
}

const newer = (time: string | undefined, than: string): string =>
  time && (than === '' || Date.parse(time) > Date.parse(than)) ? time : than;

/** Looks at init containers; true while the pod has not come past them. */
function judgeInitContainers(pod: Pod, sidecars: ReadonlySet<string>, verdict: Verdict, ofSidecars: Verdict): boolean {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const total = pod.spec?.initContainers?.length ?? 0;
  for (const [index, status] of statuses.entries()) {
    const restarts = status.restartCount ?? 0;
    const finished = status.lastState?.terminated?.finishedAt;
    const sidecar = sidecars.has(status.name);
    verdict.restarts += restarts;
    verdict.lastRestart = newer(finished, verdict.lastRestart);
    if (sidecar) {
      ofSidecars.restarts += restarts;
      ofSidecars.lastRestart = newer(finished, ofSidecars.lastRestart);
    }
    const { terminated, waiting } = status.state ?? {};
    if (terminated && (terminated.exitCode ?? 0) === 0) continue;
    if (sidecar && status.started === true) {
      if (status.ready) verdict.ready++;
      continue;
    }
    if (terminated) verdict.reason = `Init:${endedText(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') verdict.reason = `Init:${waiting.reason}`;
    else verdict.reason = `Init:${index}/${total}`;
    return true;
  }
  return false;
}

function endedText(ended: { readonly reason?: string; readonly signal?: number; readonly exitCode: number }): string {
  if (ended.reason) return ended.reason;
  return ended.signal ? `Signal:${ended.signal}` : `ExitCode:${ended.exitCode ?? 0}`;
}

/** Looks at the main containers, last to first, so that the first one's trouble is what is shown. */
function judgeContainers(statuses: readonly ContainerStatus[], podReady: boolean, verdict: Verdict): void {
  let running = false;
  let failure = '';
  for (let index = statuses.length - 1; index >= 0; index--) {
    const status = statuses[index];
    if (!status) continue;
    verdict.restarts += status.restartCount ?? 0;
    verdict.lastRestart = newer(status.lastState?.terminated?.finishedAt, verdict.lastRestart);
    const { waiting, terminated, running: runningState } = status.state ?? {};
    if (waiting?.reason) verdict.reason = waiting.reason;
    else if (terminated) {
      verdict.reason = endedText(terminated);
      if ((terminated.exitCode ?? 0) !== 0) failure = verdict.reason;
    } else if (status.ready && runningState) {
      running = true;
      verdict.ready++;
    }
  }
  if (verdict.reason !== 'Completed') return;
  if (running && podReady) verdict.reason = 'Running';
  else if (failure !== '') verdict.reason = failure;
  else if (running) verdict.reason = 'NotReady';
}

function judge(pod: Pod): Verdict {
  const status = pod.status;
  const phase = status?.phase ?? '';
  const gated = status?.conditions?.some((c) => c.type === 'PodScheduled' && c.reason === 'SchedulingGated');
  const reason = gated ? 'SchedulingGated' : status?.reason || phase;
  const verdict: Verdict = { reason, restarts: 0, lastRestart: '', ready: 0 };
  const ofSidecars: Verdict = { reason, restarts: 0, lastRestart: '', ready: 0 };
  const initializing = judgeInitContainers(pod, sidecarsOf(pod), verdict, ofSidecars);
  if (!initializing || conditionStatus(status?.conditions, 'Initialized') === 'True') {
    verdict.restarts = ofSidecars.restarts;
    verdict.lastRestart = ofSidecars.lastRestart;
    const podReady = status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true;
    judgeContainers(status?.containerStatuses ?? [], podReady, verdict);
  }
  if (pod.metadata.deletionTimestamp) {
    if (status?.reason === NODE_LOST) verdict.reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') verdict.reason = 'Terminating';
  }
  return verdict;
}

const NO_SIDECARS: ReadonlySet<string> = new Set();

function sidecarsOf(pod: Pod): ReadonlySet<string> {
  const init = pod.spec?.initContainers;
  if (!init?.length) return NO_SIDECARS;
  return new Set(init.filter((container) => container.restartPolicy === 'Always').map((container) => container.name));
}

/** The verdict of kubectl's STATUS column: `Running`, `Init:0/1`, `CrashLoopBackOff`, `Terminating`… */
export const podStatusText = (pod: Pod): string => judge(pod).reason;

function readinessGates(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  const open = gates.filter((gate) => conditionStatus(pod.status?.conditions, gate.conditionType) === 'True').length;
  return `${open}/${gates.length}`;
}

const completed = (reason: string, message: string) => [{ type: 'Completed', status: 'True', reason, message }];
const SUCCEEDED = completed('Succeeded', 'The pod has completed successfully.');
const FAILED = completed('Failed', 'The pod failed.');

function readyText(pod: Pod, _now: number, { ready }: Verdict): string {
  return `${ready}/${(pod.spec?.containers?.length ?? 0) + sidecarsOf(pod).size}`;
}

const restartsText = (_pod: Pod, now: number, { restarts, lastRestart }: Verdict): string =>
  restarts !== 0 && lastRestart !== '' ? `${restarts} (${since(lastRestart, now)} ago)` : String(restarts);

const PODS: readonly Column<Pod, Verdict>[] = [
  NAME,
  text('Ready', 'Containers ready of all that should be', readyText),
  text('Status', 'What the pod and its containers are doing', (_pod, _now, { reason }) => reason),
  text('Restarts', 'How often containers were restarted, and when last', restartsText),
  AGE,
  wide('IP', 'Address of the pod', ({ status }) => status?.podIPs?.[0]?.ip || NONE),
  wide('Node', 'Node the pod is bound to', ({ spec }) => spec?.nodeName || NONE),
  wide(
    'Nominated Node',
    'Node where room is being made for the pod',
    ({ status }) => status?.nominatedNodeName || NONE,
  ),
  wide('Readiness Gates', 'Extra conditions met of all that readiness waits for', readinessGates),
];

export const podPrinter: TablePrinter<Pod> = {
  ...printer(PODS, judge),
  conditions(pod) {
    if (pod.status?.phase === 'Succeeded') return SUCCEEDED;
    return pod.status?.phase === 'Failed' ? FAILED : undefined;
  },
};

export const podTemplatePrinter = printer<PodTemplate>([
  NAME,
  text('Containers', 'Names of the containers in the template', ({ template }) =>
    namesText(template?.spec?.containers),
  ),
  text('Images', 'Images of the containers in the template', ({ template }) => imagesText(template?.spec?.containers)),
  text('Pod Labels', 'Labels that pods of the template get', ({ template }) => labelsText(template?.metadata?.labels)),
]);
