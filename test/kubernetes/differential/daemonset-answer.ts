/** What a DaemonSet controller made of a case, without what chance or time give: names, identities, moments. */
import type { ControllerRevision, DaemonSet } from '../../../src/core/api/types/apps-v1.ts';
import type { Event, Pod } from '../../../src/core/api/types/core-v1.ts';
import type { Seen } from './daemonset-stage.ts';

const REVISION = 'controller-revision-hash';
const GENERATION = 'pod-template-generation';
/** Kubernetes drops what is told of one object beyond this, so that nobody is flooded. */
const EVENT_BURST = 25;

/** The one node that a daemon pod is made for. */
export const pinnedNode = ({ spec }: Pod): string | undefined =>
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchFields?.[0]
    ?.values?.[0];

const targetOf = (pod: Pod): string => (pod.spec.nodeName ?? '') || (pinnedNode(pod) ?? 'nowhere');

const ownerOf = ({ metadata }: Pod | ControllerRevision): string =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.name ?? '';

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export type DaemonSetAnswer = { readonly [what: string]: unknown };

export interface Moment {
  /** Nobody has anything to do. In the middle of a rollout chance decides which nodes are first. */
  readonly atRest: boolean;
  /** DaemonSets that had pods where they should not be: whether those go first or last in a rollout is chance as well. */
  readonly astray: ReadonlySet<string>;
}

export const strayed = ({ sets }: Seen): readonly string[] =>
  sets.filter(({ status }) => (status?.numberMisscheduled ?? 0) > 0).map(({ metadata }) => metadata.name);

export function answerOf(seen: Seen, namespace: string, { atRest, astray }: Moment): DaemonSetAnswer {
  const answer: { [what: string]: unknown } = {};
  for (const set of seen.sets) {
    const { name } = set.metadata;
    if (!atRest && astray.has(name)) continue;
    const pods = seen.pods.filter((pod) => ownerOf(pod) === name);
    const revisions = seen.revisions.filter((revision) => ownerOf(revision) === name);
    const number = new Map(revisions.map(({ metadata, revision }) => [metadata.labels?.[REVISION] ?? '', revision]));
    const numberOf = (pod: Pod): number | string => number.get(pod.metadata.labels?.[REVISION] ?? '') ?? 'other';
    // A rollout may come to rest in its middle, where new pods do not become ready.
    const isEven = new Set(pods.map(numberOf)).size <= 1 || set.spec.updateStrategy?.type === 'OnDelete';
    const newest = Math.max(0, ...number.values());
    // Which of two old pods is replaced first is chance, also where one of them was adopted.
    const ageOf = (pod: Pod): number | string => (isEven || numberOf(pod) === newest ? numberOf(pod) : 'old');
    const here = podsOf(pods, ageOf);
    answer[`${name} status`] = statusOf(set);
    answer[`${name} revisions`] = revisions.toSorted((a, b) => a.revision - b.revision).map(revisionOf);
    answer[`${name} pods`] = atRest && isEven ? here : withoutNodes(here);
    answer[`${name} templates`] = templatesOf(isEven ? pods : pods.filter((pod) => ageOf(pod) !== 'old'), numberOf);
    answer[`${name} events`] = eventsOf(seen.events, set, namespace);
  }
  answer['pods of nobody'] = seen.pods
    .filter((pod) => ownerOf(pod) === '')
    .map((pod) => ({ node: targetOf(pod), terminating: isLeaving(pod), labels: sorted(pod.metadata.labels) }))
    .toSorted((a, b) => byText(JSON.stringify(a), JSON.stringify(b)));
  return answer;
}

const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

function statusOf({ status, metadata }: DaemonSet): object {
  const { conditions: _, ...counts } = status ?? ({} as Partial<NonNullable<DaemonSet['status']>>);
  return { ...counts, generation: metadata.generation };
}

const withoutUid = (reference: { uid?: string }): object => {
  const { uid: _, ...rest } = reference;
  return rest;
};

const revisionOf = ({ metadata, revision, data }: ControllerRevision): object => ({
  name: metadata.name,
  revision,
  data: JSON.stringify(data),
  labels: metadata.labels,
  annotations: metadata.annotations,
  owners: metadata.ownerReferences?.map(withoutUid),
});

interface PodAnswer {
  readonly node: string;
  readonly state: string;
}

function podsOf(pods: readonly Pod[], numberOf: (pod: Pod) => number | string): readonly PodAnswer[] {
  return pods
    .map((pod) => ({
      node: targetOf(pod),
      state: [
        `revision ${numberOf(pod)}`,
        pod.status?.phase,
        ...(isReady(pod) ? ['ready'] : []),
        ...(isLeaving(pod) ? ['leaving'] : []),
        ...((pod.spec.nodeName ?? '') === '' ? ['unbound'] : []),
      ].join(' '),
    }))
    .toSorted((a, b) => byText(`${a.node} ${a.state}`, `${b.node} ${b.state}`));
}

/** How many nodes are in which state. */
function withoutNodes(pods: readonly PodAnswer[]): readonly string[] {
  const nodes = Map.groupBy(pods, ({ node }) => node);
  return [...nodes.values()].map((here) => here.map(({ state }) => state).join(', ')).toSorted(byText);
}

/** What pods are made of: one text for each that differs in more than its node. */
function templatesOf(pods: readonly Pod[], numberOf: (pod: Pod) => number | string): readonly string[] {
  const texts = pods.map((pod) => {
    const { name, generateName, labels, annotations, finalizers, ownerReferences } = pod.metadata;
    const isMade = generateName !== undefined;
    // After a rollout that was taken back, chance decides which pods are of its time and which were made since.
    const generation =
      (pod.spec.nodeName ?? '') !== '' && labels?.[GENERATION] !== undefined ? { [GENERATION]: '#' } : {};
    const { nodeName: _, ...spec } = pod.spec;
    const text = JSON.stringify({
      revision: numberOf(pod),
      metadata: {
        name: isMade ? undefined : name,
        generateName,
        labels: sorted({ ...labels, ...generation }),
        annotations: sorted(annotations),
        finalizers,
        ownerReferences: ownerReferences?.map((reference) => sorted(withoutUid(reference))),
      },
      spec: deepSorted(spec),
    });
    return text.replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access').replaceAll(targetOf(pod), 'NODE');
  });
  return [...new Set(texts)].toSorted(byText);
}

const sorted = (object: object | undefined): object | undefined =>
  object && Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => byText(a, b)));

function deepSorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deepSorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => byText(a, b));
  return Object.fromEntries(entries.map(([key, part]) => [key, deepSorted(part)]));
}

/** Each kind of thing told, once. */
function eventsOf(events: readonly Event[], set: DaemonSet, namespace: string): readonly string[] | string {
  const own = events.filter(
    ({ involvedObject }) => involvedObject.kind === 'DaemonSet' && involvedObject.uid === set.metadata.uid,
  );
  if (own.reduce((sum, { count = 1 }) => sum + count, 0) >= EVENT_BURST) return 'too many';
  const texts = own.map(({ type, reason, message = '', source }) => {
    const plain = message
      .replace('(combined from similar events): ', '')
      .replaceAll(namespace, 'NAMESPACE')
      .replaceAll(/\b(set-\d+-[a-z0-9-]+|orphan-\d+)\b/g, 'POD');
    return `${type} ${reason} (${source?.component}): ${plain}`;
  });
  return [...new Set(texts)].toSorted(byText);
}
